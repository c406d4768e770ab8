/// Waits until a condition is true, and lets other tasks run meanwhile.
///
/// ```swift
/// try await until { cover.image != nil }
/// ```
///
/// A test whose condition never becomes true fails rather than hangs: the wait throws `WaitFailure` after a time limit, and at
/// once when its task is cancelled, as by the time limit of a test.
///
/// - Parameters:
///   - seconds: real time after which the wait gives up; a minute by default.
///   - condition: called in the caller's isolation, again after each turn of other tasks.
public func until(
  within seconds: Double = 60, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
  line: Int = #line, _ condition: () throws -> Bool
) async throws {
  let clock = ContinuousClock()
  let end = clock.now.advanced(by: .seconds(seconds))
  while try !condition() {
    if Task.isCancelled { throw WaitFailure(place: "\(file):\(line)", reason: "the task was cancelled") }
    if clock.now >= end { throw WaitFailure(place: "\(file):\(line)", reason: "\(seconds) s have passed") }
    await Task.yield()
  }
}

/// A wait that ended before its condition was true.
public struct WaitFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file and the line of the wait.
  public let place: String
  /// Why the wait ended, as a clause.
  public let reason: String

  /// One line that names the place and the reason.
  public var description: String { "\(place): the condition is still false, and \(reason)" }
}
