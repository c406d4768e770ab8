import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// Locks of fetches that this process holds.
@Suite struct FetchLockHoldTests {
  @Test func lockIsReleasedOnce() {
    let lock = FakeLock()
    do {
      let hold = FetchLockHold(lock) { $0() }
      hold.release()
      hold.release()
    }
    #expect(lock.releases == 1)
  }

  @Test func lockIsReleasedWithTheLastReference() {
    let lock = FakeLock()
    var hold: FetchLockHold? = FetchLockHold(lock) { $0() }
    #expect(lock.releases == 0 && hold != nil)
    hold = nil
    #expect(lock.releases == 1)
  }

  @Test func progressIsReportedOnceASecondAndNotAfterTheRelease() {
    let lock = FakeLock()
    let hold = FetchLockHold(lock) { $0() }
    let second = Int64(0).advanced(bySeconds: FetchLockHold.reportInterval)
    hold.transferBegins(at: 0)
    for time in stride(from: 0, to: second, by: Int(second / 10)) { hold.noteProgress(at: time) }
    #expect(lock.progress == 0, "a transfer of less than a second reports nothing")
    hold.noteProgress(at: second)
    hold.noteProgress(at: second + 1)
    #expect(lock.progress == 1)
    hold.noteProgress(at: 2 * second)
    hold.release()
    hold.noteProgress(at: 9 * second)
    #expect(lock.progress == 2)
  }

  // MARK: Heartbeat

  private let clock = ManualLoadingClock()

  @Test func processReportsThatItWaitsUntilTheResponseComes() {
    let (lock, other) = (FakeLock(), FakeLock())
    let heartbeat = FetchLockHeartbeat(clock) { $0() }
    let holds = [lock, other].map { FetchLockHold($0, heartbeat) { $0() } }
    clock.advance(by: 10)
    #expect(lock.waits == 0, "the transfers have not begun")

    for hold in holds { hold.transferBegins(at: clock.now) }
    for _ in 0..<3 { clock.advance(by: FetchLockHold.reportInterval) }
    #expect(lock.waits == 3 && other.waits == 3 && lock.progress == 0)

    holds[0].noteProgress(at: clock.now)
    clock.advance(by: FetchLockHold.reportInterval)
    #expect(lock.waits == 3 && lock.progress == 1 && other.waits == 4)

    holds[1].release()
    clock.advance(by: 10)
    #expect(lock.waits == 3 && other.waits == 4)
    withExtendedLifetime(holds) {}
  }

  @Test func laterTransferIsReportedAfterTheHeartbeatHasEnded() {
    let heartbeat = FetchLockHeartbeat(clock) { $0() }
    let first = FetchLockHold(FakeLock(), heartbeat) { $0() }
    first.transferBegins(at: clock.now)
    first.release()
    clock.advance(by: 10)

    let lock = FakeLock()
    let hold = FetchLockHold(lock, heartbeat) { $0() }
    hold.transferBegins(at: clock.now)
    clock.advance(by: FetchLockHold.reportInterval)

    #expect(lock.waits == 1)
    withExtendedLifetime(hold) {}
  }

  @Test func heartbeatWaitsForADiskThatHangs() {
    let jobs = Mutex<[@Sendable () -> Void]>([])
    let heartbeat = FetchLockHeartbeat(clock) { job in jobs.withLock { $0.append(job) } }
    let lock = FakeLock()
    let hold = FetchLockHold(lock, heartbeat) { $0() }
    hold.transferBegins(at: clock.now)
    for _ in 0..<5 { clock.advance(by: FetchLockHold.reportInterval) }
    #expect(jobs.withLock { $0.count } == 1)

    for job in jobs.withLock({ $0 }) { job() }
    clock.advance(by: FetchLockHold.reportInterval)

    #expect(jobs.withLock { $0.count } == 2 && lock.waits == 1)
    withExtendedLifetime(hold) {}
  }
}
