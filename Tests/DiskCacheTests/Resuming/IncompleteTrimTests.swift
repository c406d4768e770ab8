import Testing

@testable import VitrineDiskCache

/// The incomplete responses that are removed.
@Suite struct IncompleteTrimTests {
  private static let day: Int64 = 86400
  private let time: Int64 = 1_800_000_000

  private func entry(_ number: UInt64, megabytes: Int, age: Int64) -> DiskTrim.Entry {
    DiskTrim.Entry(
      name: ContentHash(high: 0, low: number), bytes: megabytes << 20, stored: time - age, used: time - age)
  }

  private func trim(bytes: Int = 150 << 20) -> IncompleteTrim {
    var limits = DiskImageCache.Limits()
    limits.bytes = bytes
    return IncompleteTrim(limits: limits, time: time)
  }

  private func numbers(_ entries: [DiskTrim.Entry]) -> [UInt64] { entries.map(\.name.low) }

  @Test(arguments: [(150 << 20, 32 << 20), (40 << 20, 10 << 20), (0, 0), (-5, 0), (Int.max, 32 << 20)])
  func budgetIsAQuarterOfASmallCache(bytes: Int, budget: Int) {
    #expect(trim(bytes: bytes).budget == budget)
  }

  @Test func oldestAreRemovedFirst() {
    let entries = [
      entry(1, megabytes: 10, age: 30), entry(2, megabytes: 10, age: 50), entry(3, megabytes: 10, age: 10),
    ]
    #expect(numbers(trim().victims(of: entries)) == [])
    #expect(numbers(trim().victims(of: entries, toFit: 2 << 20)) == [])
    #expect(numbers(trim().victims(of: entries, toFit: 3 << 20)) == [2])
    #expect(numbers(trim().victims(of: entries, toFit: 20 << 20)) == [2, 1])
  }

  @Test func replacedResponseTakesNoSpace() {
    let entries = [entry(1, megabytes: 20, age: 30), entry(2, megabytes: 10, age: 50)]
    let name = ContentHash(high: 0, low: 1)
    #expect(numbers(trim().victims(of: entries, toFit: 22 << 20, replacing: name)) == [])
    #expect(numbers(trim().victims(of: entries, toFit: 23 << 20, replacing: name)) == [2])
  }

  @Test func oldResponsesAreRemoved() {
    let entries = [
      entry(1, megabytes: 1, age: 8 * Self.day), entry(2, megabytes: 1, age: 6 * Self.day),
      entry(3, megabytes: 1, age: -60),
    ]
    #expect(numbers(trim().victims(of: entries)) == [1])
  }

  private static let unsetTimes: [Int64] = [
    0, 90, 40 * 86400, FileTimes.earliestTime - 1, -FileStatus.latestTime,
  ]

  @Test(arguments: unsetTimes)
  func responsesFromBeforeTheClockWasSetStayUntilOthersNeedTheSpace(stored: Int64) {
    let entries = [entry(1, megabytes: 20, age: time - stored), entry(2, megabytes: 10, age: 60)]
    #expect(!trim().isTooOld(stored))
    #expect(numbers(trim().victims(of: entries)) == [])
    #expect(numbers(trim().victims(of: entries, toFit: 3 << 20)) == [1])
  }

  @Test func responsesFromTheFirstPlausibleTimeOnAreTooOld() {
    #expect(trim().isTooOld(FileTimes.earliestTime))
  }

  @Test func responsesOfTheFutureStayAndCount() {
    let future = -50 * 365 * Self.day
    let entries = [
      entry(1, megabytes: 20, age: future), entry(2, megabytes: 10, age: 60),
      entry(3, megabytes: 2, age: future - 1),
    ]
    #expect(!trim().isTooOld(time - future))
    #expect(numbers(trim().victims(of: entries)) == [])
    #expect(numbers(trim().victims(of: entries, toFit: 11 << 20)) == [2, 1])
  }
}
