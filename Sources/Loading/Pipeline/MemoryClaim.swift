import Synchronization
package import VitrineGraphics

/// The memory that a job of a `WorkerPool` takes while it runs. The job ends `hold` when it takes none any more.
///
/// A job waits until the ledger has room for its memory, which other jobs, bodies and images on screen release. If nothing
/// releases enough for `patience` seconds, or if the memory exceeds the whole budget, the claim is given up: the job runs
/// without it, and tells its caller so.
package final class MemoryClaim: Sendable {
  /// Bytes by which a single job may exceed the budget where all that is left in memory is in use, such as images on the
  /// screen.
  package static let overdraft = 24 << 20
  /// Seconds between two looks for room while no job runs whose end would be noticed, and how long that goes on.
  private static let interval = 0.1
  private static let patience = 5.0

  let bytes: Int
  let hold: MemoryHold
  private let isRefused: Atomic<Bool>
  private let looks = Atomic(0)

  /// Returns `nil` for less than 1 byte, which waits for nothing.
  ///
  /// - Parameters:
  ///   - hold: counts what the job has already, and later `bytes` more.
  ///   - kept: bytes that are counted elsewhere and stay until the job ends, such as the encoded image.
  package init?(_ bytes: Int, in hold: MemoryHold, beside kept: Int = 0) {
    guard bytes > 0 else { return nil }
    self.bytes = bytes
    self.hold = hold
    let (needed, overflow) = bytes.addingReportingOverflow(hold.bytes)
    let budget = hold.budget
    let (allowed, isUnlimited) = budget.addingReportingOverflow(Self.overdraft)
    isRefused = Atomic(overflow || needed > budget || !isUnlimited && kept > allowed - needed)
  }

  /// True if the job must run without its memory.
  package var isGivenUp: Bool { isRefused.load(ordering: .relaxed) }

  /// The error of a job that ran without its memory.
  package var refusal: ImageError {
    .tooLarge(
      .memory(needed: bytes, allowed: bytes > hold.budget ? hold.budget : min(hold.available, bytes - 1)))
  }

  /// Called when no job runs and there is no room. Looks again after a while, until it gives up.
  func waitForRoom(_ clock: any LoadingClock, lookAgain: @escaping @Sendable () -> Void) {
    clock.wake(at: clock.now.advanced(bySeconds: Self.interval)) { [weak self] in
      guard let self else { return }
      let count = looks.wrappingAdd(1, ordering: .relaxed).newValue
      if Double(count) * Self.interval >= Self.patience { isRefused.store(true, ordering: .relaxed) }
      lookAgain()
    }
  }
}
