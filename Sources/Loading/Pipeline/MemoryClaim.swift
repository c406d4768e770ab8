import Synchronization
package import VitrineGraphics

/// The memory that a job of a `WorkerPool` needs while it runs. The job ends `hold` when it has released the memory.
///
/// A job waits until the ledger has room, which other jobs, bodies and images on the screen release. The claim is given
/// up if nothing releases enough within `patience` seconds, or if it exceeds the whole budget. The job then runs
/// without the memory and reports this to its caller.
package final class MemoryClaim: Sendable {
  /// The number of bytes by which a single job may exceed the budget if all remaining memory is in use, for example by
  /// images on the screen.
  package static let overdraft = 24 << 20
  /// The number of seconds between two checks for room while no job is running whose end would trigger a check.
  private static let interval = 0.1
  private static let patience = 5.0

  let bytes: Int
  let hold: MemoryHold
  private let isRefused: Atomic<Bool>
  private let looks = Atomic(0)

  /// Returns `nil` if `bytes` is less than 1, because such a job need not wait.
  ///
  /// - Parameters:
  ///   - hold: The reservation of the job's existing memory, to which `bytes` are added later.
  ///   - kept: The number of bytes that are reserved elsewhere until the job ends, such as those of the encoded image.
  package init?(_ bytes: Int, in hold: MemoryHold, beside kept: Int = 0) {
    guard bytes > 0 else { return nil }
    self.bytes = bytes
    self.hold = hold
    let (needed, overflow) = bytes.addingReportingOverflow(hold.bytes)
    let budget = hold.budget
    let (allowed, isUnlimited) = budget.addingReportingOverflow(Self.overdraft)
    isRefused = Atomic(overflow || needed > budget || !isUnlimited && kept > allowed - needed)
  }

  /// True if the job must run without the memory.
  package var isGivenUp: Bool { isRefused.load(ordering: .relaxed) }

  /// The error of a job that ran without its memory.
  package var refusal: ImageError {
    .tooLarge(
      .memory(needed: bytes, allowed: bytes > hold.budget ? hold.budget : min(hold.available, bytes - 1)))
  }

  /// Called when no job is running and there is no room. Checks again after a while, until the claim is given up.
  func waitForRoom(_ clock: any LoadingClock, lookAgain: @escaping @Sendable () -> Void) {
    clock.wake(at: clock.now.advanced(bySeconds: Self.interval)) { [weak self] in
      guard let self else { return }
      let count = looks.wrappingAdd(1, ordering: .relaxed).newValue
      if Double(count) * Self.interval >= Self.patience { isRefused.store(true, ordering: .relaxed) }
      lookAgain()
    }
  }
}
