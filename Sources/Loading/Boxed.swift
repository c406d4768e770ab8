/// A large value that copies share, so that a copy takes one reference.
final class Boxed<Value: Sendable>: Sendable, CustomDebugStringConvertible {
  let value: Value

  init(_ value: Value) { self.value = value }

  /// The description of the value, so that a type prints the same with and without a box.
  var debugDescription: String { String(reflecting: value) }
}
