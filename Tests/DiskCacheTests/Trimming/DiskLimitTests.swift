import Foundation
import Glibc
import Synchronization
import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Eviction by bytes, count and age, and removal of leftover files.
@Suite(.timeLimit(.minutes(5))) struct DiskLimitTests {
  let fixture = DiskFixture()

  /// Returns the numbers of the responses below `count` that are in the cache.
  private func storedNumbers(_ cache: DiskImageCache, of count: Int) -> [Int] {
    (0..<count).filter { cache.containsResponse(for: identity($0)) }
  }

  @Test func byteLimitHoldsAfterEachStore() {
    let cache = fixture.cache { $0.bytes = 10 * 4096 }
    for number in 0..<50 {
      #expect(cache.store(storedResponse(), for: identity(number)))
      #expect(cache.statistics.bytes <= 10 * 4096)
      #expect(fixture.files.count <= 10)
    }
    // Every second store purges the cache to nine responses.
    #expect(storedNumbers(cache, of: 50) == Array(40..<50))
    #expect(cache.statistics.evictions == 40)
    #expect(cache.statistics.entries == 10 && cache.statistics.bytes == 10 * 4096)
  }

  @Test func byteLimitHoldsWhileAChildProcessInheritsTheLockedFolder() {
    let system = FaultySystem()
    system.forkAfterLocking()
    let cache = fixture.cache(on: system) { $0.bytes = 10 * 4096 }
    for number in 0..<20 {
      #expect(cache.store(storedResponse(), for: identity(number)))
      #expect(cache.statistics.bytes <= 10 * 4096)
    }
    #expect(storedNumbers(cache, of: 20) == Array(10..<20))
  }

  @Test func exceededCountLimitPurgesToThePurgeLevel() {
    let cache = fixture.cache {
      $0.count = 4
      $0.purgeLevel = 0.5
    }
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    #expect(storedNumbers(cache, of: 5) == [3, 4])
  }

  @Test func leastRecentlyUsedResponseIsEvictedFirst() {
    let cache = fixture.cache {
      $0.count = 3
      $0.purgeLevel = 1
    }
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    #expect(cache.response(for: identity(0)) != nil)
    // `containsResponse(for:)` does not count as a use.
    #expect(cache.containsResponse(for: identity(1)))
    cache.store(storedResponse(), for: identity(3))
    #expect(storedNumbers(cache, of: 4) == [0, 2, 3])
  }

  @Test func useTimesPersistToTheDay() throws {
    let first = fixture.cache()
    for number in 0..<3 {
      first.store(storedResponse(), for: identity(number))
      fixture.advance(by: 100)
    }
    fixture.advance(by: 86_400)
    #expect(first.response(for: identity(0)) != nil)
    let second = fixture.cache {
      $0.count = 2
      $0.purgeLevel = 1
    }
    second.trim()
    #expect(storedNumbers(second, of: 3) == [0, 2])
    #expect(second.statistics.evictions == 1)
  }

  @Test func aHitWritesNothingWithinTheDay() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    let path = try #require(fixture.files.first)
    let changed = { () -> [Int] in
      var status = stat()
      _ = stat(path, &status)
      return [status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_atim.tv_sec, status.st_mtim.tv_sec]
    }
    let before = changed()
    for _ in 0..<3 {
      fixture.advance(by: 28_000)
      #expect(cache.response(for: identity(1)) != nil)
    }
    #expect(changed() == before)
    fixture.advance(by: 2400)
    #expect(cache.response(for: identity(1)) != nil)
    #expect(changed()[2] == 1_800_086_400 && changed()[3] == 1_800_000_000)
  }

  @Test func tooLargeResponseIsRefusedAndRemovesTheOldResponse() {
    let cache = fixture.cache { $0.bytes = 8192 }
    cache.store(storedResponse(), for: identity(1))
    #expect(!cache.store(storedResponse(9000), for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.statistics.refusals == 1 && cache.fault == nil)
  }

  @Test func responseAsLargeAsTheLimitIsStored() {
    let cache = fixture.cache { $0.bytes = 8192 }
    #expect(cache.store(storedResponse(7000), for: identity(1)))
    #expect(cache.store(storedResponse(7000), for: identity(2)))
    #expect(storedNumbers(cache, of: 3) == [2])
  }

  @Test(arguments: [0, -1, Int.min])
  func limitsOfZeroOrLessStoreNothing(odd: Int) {
    let caches = [
      fixture.cache { $0.bytes = odd }, fixture.cache { $0.count = odd },
      fixture.cache { $0.timeToLive = Double(odd) },
    ]
    for cache in caches {
      cache.store(storedResponse(), for: identity(1))
      #expect(cache.response(for: identity(1)) == nil)
    }
    let free = fixture.cache { $0.freeBytes = odd }
    #expect(free.store(storedResponse(), for: identity(1)))
  }

  @Test(arguments: [Double.nan, -1, 0, 7, Double.infinity])
  func oddPurgeLevelKeepsTheNewestResponse(level: Double) {
    let cache = fixture.cache {
      $0.count = 3
      $0.purgeLevel = level
    }
    for number in 0..<20 { #expect(cache.store(storedResponse(), for: identity(number))) }
    #expect(storedNumbers(cache, of: 20).last == 19 && storedNumbers(cache, of: 20).count <= 3)
  }

  @Test func smallerLimitsApplyAtTheNextTrim() {
    let cache = fixture.cache()
    for number in 0..<10 { cache.store(storedResponse(), for: identity(number)) }
    cache.limits.count = 2
    cache.limits.purgeLevel = 1
    #expect(storedNumbers(cache, of: 10).count == 10)
    cache.trim()
    #expect(storedNumbers(cache, of: 10) == [8, 9])
  }

  @Test("SD-C34 responses that are too large or too old are gone after a trim, and the totals are 0")
  func trimRemovesTooLargeAndTooOldResponses() {
    let cache = fixture.cache()
    cache.store(storedResponse(20), for: identity(1))
    cache.limits.bytes = 10
    cache.trim()
    #expect(cache.measured().entries == 0 && cache.statistics.bytes == 0)
    cache.limits = DiskImageCache.Limits()
    cache.limits.freeBytes = 0
    cache.limits.timeToLive = 1
    cache.store(storedResponse(1), for: identity(1))
    fixture.advance(by: 1)
    cache.trim()
    #expect(cache.measured().entries == 0 && fixture.files.isEmpty)
  }

  @Test func expiredResponseIsAMissBeforeATrim() {
    let cache = fixture.cache { $0.timeToLive = 60 }
    cache.store(storedResponse(), for: identity(1))
    fixture.advance(by: 59)
    #expect(cache.response(for: identity(1)) != nil)
    fixture.advance(by: 1)
    #expect(!cache.containsResponse(for: identity(1)) && fixture.files.isEmpty)
    #expect(cache.statistics.evictions == 1)
  }

  @Test func useDoesNotExtendTheTimeToLive() {
    let cache = fixture.cache { $0.timeToLive = 10_000 }
    cache.store(storedResponse(), for: identity(1))
    for _ in 0..<9 {
      fixture.advance(by: 1111)
      #expect(cache.response(for: identity(1)) != nil)
    }
    fixture.advance(by: 1111)
    #expect(cache.response(for: identity(1)) == nil)
  }

  // MARK: Time without a use

  @Test func idleResponseIsRemovedByATrimUnlessItIsUsedFirst() {
    let cache = fixture.cache { $0.timeToIdle = 1000 }
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    fixture.wait(1099)
    cache.trim()
    #expect(storedNumbers(cache, of: 3) == [0, 1, 2], "a use may be a tenth later than recorded")

    fixture.wait(1)
    #expect(cache.response(for: identity(1)) != nil)
    cache.trim()
    #expect(storedNumbers(cache, of: 3) == [1])
    // Another process knows of the use.
    let other = fixture.cache { $0.timeToIdle = 1000 }
    fixture.wait(1099)
    other.trim()
    #expect(storedNumbers(other, of: 3) == [1])
    fixture.wait(1)
    other.trim()
    #expect(fixture.files.isEmpty)
  }

  @Test func responsesUsedBeforeTheClockWasSetAreNotIdle() {
    let first = fixture.cache()
    for number in 0..<3 { first.store(storedResponse(), for: identity(number)) }
    let cache = fixture.cache { $0.timeToIdle = 86_400 }
    #expect(cache.response(for: identity(0)) != nil)
    // The clock of a device without a battery goes on from its last shutdown until the network sets it.
    fixture.advance(by: 30 * 86_400)
    cache.trim()
    #expect(storedNumbers(cache, of: 3) == [0])

    fixture.wait(2 * 86_400)
    cache.trim()
    #expect(fixture.files.isEmpty)
  }

  @Test func storesLookForIdleResponsesAtIntervals() {
    let cache = fixture.cache { $0.timeToIdle = 1000 }
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    fixture.wait(1099)
    cache.store(storedResponse(), for: identity(3))
    #expect(storedNumbers(cache, of: 4) == [0, 1, 2, 3])
    fixture.wait(99)
    cache.store(storedResponse(), for: identity(4))
    #expect(storedNumbers(cache, of: 5) == [0, 1, 2, 3, 4], "the last look was 99 s ago")
    fixture.wait(1)
    cache.store(storedResponse(), for: identity(5))
    #expect(storedNumbers(cache, of: 6) == [3, 4, 5])
  }

  @Test func scansThatOnlyCountDoNotPostponeTheLook() {
    let cache = fixture.cache { $0.timeToIdle = 1000 }
    cache.store(storedResponse(), for: identity(0))
    for _ in 0..<22 {
      fixture.wait(50)
      #expect(cache.measured().entries == 1)
    }
    cache.store(storedResponse(), for: identity(1))
    #expect(storedNumbers(cache, of: 2) == [1])
  }

  @Test func revalidationsLookForIdleResponses() {
    let cache = fixture.cache { $0.timeToIdle = 1000 }
    for number in 0..<2 { cache.store(storedResponse(), for: identity(number)) }
    fixture.wait(1100)
    let response = storedResponse()
    #expect(cache.update(response, of: BodyDigest(ContentHash(response.body)), for: identity(1)))
    #expect(storedNumbers(cache, of: 2) == [1])
  }

  @Test func revalidationsDoNotScanTheFolderOtherwise() {
    let system = FaultySystem()
    fixture.cache().store(storedResponse(), for: identity(1))
    for timeToIdle in [1000, Double.infinity] {
      let cache = fixture.cache(on: system) { ($0.timeToIdle, $0.bytes) = (timeToIdle, 8192) }
      let response = storedResponse()
      let scans = system.counts[.names] ?? 0
      for _ in 0..<20 {
        #expect(cache.update(response, of: BodyDigest(ContentHash(response.body)), for: identity(1)))
      }
      // One scan lists the folder and its subfolder.
      #expect((system.counts[.names] ?? 0) - scans == (timeToIdle == 1000 ? 2 : 0))
    }
  }

  @Test func fileSystemThatKeepsOnlyTheDayIsWrittenOncePerInterval() {
    fixture.cache().store(storedResponse(), for: identity(1))
    let system = FaultySystem()
    system.changeStatus { $0.st_atim.tv_sec = 1_799_971_200 }
    let cache = fixture.cache(on: system) { $0.timeToIdle = 3600 }
    for use in 0..<10 {
      fixture.wait(90)
      #expect(cache.response(for: identity(1)) != nil)
      // One record in 360 s.
      #expect(system.counts[.setTimesOfName] == use / 4 + 1)
    }
    cache.trim()
    #expect(fixture.files.count == 1, "the use counts nevertheless")
  }

  @Test func usesAreRecordedAtATenthOfTheTimeAndAtMostOnceADay() {
    var limits = DiskImageCache.Limits()
    for (time, interval) in [
      (Double.infinity, 86_400), (1e300, 86_400), (864_000, 86_400), (1000, 100), (5, 0), (0, 0), (-1, 0),
      (.nan, 0), (-.infinity, 0),
    ] as [(Double, Int64)] {
      limits.timeToIdle = time
      #expect(limits.useInterval == interval, "\(time)")
    }
  }

  @Test(arguments: [Double.nan, -1, 0, -Double.infinity])
  func timeWithoutAUseOfZeroOrLessRemovesAllAtATrim(odd: Double) {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    cache.limits.timeToIdle = odd
    #expect(cache.response(for: identity(1)) != nil)
    cache.trim()
    #expect(fixture.files.isEmpty)

    cache.store(storedResponse(), for: identity(1))
    fixture.wait(59)
    cache.store(storedResponse(), for: identity(2))
    #expect(fixture.files.count == 2)
    fixture.wait(1)
    cache.store(storedResponse(), for: identity(3))
    #expect(fixture.files.isEmpty, "a store looks once a minute")
  }

  @Test(arguments: [0, 1_700_000_000, 2_200_000_000])
  func useByAWrongClockIsOfUnknownAge(time: Double) {
    let cache = fixture.cache { $0.timeToIdle = 100 }
    fixture.wallClock.withLock { $0 = time }
    cache.store(storedResponse(), for: identity(1))
    fixture.wallClock.withLock { $0 = 1_900_000_000 }
    cache.trim()
    #expect(fixture.files.count == 1)
    #expect(cache.response(for: identity(1)) != nil)
    fixture.wait(110)
    cache.trim()
    #expect(fixture.files.isEmpty, "a use after the clock was set counts")
  }

  // MARK: Clocks

  @Test(arguments: [Double.nan, -Double.infinity, -1, 0, 5, 1e9, 4e9, 1e300, Double.infinity])
  func clockJumpEvictsNothing(time: Double) {
    let cache = fixture.cache { $0.timeToLive = 1e12 }
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    fixture.wallClock.withLock { $0 = time }
    let other = fixture.cache { $0.timeToLive = 1e12 }
    #expect(other.response(for: identity(0)) != nil)
    other.trim()
    #expect(storedNumbers(other, of: 5) == [0, 1, 2, 3, 4])
    #expect(other.store(storedResponse(), for: identity(5)))
    fixture.wallClock.withLock { $0 = 1_800_000_000 }
    cache.trim()
    #expect(storedNumbers(cache, of: 6) == [0, 1, 2, 3, 4, 5])
  }

  @Test func responseStoredWhileTheClockWasAheadIsEvicted() {
    fixture.advance(by: 10 * 365 * 86400)
    fixture.cache().store(storedResponse(), for: identity(0))
    fixture.advance(by: -10 * 365 * 86400)
    fixture.cache().store(storedResponse(), for: identity(1))
    let cache = fixture.cache {
      $0.count = 2
      $0.purgeLevel = 1
    }
    cache.store(storedResponse(), for: identity(2))
    #expect(storedNumbers(cache, of: 3) == [1, 2])
  }

  @Test func responseUsedInThisRunStaysUnderAClockOf1970() {
    let first = fixture.cache()
    for number in 0..<3 {
      first.store(storedResponse(), for: identity(number))
      fixture.advance(by: 10)
    }
    fixture.wallClock.withLock { $0 = 10 }
    let cache = fixture.cache {
      $0.count = 3
      $0.purgeLevel = 1
    }
    #expect(cache.response(for: identity(0)) != nil)
    cache.store(storedResponse(), for: identity(3))
    #expect(storedNumbers(cache, of: 4) == [0, 2, 3])
  }

  // MARK: Leftovers

  /// Creates a temporary file of 10,000 bytes, as a writer does.
  private func halfWritten(_ name: String = "abc") throws -> String {
    fixture.cache().store(storedResponse(), for: identity(1))
    let shard = try #require(fixture.files.first?.split(separator: "/").dropLast().joined(separator: "/"))
    let path = "/\(shard)/\(TemporaryFile.prefix)\(name)"
    try Data(count: 10_000).write(to: URL(filePath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_800_000_000)], ofItemAtPath: path)
    return path
  }

  @Test func leftoversOfADeadWriterAreRemovedAtOnce() throws {
    let half = try halfWritten()
    let old = fixture.root + "/\(RemovedFolder.prefix)abc"
    let manager = FileManager.default
    try manager.createDirectory(atPath: old, withIntermediateDirectories: false)
    try Data([1]).write(to: URL(filePath: old + "/0123"))
    let cache = fixture.cache()

    cache.trim()

    #expect(!manager.fileExists(atPath: half) && !manager.fileExists(atPath: old))
    #expect(cache.response(for: identity(1)) != nil)
  }

  @Test func temporaryFileOfALivingWriterCountsAndStaysForAnHour() throws {
    let half = try halfWritten()
    // Holds the lock as the writer does.
    let file = open(half, O_RDONLY)
    defer { close(file) }
    #expect(flock(file, LOCK_EX) == 0)
    let cache = fixture.cache { $0.bytes = 21_000 }

    #expect(cache.measured().bytes == 4096 + 12_288)
    #expect(cache.statistics.entries == 1)
    cache.store(storedResponse(4500), for: identity(2))
    #expect(access(half, F_OK) == 0)
    #expect(storedNumbers(cache, of: 3) == [2], "4 + 8 + 12 KiB are more than 21,000 bytes")
    fixture.advance(by: 3601)
    cache.trim()
    #expect(access(half, F_OK) != 0)
  }

  @Test(arguments: ["v1", "v2"]) func onlyCacheFilesOfAnOlderVersionAreRemoved(version: String) throws {
    let old = "\(fixture.folder)/\(version)"
    let shard = old + "/ab"
    let manager = FileManager.default
    try manager.createDirectory(atPath: shard, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: shard + "/ab" + String(repeating: "0", count: 30)))
    for folder in ["gone", "incomplete"] {
      try manager.createDirectory(atPath: "\(old)/\(folder)", withIntermediateDirectories: true)
      try Data([1]).write(to: URL(filePath: "\(old)/\(folder)/all"))
    }
    for file in ["key", "locks"] { try Data([1]).write(to: URL(filePath: "\(old)/\(file)")) }
    let cache = fixture.cache()
    #expect(cache.response(for: identity(1)) == nil && manager.fileExists(atPath: shard))
    cache.store(storedResponse(), for: identity(1))
    #expect(!manager.fileExists(atPath: old))
    #expect(cache.response(for: identity(1)) == storedResponse())

    try manager.createDirectory(atPath: shard, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: old + "/README"))
    fixture.cache().store(storedResponse(), for: identity(2))
    #expect(try manager.contentsOfDirectory(atPath: old) == ["README"])
  }

  @Test func filesOfOtherProgramsAreKept() throws {
    let cache = fixture.cache { $0.count = 1 }
    cache.store(storedResponse(), for: identity(1))
    let paths = [fixture.folder + "/mine", fixture.root + "/README", fixture.root + "/ab.bak"]
    for path in paths { try Data([1]).write(to: URL(filePath: path)) }
    cache.store(storedResponse(), for: identity(2))
    cache.trim()
    cache.removeAllResponses()
    for path in paths { #expect(FileManager.default.fileExists(atPath: path)) }
  }
}
