/// Waits until a condition is true, while other tasks run.
///
/// ```swift
/// try await until { cover.image != nil }
/// ```
///
/// If the condition never becomes true, the test fails instead of hanging: the wait throws `WaitFailure` after a time
/// limit, or immediately when its task is cancelled, for example by the test's time limit.
///
/// The time limit is `seconds` of real time, a minute by default. `condition` is called in the caller's isolation,
/// repeatedly, after other tasks have run.
public func until(
  within seconds: Double = 60, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
  line: Int = #line, _ condition: () throws -> Bool
) async throws {
  var limit = WaitLimit(within: seconds, file: file, line: line)
  while try !condition() { try await limit.pause() }
}

/// The error of a wait that ended before its condition was true.
public struct WaitFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file and line of the wait.
  package let location: String
  /// The reason why the wait ended, as a clause.
  package let reason: String

  /// Creates an error with the location and the reason of the failure.
  package init(location: String, reason: String) {
    self.location = location
    self.reason = reason
  }

  /// One line with the location and the reason.
  public var description: String { "\(location): the condition is still false, and \(reason)" }
}
