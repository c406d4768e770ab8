import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Directories, limits and removals of a disk cache, as an application uses them.
@Suite(.timeLimit(.minutes(5)), .serialized) struct DiskMaintenanceTests {
  let fixture = DiskFixture()

  private func storedNumbers(_ cache: DiskImageCache, of count: Int) -> [Int] {
    (0..<count).filter { cache.containsResponse(for: identity($0)) }
  }

  @Test("SD-C34 SD-C13 entries beyond the limit of bytes or age are removed and no longer counted")
  func expiredEntriesAreRemovedAndNotCounted() {
    let cache = fixture.cache()
    cache.store(storedResponse(20), for: identity(0))
    cache.limits.bytes = 10
    cache.removeExpiredResponses()
    #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))

    cache.limits.bytes = 1 << 20
    cache.limits.timeToLive = 1
    cache.store(storedResponse(1), for: identity(1))
    cache.removeExpiredResponses()
    #expect(cache.usage()?.count == 1)
    fixture.advance(by: 1)
    cache.removeExpiredResponses()
    #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))
  }

  @Test(
    "SD-C50 a purge for size goes below half of the limit if that is the purge level, not only to the limit",
    arguments: [(10, 0.5, 5), (9, 0.5, 4), (10, 0.9, 9)])
  func purgeForSizeContinuesToThePurgeLevel(limit: Int, level: Double, kept: Int) {
    let cache = fixture.cache {
      $0.bytes = limit * 4096
      $0.purgeLevel = level
    }
    for number in 0..<limit { cache.store(storedResponse(), for: identity(number)) }
    #expect(storedNumbers(cache, of: limit).count == limit, "the limit is not exceeded")

    cache.store(storedResponse(), for: identity(limit))
    #expect(storedNumbers(cache, of: limit + 1) == Array((limit + 1 - kept)...limit))
    #expect(cache.usage()?.bytes == kept * 4096)
  }

  /// Stores four responses, ten seconds apart.
  private func storeFour(_ cache: DiskImageCache) {
    for number in 0..<4 {
      cache.store(storedResponse(), for: identity(number))
      fixture.wait(10)
    }
  }

  /// Names a limit of `DiskImageCache`.
  enum Limit: CaseIterable {
    case count, bytes, age, freeBytes
  }

  @Test(
    "YY-B34 limits of count, bytes, age and free space remove what was used longest ago first",
    arguments: Limit.allCases)
  func limitsRemoveWhatWasUsedLongestAgoFirst(limit: Limit) {
    let system = FaultySystem()
    let cache = fixture.cache(on: system) { $0.purgeLevel = 1 }
    // With uses recorded every 6 s, an age of 60 s is exceeded after 66 s.
    cache.limits.timeToIdle = limit == .age ? 60 : .infinity
    storeFour(cache)
    fixture.wait(20)
    #expect(cache.response(for: identity(0)) != nil && cache.response(for: identity(2)) != nil)
    #expect(storedNumbers(cache, of: 4) == [0, 1, 2, 3])

    // 1 was used 50 s ago, 3 30 s ago.
    for (seconds, kept) in [(16.0, [0, 2, 3]), (20, [0, 2])] {
      switch limit {
      case .count: cache.limits.count = kept.count
      case .bytes: cache.limits.bytes = kept.count * 4096
      case .age: fixture.wait(seconds)
      case .freeBytes:
        // No space is free after the removal either.
        system.fillDisk()
        (cache.limits.freeBytes, cache.limits.guaranteedBytes) = (4096, 2 * 4096)
      }
      cache.trim()
      #expect(storedNumbers(cache, of: 4) == kept)
    }
    if limit == .freeBytes {
      cache.trim()
      #expect(storedNumbers(cache, of: 4) == [0, 2], "as many bytes as are guaranteed stay")
    }
    #expect(cache.statistics.evictions == 2)
  }

  @Test("SD-C51 a response that is read becomes the newest; limits evict the oldest first")
  func limitsEvictTheOldestResponsesFirst() {
    let cache = fixture.cache { $0.purgeLevel = 1 }
    storeFour(cache)
    #expect(cache.response(for: identity(0)) != nil)
    cache.limits.count = 3
    cache.trim()
    #expect(storedNumbers(cache, of: 4) == [0, 2, 3])

    cache.limits.bytes = 2 * 4096
    cache.trim()
    #expect(storedNumbers(cache, of: 4) == [0, 3])

    cache.limits.timeToLive = 35
    cache.trim()
    #expect(storedNumbers(cache, of: 4) == [3])
  }

  @Test("SD-C27 a directory that cannot be created is reported as a fault")
  func directoryThatCannotBeCreatedIsReported() throws {
    let file = "\(fixture.folder)/file"
    try Data([1]).write(to: URL(fileURLWithPath: file))
    let cache = fixture.cache("\(file)/cache")

    #expect(!cache.store(storedResponse(), for: identity(0)))

    #expect(cache.fault == .refused(path: "\(file)/cache", code: ENOTDIR))
    #expect(cache.response(for: identity(0)) == nil)
  }

  @Test("SD-C31 a new default directory applies to new caches, and nil restores the usual one")
  func newDefaultDirectoryAppliesToNewCaches() {
    let usual = DiskImageCache.defaultDirectory
    DiskImageCache.defaultDirectory = "\(fixture.folder)/mine"
    #expect(DiskImageCache()?.directory == "\(fixture.folder)/mine")

    DiskImageCache.defaultDirectory = nil

    #expect(DiskImageCache.defaultDirectory == usual)
    #expect(CacheDirectory.standard { $0 == "HOME" ? "/home/a" : nil } == "/home/a/.cache/vitrine")
    #expect(DiskImageCache()?.directory == usual)
  }

  @Test("SD-C33 a hundred files are moved from another directory, which is then removed")
  func filesAreMovedFromAnotherDirectory() {
    let old = "\(fixture.folder)/old"
    let first = fixture.cache(old)
    for number in 0..<100 { first.store(storedResponse(), for: identity(number)) }
    let second = fixture.cache("\(fixture.folder)/new/place")
    second.store(storedResponse(seed: 9), for: identity(0))

    #expect(second.moveEntries(from: old) == 99)

    #expect(!FileManager.default.fileExists(atPath: old))
    #expect(storedNumbers(second, of: 100) == Array(0..<100))
    #expect(second.response(for: identity(0)) == storedResponse(seed: 9))
    #expect(second.response(for: identity(7)) == storedResponse())
    #expect(second.usage()?.count == 100)
    #expect(second.moveEntries(from: old) == 0)
    #expect(second.moveEntries(from: second.directory) == 0)
    #expect(storedNumbers(second, of: 100).count == 100)
  }

  @Test("a directory with other files stays when the cache is moved to another directory")
  func directoryWithOtherFilesStays() throws {
    let old = "\(fixture.folder)/old"
    fixture.cache(old).store(storedResponse(), for: identity(0))
    try Data([1]).write(to: URL(fileURLWithPath: "\(old)/notes"))

    #expect(fixture.cache("\(fixture.folder)/new").moveEntries(from: old) == 1)

    #expect(try FileManager.default.contentsOfDirectory(atPath: old) == ["notes"])
  }

  @Test(
    "responses that cannot be listed or moved stay in their directory and can be moved later",
    arguments: [(.names, 1), (.open, 3), (.rename, 1), (.read, 2), (.write, 2), (.close, 1)]
      as [(FaultySystem.Call, Int)])
  func responsesThatCannotBeMovedStay(call: FaultySystem.Call, number: Int) {
    let (old, new) = ("\(fixture.folder)/old", "\(fixture.folder)/new")
    let first = fixture.cache(old)
    // The first bytes of a copy are written before the disk is full.
    let response = storedResponse(EntryMove.chunkBytes + 1)
    for number in 0..<3 { first.store(response, for: identity(number)) }
    let system = FaultySystem()
    system.separateFolders()
    system.fail(call, numbers: number ... .max, with: .error(ENOSPC))

    #expect(fixture.cache(new, hash: { ContentHash($0) }, system: system).moveEntries(from: old) == 0)

    #expect(system.hasFailed)
    #expect(storedNumbers(fixture.cache(old), of: 3) == [0, 1, 2])
    let second = fixture.cache(new)
    #expect(second.moveEntries(from: old) == 3)
    for number in 0..<3 { #expect(second.response(for: identity(number)) == response) }
    #expect(!FileManager.default.fileExists(atPath: old))
  }

  @Test("responses are copied to another file system with their age, and the originals are removed")
  func responsesAreCopiedToAnotherFileSystem() {
    let (old, secret) = ("\(fixture.folder)/old", identity("secret.jpg", headers: ["Cookie": "session=1"]))
    let first = fixture.cache(old)
    let response = storedResponse(2 * EntryMove.chunkBytes)
    first.store(response, for: identity(0))
    first.store(storedResponse(seed: 2), for: secret)
    fixture.advance(by: 100)
    let system = FaultySystem()
    system.separateFolders()
    let cache = fixture.cache("\(fixture.folder)/new", hash: { ContentHash($0) }, system: system)

    #expect(cache.moveEntries(from: old) == 2)

    #expect(!FileManager.default.fileExists(atPath: old))
    #expect(cache.response(for: identity(0)) == response)
    #expect(cache.response(for: secret) == storedResponse(seed: 2))
    #expect(system.calls.contains(.synchronize))
    cache.limits.timeToLive = 101
    cache.trim()
    #expect(cache.usage()?.count == 2)
    cache.limits.timeToLive = 100
    cache.trim()
    #expect(cache.usage()?.count == 0)
  }

  @Test("no responses are moved to a directory of another user")
  func directoryOfAnotherUserReceivesNoResponses() throws {
    let (old, new) = ("\(fixture.folder)/old", "\(fixture.folder)/new")
    fixture.cache(old).store(storedResponse(), for: identity(0))
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
    let system = FaultySystem()
    system.changeStatus { $0.st_uid = 12345 }
    let cache = fixture.cache(new, hash: { ContentHash($0) }, system: system)

    #expect(cache.moveEntries(from: old) == 0)

    #expect(cache.fault == .ownedByAnotherUser(path: new))
    #expect(fixture.cache(old).response(for: identity(0)) == storedResponse())
  }

  @Test("YY-B35 a file deleted by another program is a miss and is no longer counted")
  func deletedFileIsAMissAndNotCounted() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(0))
    try FileManager.default.removeItem(atPath: fixture.files[0])

    #expect(cache.response(for: identity(0)) == nil)
    #expect(!cache.containsResponse(for: identity(0)))
    #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))
  }

  @Test("YY-B36 a directory has one instance while any exists") func directoryHasOneInstance() {
    let first = DiskImageCache.instance(directory: fixture.folder)
    #expect(DiskImageCache.instance(directory: fixture.folder) === first)
    #expect(DiskImageCache.instance(directory: fixture.folder + "/") === first)
    #expect(DiskImageCache.instance(directory: fixture.folder + "/other") !== first)
  }

  @Test("YY-B38 a cache whose files are all damaged is empty and usable")
  func cacheOfDamagedFilesIsEmptyAndUsable() throws {
    let cache = fixture.cache()
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    for file in fixture.files { try Data(repeating: 0xAB, count: 500).write(to: URL(fileURLWithPath: file)) }

    let next = fixture.cache()
    for number in 0..<5 { #expect(next.response(for: identity(number)) == nil) }

    #expect(next.usage()?.count == 0)
    #expect(next.store(storedResponse(), for: identity(0)))
    #expect(next.response(for: identity(0)) == storedResponse())
  }

  @Test("YY-B37 removing everything reports each of a few files, and about a hundred steps for many files")
  func removingEverythingReportsProgress() {
    let cache = fixture.cache()
    for number in 0..<250 { cache.store(storedResponse(), for: identity(number)) }
    var steps: [Int] = []

    var totals: Set<Int> = []
    let isComplete = cache.removeAllResponses { removed, total in
      totals.insert(total)
      steps.append(removed)
    }

    #expect(isComplete && totals == [250])
    #expect(steps == Array(stride(from: 2, through: 250, by: 2)))
    #expect(cache.fault == nil)
    #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))
    #expect(fixture.everything.isEmpty)
  }

  @Test("a file that another process has removed does not make a removal or a trim incomplete")
  func fileThatIsMissingDoesNotMakeARemovalIncomplete() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }

    cache.limits.count = 2
    system.fail(.remove, with: .error(ENOENT))
    cache.trim()
    #expect(system.hasFailed && cache.statistics.failures == 0 && cache.statistics.evictions == 1)

    system.fail(.remove, with: .error(ENOENT))
    let isComplete = cache.removeAllResponses { _, _ in
    }
    #expect(isComplete)
    #expect(system.hasFailed && fixture.files.isEmpty)
  }

  @Test("a removal is incomplete if the folder cannot be read", arguments: [EIO, EMFILE])
  func removalOfAFolderThatCannotBeReadIsIncomplete(code: Int32) {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(), for: identity(0))

    for call in [FaultySystem.Call.open, .names] {
      system.fail(call, with: .error(code))
      let isComplete = cache.removeAllResponses { _, _ in
      }
      #expect(!isComplete, "\(call)")
      cache.store(storedResponse(), for: identity(0))
    }
  }

  @Test(
    "everything is removed before the next access if the folder cannot be read for a moment",
    arguments: [FaultySystem.Call.open, .names])
  func removalIsMadeLaterIfTheFolderCannotBeRead(call: FaultySystem.Call) {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    system.fail(call, with: .error(EMFILE))

    cache.removeAllResponses()
    #expect(system.hasFailed && fixture.files.count == 3)

    #expect(cache.response(for: identity(0)) == nil)
    #expect(fixture.files.isEmpty)
    #expect(cache.store(storedResponse(seed: 2), for: identity(0)))
    #expect(cache.response(for: identity(0)) == storedResponse(seed: 2), "the removal is not repeated")
  }

  @Test("a store after a removal that could not be made removes everything else")
  func storeMakesADelayedRemovalFirst() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(), for: identity(0))
    system.fail(.open, with: .error(EMFILE))
    cache.removeAllResponses()

    #expect(cache.store(storedResponse(), for: identity(1)))

    #expect(fixture.files.count == 1 && cache.response(for: identity(0)) == nil)
  }

  @Test("a removal that keeps failing is given up after a minute, and nothing is found until then")
  func delayedRemovalIsGivenUp() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(), for: identity(0))
    system.fail(.names, number: FaultySystem.always, with: .error(EMFILE))
    cache.removeAllResponses()

    #expect(cache.response(for: identity(0)) == nil)
    #expect(!cache.store(storedResponse(), for: identity(1)))
    fixture.clock.advance(by: DelayedRemoval.seconds)

    #expect(cache.response(for: identity(0)) == storedResponse())
    #expect(cache.store(storedResponse(), for: identity(1)))
  }

  @Test func removalRequestedDuringADelayedRemovalIsMadeAsWell() throws {
    var removal = DelayedRemoval()
    removal.request(at: 0)
    let first = try #require(removal.number)
    removal.request(at: 1)

    removal.end(first)

    let second = try #require(removal.number)
    let isGivenUp = removal.fail(first, at: .max)
    #expect(!isGivenUp && second != first)
    removal.end(second)
    #expect(removal.number == nil)
  }

  @Test("a missing folder counts as empty also after a failed system call")
  func missingFolderIsEmptyAfterAFault() {
    let system = FaultySystem()
    let cache = fixture.cache("\(fixture.folder)/new", hash: { ContentHash($0) }, system: system)
    system.fail(.makeFolder, with: .error(EROFS))
    #expect(!cache.store(storedResponse(), for: identity(0)))
    #expect(cache.fault != nil)

    let isComplete = cache.removeAllResponses { _, _ in
    }

    #expect(isComplete)
  }

  @Test("a removal is incomplete if an incomplete response cannot be removed")
  func removalThatLeavesAnIncompleteResponseIsIncomplete() throws {
    let cache = fixture.cache()
    #expect(cache.storeIncomplete(storedResponse(70_000), for: identity(9)))
    #expect(cache.removeAllResponses { _, _ in })
    #expect(fixture.everything.isEmpty)

    let folder = "\(fixture.root)/\(CacheFolder.incompleteFolder)/" + String(repeating: "0", count: 32)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(!cache.removeAllResponses { _, _ in })
  }

  @Test("a removal is incomplete if the folder of incomplete responses cannot be read")
  func removalThatCannotReadIncompleteResponsesIsIncomplete() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    #expect(cache.storeIncomplete(storedResponse(70_000), for: identity(9)))
    system.refuse(CacheFolder.incompleteFolder, with: EACCES)
    #expect(!cache.removeAllResponses { _, _ in })
  }

  @Test func trimReportsEachResponseThatExceedsTheLimits() {
    let cache = fixture.cache()
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    cache.limits.count = 2
    var steps: [[Int]] = []
    cache.trim { steps.append([$0, $1]) }
    #expect(steps.map { $0[0] } == Array(1...steps.count) && steps.allSatisfy { $0[1] == steps.count })
    #expect(steps.count == 5 - cache.measured().entries && steps.count >= 3)
  }

  @Test("the last progress of a removal is below the total if a file cannot be removed")
  func lastProgressOfAnIncompleteRemovalIsBelowTheTotal() throws {
    let cache = fixture.cache()
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    // A folder with the name of a response.
    let folder = "\(fixture.root)/0/" + String(repeating: "0", count: 32)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var steps: [[Int]] = []

    let isComplete = cache.removeAllResponses { steps.append([$0, $1]) }

    #expect(!isComplete)
    #expect(steps.last == [3, 4])
    #expect(fixture.files.isEmpty)
  }
}
