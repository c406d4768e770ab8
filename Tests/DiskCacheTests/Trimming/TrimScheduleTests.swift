import Testing

@testable import VitrineDiskCache

/// The rules that decide who may trim a folder.
@Suite struct TrimScheduleTests {
  private static let timeout = Int64(TrimSchedule.lockTimeout * 1e9)

  /// Returns the results of asking at these times, each with the result of locking the folder.
  private func results(_ locks: [(Descriptor.Lock, Int64)]) -> [Bool] {
    var schedule = TrimSchedule()
    return locks.map { schedule.mayTrim($0.0, at: $0.1) }
  }

  @Test func oneThreadTrimsAtATime() {
    var schedule = TrimSchedule()

    let first = [schedule.begin(), schedule.begin()]
    schedule.end()
    let last = schedule.begin()

    #expect(first == [true, false] && last)
  }

  @Test func ownLockOrNoLockAllowsTrimming() {
    #expect(results([(.acquired, 0), (.unavailable, 0)]) == [true, true])
  }

  @Test func lockOfAnotherProcessDelaysTrimmingForALimitedTime() {
    let times = [0, Self.timeout / 2, Self.timeout - 1, Self.timeout]
    #expect(results(times.map { (.heldByAnother, $0) }) == [false, false, false, true])
  }

  @Test func shortLocksFarApartDoNotCountAsOneHeldLock() {
    let hour = Int64(3600e9)
    let times = [0, hour, hour + 1, hour + 2]
    #expect(results(times.map { (.heldByAnother, $0) }) == [false, false, false, false])
  }

  @Test func rareLooksFindTheLockOfAStoppedProcess() {
    let hour = Int64(3600e9)
    let times = [0, hour, 2 * hour, 2 * hour + 1]
    #expect(results(times.map { (.heldByAnother, $0) }) == [false, false, true, true])
  }

  @Test func acquiredLockRestartsTheTimeout() {
    let results = results([
      (.heldByAnother, 0), (.acquired, 1), (.heldByAnother, 2), (.heldByAnother, Self.timeout / 2 + 2),
      (.heldByAnother, Self.timeout + 1), (.heldByAnother, Self.timeout + 2),
    ])
    #expect(results == [false, true, false, false, false, true])
  }

  @Test func isFirstReturnsTrueOnlyOnce() {
    var schedule = TrimSchedule()

    let results = [schedule.isFirst(), schedule.isFirst()]

    #expect(results == [true, false])
  }
}
