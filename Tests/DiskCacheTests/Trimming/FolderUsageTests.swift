import Testing
import VitrineConcurrency

@testable import VitrineDiskCache

/// The known contents of a folder, and the order of uses.
@Suite struct FolderUsageTests {
  private static func name(_ number: Int) -> ContentHash { ContentHash(high: 0, low: UInt64(number)) }

  /// Returns the result of a scan that found these files of one block each.
  private static func found(_ numbers: Range<Int>, isComplete: Bool = true) -> FolderSweep.Contents {
    var contents = FolderSweep.Contents()
    contents.entries = numbers.map {
      DiskTrim.Entry(name: name($0), bytes: 4096, stored: 0, used: 0)
    }
    contents.isComplete = isComplete
    return contents
  }

  private static func scanned(_ numbers: Range<Int>) -> FolderUsage {
    var usage = FolderUsage()
    usage.scanned(found(numbers), since: usage)
    return usage
  }

  private func limits(bytes: Int = 1 << 20, count: Int = .max) -> DiskImageCache.Limits {
    var limits = DiskImageCache.Limits()
    (limits.bytes, limits.count) = (bytes, count)
    return limits
  }

  @Test func contentsAreUnknownBeforeTheFirstScan() {
    var usage = FolderUsage()
    usage.stored(Self.name(1), length: 100, replacing: nil, at: 0)
    usage.removed(Self.name(1), bytes: 4096)

    #expect(usage.entries == 0 && usage.bytes == 0)
    #expect(usage.needsScan(for: limits(), at: 0))
  }

  @Test func storesAndRemovalsAreCountedAfterAScan() {
    var usage = Self.scanned(0..<3)

    usage.stored(Self.name(3), length: 5000, replacing: nil, at: 0)
    #expect(usage.entries == 4 && usage.bytes == 5 * 4096)
    usage.stored(Self.name(3), length: 100, replacing: 5000, at: 0)
    #expect(usage.entries == 4 && usage.bytes == 4 * 4096)
    usage.removed(Self.name(3), bytes: 4096)
    usage.removed(Self.name(2), bytes: nil)
    #expect(usage.entries == 3 && usage.bytes == 3 * 4096)
  }

  @Test func idleResponsesAreLookedForAtIntervalsAlsoAfterAnIncompleteTrim() {
    var limits = limits()
    limits.timeToIdle = 1000
    var usage = Self.scanned(0..<3)
    let (before, end) = (Int64(nanosecondsIn: 99.9), Int64(nanosecondsIn: 100))
    #expect(usage.needsIdleCheck(for: limits, at: 0) && usage.needsScan(for: limits, at: 0))
    for isComplete in [true, false] {
      usage.scanned(Self.found(0..<3, isComplete: isComplete), since: usage, trimmedAt: 0)
      #expect(!usage.needsIdleCheck(for: limits, at: before) && !usage.needsScan(for: limits, at: before))
      #expect(usage.needsIdleCheck(for: limits, at: end) && usage.needsScan(for: limits, at: end))
      // A scan that only counts changes nothing.
      usage.scanned(Self.found(0..<3), since: usage)
      #expect(usage.needsIdleCheck(for: limits, at: end))
    }
    limits.timeToIdle = .infinity
    #expect(!usage.needsIdleCheck(for: limits, at: .max))
  }

  @Test func countsAreNeverNegative() {
    var usage = Self.scanned(0..<1)

    usage.removed(Self.name(0), bytes: 8192)
    usage.removed(Self.name(0), bytes: 4096)

    #expect(usage.entries == 0 && usage.bytes == 0)
  }

  @Test func scanIsNeededBeyondALimit() {
    let usage = Self.scanned(0..<3)

    #expect(!usage.needsScan(for: limits(bytes: 3 * 4096, count: 3), at: 0))
    #expect(usage.needsScan(for: limits(bytes: 3 * 4096 - 1), at: 0))
    #expect(usage.needsScan(for: limits(count: 2), at: 0))
  }

  @Test func scanIsNeededAfterManyStores() {
    var usage = Self.scanned(0..<1)
    for number in 1...16 { usage.stored(Self.name(number), length: 4096, replacing: 4096, at: 0) }

    #expect(!usage.needsScan(for: limits(bytes: 16 * 16 * 4096), at: 0))
    usage.stored(Self.name(17), length: 4096, replacing: 4096, at: 0)
    #expect(usage.needsScan(for: limits(bytes: 16 * 16 * 4096), at: 0))
  }

  @Test func laterUseOfAFileHasALargerNumber() throws {
    var usage = FolderUsage()
    usage.used(Self.name(1), at: 0)
    usage.stored(Self.name(2), length: 1, replacing: nil, at: 0)
    usage.used(Self.name(1), at: 0)

    let (one, two) = (try #require(usage.uses[Self.name(1)]), try #require(usage.uses[Self.name(2)]))
    #expect(one.number > two.number)
    usage.removed(Self.name(1), bytes: nil)
    #expect(usage.uses == [Self.name(2): two])
  }

  @Test func scanForgetsUsesOfFilesThatDoNotExist() {
    var usage = FolderUsage()
    for number in 0..<4 { usage.used(Self.name(number), at: 0) }
    let before = usage
    usage.used(Self.name(9), at: 0)

    usage.scanned(Self.found(0..<2), since: before)

    #expect(
      Set(usage.uses.keys) == [Self.name(0), Self.name(1), Self.name(9)], "a use during the scan stays")
  }

  @Test func storesDuringAScanAreAdded() {
    var usage = Self.scanned(0..<2)
    let before = usage
    usage.stored(Self.name(2), length: 5000, replacing: nil, at: 0)

    usage.scanned(Self.found(0..<2), since: before)

    #expect(usage.entries == 2 && usage.bytes == 4 * 4096)
    #expect(
      usage.needsScan(for: limits(bytes: 16 * 8192 - 1), at: 0), "what was stored meanwhile still counts")
  }

  @Test func incompleteScanLeavesTheContentsUnchanged() {
    var usage = Self.scanned(0..<3)

    usage.scanned(Self.found(0..<1, isComplete: false), since: usage)

    #expect(usage.entries == 3 && usage.bytes == 3 * 4096)
  }

  @Test func incompleteScanForgetsOnlyTheUsesOfEvictedFiles() {
    var usage = FolderUsage()
    for number in 0..<4 { usage.used(Self.name(number), at: 0) }
    let before = usage
    usage.used(Self.name(1), at: 0)

    usage.scanned(
      Self.found(0..<1, isComplete: false), evicted: [Self.name(1), Self.name(2)], since: before)

    #expect(
      Set(usage.uses.keys) == [Self.name(0), Self.name(1), Self.name(3)],
      "a file that was not found may exist, and an evicted file may have been stored again")
  }

  @Test func contentsAreUnknownAfterAChangeFromOutside() {
    var usage = Self.scanned(0..<3)
    usage.used(Self.name(1), at: 0)

    usage.changedOutside()
    #expect(usage.needsScan(for: limits(), at: 0) && usage.uses.count == 1)
    usage.removedAll()
    #expect(usage.uses.isEmpty)
  }
}
