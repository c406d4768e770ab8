/// A large value that copies share, so that a copy takes one reference.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
