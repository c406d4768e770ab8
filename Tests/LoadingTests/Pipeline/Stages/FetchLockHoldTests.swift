import Testing
import VitrineConcurrency

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
    let second = Int64(0).advanced(bySeconds: FetchLockHold.progressInterval)
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
}
