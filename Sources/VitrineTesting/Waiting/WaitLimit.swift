import Glibc

/// The limit of a wait that polls: the wait ends with a `WaitFailure` after a time limit, or when its task is
/// cancelled, for example by the test's time limit.
///
/// `until` and `blockUntil` have a limit of their own. Use this type for a wait that does asynchronous work between two
/// checks of its condition.
package struct WaitLimit: Sendable {
  private let seconds: Double
  private let end: ContinuousClock.Instant
  private let location: String
  private var pollCount = 0

  /// Creates the limit of a wait that begins now.
  ///
  /// - Parameter seconds: The real time in seconds after which the wait fails.
  package init(within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line) {
    self.seconds = seconds
    end = ContinuousClock.now.advanced(by: .seconds(seconds))
    location = "\(file):\(line)"
  }

  /// Lets other tasks run. Throws if the wait is over.
  package mutating func pause(isolation: isolated (any Actor)? = #isolation) async throws(WaitFailure) {
    try check()
    if isShort { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
  }

  /// Lets other threads run, and blocks the calling thread meanwhile. Throws if the wait is over.
  package mutating func blockThread() throws(WaitFailure) {
    try check()
    if isShort { sched_yield() } else { usleep(1000) }
  }

  /// True during the first 1,000 polls. A longer wait sleeps between polls and leaves the processor to the awaited
  /// code.
  private var isShort: Bool { pollCount < 1000 }

  private mutating func check() throws(WaitFailure) {
    if Task.isCancelled { throw WaitFailure(location: location, reason: "the task was cancelled") }
    if ContinuousClock.now >= end {
      throw WaitFailure(location: location, reason: "\(seconds) s have passed")
    }
    pollCount += 1
  }
}

/// Waits until a condition is true, and blocks the calling thread meanwhile, for tests that keep the main queue from
/// running. See `until(within:isolation:file:line:_:)`.
package func blockUntil(
  within seconds: Double = 60, file: StaticString = #fileID, line: Int = #line, _ condition: () throws -> Bool
) throws {
  var limit = WaitLimit(within: seconds, file: file, line: line)
  while try !condition() { try limit.blockThread() }
}
