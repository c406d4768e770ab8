/// A large value that copies share until one of them changes, so that a copy costs only a reference count.
struct CopyOnWrite<Value: Sendable>: Sendable {
  /// `@unchecked Sendable` because `value` is changed only while a single reference to the object exists, so that no other
  /// thread can read `value` meanwhile.
  private final class Storage: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}
