/// A large value that copies share until one of them changes, so that a copy costs only a reference count.
@usableFromInline
package struct CopyOnWrite<Value: Sendable>: Sendable {
  /// `@unchecked Sendable` because `value` is changed only while a single reference to the object exists, so that no other
  /// thread can read `value` meanwhile.
  @usableFromInline
  final class Storage: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable init(_ value: Value) { self.value = value }
  }

  @usableFromInline var storage: Storage

  @inlinable package init(_ value: Value) { storage = Storage(value) }

  @inlinable package var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}
