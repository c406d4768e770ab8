import Synchronization
import VitrineTesting

/// Calls `start` with a function, waits until that function is called, and returns the argument of the first call.
///
/// Use this instead of a continuation: a function that is never called fails the test instead of hanging it.
///
/// - Parameters:
///   - seconds: The real time in seconds after which the wait throws a `WaitFailure`. The wait also throws when the
///     calling task is cancelled.
///   - start: Called once, in the caller's isolation. The function may be called on any thread.
package func callback<Value: Sendable>(
  within seconds: Double = 60, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
  line: Int = #line, _ start: (@escaping @Sendable (Value) -> Void) throws -> Void
) async throws -> Value {
  let first = FirstValue<Value>()
  try start { first.set($0) }
  var value: Value?
  try await until(within: seconds, file: file, line: line) {
    value = first.value
    return value != nil
  }
  guard let value else {
    throw WaitFailure(location: "\(file):\(line)", reason: "the wait ended without a value")
  }
  return value
}

/// Calls `start` with a function, and waits until that function is called. See
/// `callback(within:isolation:file:line:_:)`.
package func untilCalled(
  within seconds: Double = 60, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
  line: Int = #line, _ start: (@escaping @Sendable () -> Void) throws -> Void
) async throws {
  let _: Bool = try await callback(within: seconds, file: file, line: line) { call in
    try start { call(true) }
  }
}

/// Keeps the first value that is set, from any thread.
private final class FirstValue<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  var value: Value? { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = $0 ?? value } }
}
