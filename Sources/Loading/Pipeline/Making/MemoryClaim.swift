import Synchronization
package import VitrineConcurrency
package import VitrineGraphics

/// The memory that a job of a `WorkerPool` needs while the job runs. The job ends `reservation` after releasing the
/// memory.
///
/// A job waits until the ledger has room, which other jobs, bodies and images on the screen release. The claim is given
/// up if nothing releases enough within `patience` seconds, or if it exceeds the whole budget. The job then runs
/// without the memory and reports this to its caller.
package final class MemoryClaim: JobClaim {
  /// The number of bytes by which a single job may exceed the budget if all remaining memory is in use, for example by
  /// images on the screen.
  package static let overdraft = 24 << 20
  /// The number of seconds between two checks for room while no job is running whose end would trigger a check.
  private static let interval = 0.1
  /// The number of seconds without room after which a claim is given up. Only time in which no job is running counts.
  private static let patience = 5.0

  private let reservation: MemoryReservation
  private let kept: Int
  private let measurement: Mutex<Measurement>
  private let isRefused = Atomic(false)
  private let looks = Atomic(0)

  private enum Measurement {
    case due(@Sendable () -> Int)
    case done(bytes: Int)
  }

  /// Returns `nil` if `bytes` is less than 1, because such a job need not wait.
  ///
  /// - Parameters:
  ///   - reservation: The reservation of the job's existing memory, to which `bytes` are added later.
  ///   - kept: The number of bytes that are reserved elsewhere until the job ends, such as those of the encoded image.
  package init?(_ bytes: Int, in reservation: MemoryReservation, beside kept: Int = 0) {
    guard bytes > 0 else { return nil }
    self.reservation = reservation
    self.kept = kept
    measurement = Mutex(.done(bytes: bytes))
    refuseIfTooLarge(bytes)
  }

  /// - Parameter measure: Returns the number of bytes. Called once, by a thread of the pool, because the closure reads
  ///   a body of any length.
  package init(
    in reservation: MemoryReservation, beside kept: Int = 0, measuring measure: @escaping @Sendable () -> Int
  ) {
    self.reservation = reservation
    self.kept = kept
    measurement = Mutex(.due(measure))
  }

  /// The number of bytes; 0 until measured, and for a job that need not wait.
  private var bytes: Int {
    measurement.withLock { if case .done(let bytes) = $0 { bytes } else { 0 } }
  }

  package var isEmpty: Bool { bytes == 0 }

  /// True if the number of bytes is known.
  package var isMeasured: Bool {
    measurement.withLock { if case .done = $0 { true } else { false } }
  }

  package func measure() {
    guard case .due(let measure) = measurement.withLock({ $0 }) else { return }
    let bytes = max(0, measure())
    refuseIfTooLarge(bytes)
    measurement.withLock { $0 = .done(bytes: bytes) }
  }

  private func refuseIfTooLarge(_ bytes: Int) {
    guard bytes > 0 else { return }
    let (needed, overflow) = bytes.addingReportingOverflow(reservation.bytes)
    let budget = reservation.budget
    let (allowed, isUnlimited) = budget.addingReportingOverflow(Self.overdraft)
    if overflow || needed > budget || !isUnlimited && kept > allowed - needed {
      isRefused.store(true, ordering: .relaxed)
    }
  }

  /// True if the job must run without the memory.
  package var isGivenUp: Bool { isRefused.load(ordering: .relaxed) }

  package func reserve(exceeding: Bool) -> Bool {
    reservation.reserve(bytes, overdraft: exceeding ? Self.overdraft : 0)
  }

  /// Evicts cached images.
  package func makeRoom() { reservation.evict(toFit: bytes) }

  /// The error of a job that ran without the memory; see `ImageError.isMemoryShortage`.
  package var refusal: ImageError {
    let (needed, budget) = (bytes, reservation.budget)
    let (own, isTooMuch) = needed.addingReportingOverflow(reservation.bytes)
    let (all, overflow) = own.addingReportingOverflow(kept)
    let (allowed, isUnlimited) = budget.addingReportingOverflow(Self.overdraft)
    // States a need above the budget exactly if the job can never run.
    let neverFits = isTooMuch || own > budget
    let neverFitsBesideBody = !isUnlimited && (overflow || all > allowed)
    let stated =
      needed > budget
      ? needed : neverFits ? (isTooMuch ? .max : own) : neverFitsBesideBody ? (overflow ? .max : all) : needed
    return .tooLarge(.memory(needed: stated, allowed: budget))
  }

  /// Checks for room again after a while, until the claim is given up. Called when no job is running and there is no
  /// room.
  package func waitForRoom(_ clock: any LoadingClock, lookAgain: @escaping @Sendable () -> Void) {
    clock.wake(at: clock.now.advanced(bySeconds: Self.interval)) { [weak self] in
      guard let self else { return }
      let count = looks.wrappingAdd(1, ordering: .relaxed).newValue
      if Double(count) * Self.interval >= Self.patience { isRefused.store(true, ordering: .relaxed) }
      lookAgain()
    }
  }
}
