import Foundation
import Glibc
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The byte limit, free space, and how much is written.
@Suite(.timeLimit(.minutes(5))) struct PixelLimitTests {
  let fixture = DiskFixture()
  private static let limit = 1 << 20

  private func cache(on system: any DiskSystem = LinuxDiskSystem()) -> DiskPixelCache {
    fixture.pixels(on: system) { $0.bytes = Self.limit }
  }

  /// Stores or finds tiles of 64x64 pixels. Returns the numbers of tiles that were found.
  private func show(_ numbers: Range<Int>, _ cache: DiskPixelCache, every seconds: Double = 0) -> [Int] {
    numbers.filter { number in
      fixture.clock.advance(by: seconds)
      fixture.advance(by: seconds)
      if cache.find(number) != nil { return true }
      cache.put(number, width: 64, height: 64)
      return false
    }
  }

  @Test func limitIsKept() {
    for round in 0..<5 {
      _ = show(round * 100..<(round + 1) * 100, cache())
      #expect(cache().usage().bytes <= Self.limit)
    }
    // Caches that start now have used nothing yet, so that the newest images replace the oldest.
    #expect(cache().find(0) == nil)
    let large = pixelImage(300, 300)
    #expect(!cache().store(large, isAnimated: false, for: pixelKey(1), of: body(1)))
  }

  @Test func newImagesReplacePacksThatWereUsedLongAgo() {
    let cache = cache()
    _ = show(0..<100, cache)
    let kept = show(0..<100, cache, every: 1)
    #expect(kept.count > 40 && kept == Array(0..<kept.count))
    // The tiles of the first pack are shown again later.
    fixture.clock.advance(by: PackTrim.protectedSeconds)
    #expect(show(0..<3, cache).count == 3)

    #expect(cache.put(200, width: 64, height: 64))

    #expect(cache.statistics.evictions == 1)
    #expect(kept.filter { cache.find($0) == nil } == [3, 4, 5])
  }

  @Test func slideshowLargerThanTheLimitStopsWriting() {
    let cache = cache()
    _ = show(0..<100, cache, every: 5)
    let (stores, found) = (cache.statistics.stores, show(0..<100, cache, every: 5))
    #expect(found.count > 40)
    for _ in 0..<8 {
      #expect(show(0..<100, cache, every: 5) == found)
    }
    #expect(cache.statistics.stores == stores && cache.statistics.evictions == 0)
  }

  @Test func slowSlideshowWritesAtMostTheLimitEachDay() {
    let cache = cache()
    // Each image is shown once in 100 minutes, longer than packs are protected.
    for _ in 0..<14 { _ = show(0..<100, cache, every: 60) }
    let days = 14 * 100 * 60 / 86400 + 1
    #expect(cache.statistics.stores * 64 * 64 * 4 <= (days + 1) * Self.limit)
    #expect(cache.statistics.stores > 0 && cache.usage().bytes <= Self.limit)
  }

  @Test func showingTheSameImagesForAnHourWritesNothing() {
    _ = show(0..<30, cache())
    let system = FaultySystem()
    let cache = cache(on: system)
    for _ in 0..<120 { #expect(show(0..<30, cache, every: 1).count == 30) }
    for call in [FaultySystem.Call.write, .writeAt, .setTimes, .setTimesOfName, .truncate, .rename] {
      #expect(system.counts[call] == nil, "\(call.rawValue)")
    }
  }

  @Test func usesAreRecordedOnceADayForEachPack() {
    _ = show(0..<30, cache())
    let system = FaultySystem()
    let cache = cache(on: system)
    for day in 1...3 {
      fixture.clock.advance(by: 86400)
      fixture.advance(by: 86400)
      for _ in 0..<5 { #expect(show(0..<30, cache).count == 30) }
      #expect(system.counts[.setTimes] == day * fixture.packPaths.count)
    }
  }

  @Test func packsOfEarlierProcessesAreFilled() {
    for number in 0..<20 { #expect(cache().put(number)) }
    #expect(fixture.packPaths.count == 1)
    #expect((0..<20).allSatisfy { cache().has($0) })
  }

  @Test("YY-B33 pixels of 20,480 bytes share a file, larger ones do not; 0 shares none, the maximum all")
  func largePixelsHaveAFileOfTheirOwn() throws {
    let bytes = 64 * 80 * 4
    try #require(bytes == 20_480)
    // The number of files for three images of so many bytes and three small ones.
    for (threshold, files) in [(20_480, 1), (20_479, 4), (0, 6), (.max, 1)] {
      let fixture = DiskFixture()
      do {
        let cache = fixture.pixels { $0.maximumPackedBytes = threshold }
        for number in 0..<3 {
          #expect(cache.put(number, width: 64, height: 80) && cache.put(10 + number))
        }
        #expect(fixture.packPaths.count == files, "\(threshold)")
      }
      let later = fixture.pixels { $0.maximumPackedBytes = threshold }
      #expect(later.put(20))
      // A later process adds to the shared file.
      #expect(fixture.packPaths.count == (threshold == 0 ? 7 : files))
      for number in 0..<3 {
        #expect(later.has(number, width: 64, height: 80) && later.has(10 + number))
      }
    }
  }

  @Test func removalOfALargeImageRemovesItsFile() {
    let cache = fixture.pixels { $0.maximumPackedBytes = 1000 }
    for number in 0..<4 { #expect(cache.put(number, width: number.isMultiple(of: 2) ? 64 : 8)) }
    #expect(fixture.packPaths.count == 3)
    cache.removePixels(of: identity(2))
    cache.removePixels(of: identity(1))
    #expect(fixture.packPaths.count == 2)
    #expect(cache.has(0, width: 64) && !cache.has(2, width: 64) && !cache.has(1) && cache.has(3))
  }

  @Test func fileOfARemovedLargeImageIsRemovedAlsoWithoutLocks() {
    let system = FaultySystem()
    system.fail(.lock, number: FaultySystem.always, with: .error(ENOLCK))
    let cache = fixture.pixels(on: system) { $0.maximumPackedBytes = 0 }
    for number in 0..<3 { #expect(cache.put(number)) }
    cache.removePixels(of: identity(1))
    #expect(fixture.packPaths.count == 2 && cache.has(0) && !cache.has(1) && cache.has(2))
  }

  @Test func packOfManyImagesIsKeptWithoutLocks() {
    let system = FaultySystem()
    system.fail(.lock, number: FaultySystem.always, with: .error(ENOLCK))
    let cache = fixture.pixels(on: system)
    #expect(cache.put(1))
    let packs = fixture.packPaths
    cache.removePixels(of: identity(1))
    #expect(cache.put(2) && fixture.packPaths == packs && cache.has(2))
  }

  @Test func packIsCreatedWithAnotherNumberIfOneIsTaken() throws {
    let system = FaultySystem()
    #expect(fixture.pixels().put(1))
    let folder = try Descriptor(fixture.packFolder, flags: O_RDONLY | O_DIRECTORY, system: system)
    system.fail(.open, numbers: 1...3, with: .error(EEXIST))
    let pack = try ActivePack.create(isSingle: true, time: 0, in: folder)
    #expect(system.hasFailed && PackName.isSingle(pack.number))
    #expect((try? folder.status(of: PackName.name(pack.number)))?.isRegular == true)
    system.fail(.open, number: FaultySystem.always, with: .error(EEXIST))
    #expect(throws: SystemError(EEXIST)) { _ = try ActivePack.create(isSingle: false, time: 0, in: folder) }
  }

  @Test func packsAreRemovedForMissingFiles() throws {
    let cache = fixture.pixels { $0.maximumPackedBytes = 0 }
    for number in 0..<5 { #expect(cache.put(number)) }
    fixture.cache().store(storedResponse(), for: identity(1))
    let responses = try Descriptor(fixture.root, flags: O_RDONLY | O_DIRECTORY, system: LinuxDiskSystem())
    let isAny = PixelReclaim.free(.init(bytes: 0, files: 2), beside: responses, time: 1_800_000_000)
    #expect(isAny && fixture.packPaths.count == 3)
  }

  @Test func emptyFileOfAKilledWriterIsRemovedAfterAMinute() throws {
    let cache = fixture.pixels { $0.maximumPackedBytes = 0 }
    #expect(cache.put(1))
    let left = "\(fixture.packFolder)/\(PackName.name(PackName.newNumber(isSingle: true)))"
    try overwrite(left, [])
    var times = [timeval(tv_sec: 1_800_000_000, tv_usec: 0), timeval(tv_sec: 1_800_000_000, tv_usec: 0)]
    #expect(utimes(left, &times) == 0)
    fixture.wait(60)
    fixture.pixels().trim()
    #expect(fixture.packPaths.count == 2)
    fixture.wait(1)
    fixture.pixels().trim()
    #expect(fixture.packPaths.count == 1 && cache.has(1))
  }

  @Test func storesIntoAFullCacheScanTheFolderOnceASecond() {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system) { ($0.bytes, $0.maximumPackedBytes) = (Self.limit, 0) }
    for number in 0..<70 { cache.put(number, width: 64, height: 64) }
    fixture.clock.advance(by: PackTrim.protectedSeconds)
    for number in 100..<110 { #expect(cache.put(number, width: 64, height: 64)) }
    let scans = system.counts[.names] ?? 0
    for number in 200..<210 { #expect(cache.put(number, width: 64, height: 64)) }
    #expect((system.counts[.names] ?? 0) <= scans + 3)
    #expect(cache.statistics.evictions >= 20 && cache.usage().bytes <= Self.limit)
  }

  @Test func newVersionOfALargeImageReplacesItsFile() {
    let cache = fixture.pixels { $0.maximumPackedBytes = 0 }
    for version in 0..<3 {
      let image = pixelImage(64, 64, seed: version)
      #expect(cache.store(image, isAnimated: false, for: pixelKey(1), of: body(version)))
      #expect(isSame(cache.pixels(for: pixelKey(1), of: body(version)) { _ in }, image))
    }
    #expect(fixture.packPaths.count == 1)
  }

  @Test(arguments: [FaultySystem.Call.write, .writeAt])
  func failedWriteOfALargeImageLeavesNoFile(call: FaultySystem.Call) {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system) { $0.maximumPackedBytes = 0 }
    #expect(cache.put(1))
    system.fail(call, with: .error(EIO))
    #expect(!cache.put(2))
    #expect(fixture.packPaths.count == 1 && cache.has(1) && !cache.has(2))
  }

  @Test func loweredLimitIsAppliedByATrim() {
    let cache = cache()
    _ = show(0..<50, cache)
    cache.limits.bytes = 400 << 10
    cache.trim()
    #expect(cache.usage().bytes <= 400 << 10 && cache.usage().count > 5)
    cache.limits.bytes = 0
    #expect(!cache.put(1000))
    cache.trim()
    #expect(fixture.packPaths.isEmpty)
  }

  @Test func nothingIsStoredBelowTheFreeSpaceFloor() {
    let cache = fixture.pixels { $0.freeBytes = .max }
    #expect(!cache.put(1) && !cache.put(2))
    #expect(cache.fault == .diskIsFull(path: fixture.folder))
    // The second store did not ask for the space again.
    #expect(cache.statistics.failures == 1 && cache.statistics.refusals == 1)
    cache.limits.freeBytes = 0
    fixture.clock.advance(by: WritePause.seconds)
    #expect(cache.put(1) && cache.fault == nil)
  }

  @Test func replacedEntriesTakeFromTheQuotaOfTheDay() {
    var limits = DiskPixelCache.Limits()
    limits.bytes = 10 * 4096
    var state = PixelState(limits: limits)
    let entry = PixelEntry(
      keyTag: 1, identityTag: 2, bodyTag: 3, pack: 4, offset: 0, width: 1, height: 1)

    for _ in 0..<10 { #expect(state.replaces(entry, by: 132, at: 0) == true) }
    #expect(state.replaces(entry, by: 132, at: 0) == false)
    #expect(state.replaces(entry, by: 132, at: Int64(EvictionQuota.seconds * 1e9)) == true)

    state.scanned(PixelSweep.Contents(), at: 0)
    for _ in 0..<20 { #expect(state.replaces(entry, by: 132, at: 0) == true, "its pack is gone") }
  }

  @Test func pixelsAreRemovedBeforeResponses() {
    let system = FaultySystem()
    let responses = fixture.cache(on: system)
    for number in 0..<5 { responses.store(storedResponse(5000), for: identity(number)) }
    _ = show(0..<20, cache())
    #expect(!fixture.packPaths.isEmpty)
    // Half of the disk is missing, so that all pixels go, and no guaranteed response.
    responses.limits.freeBytes = .max
    system.fillDisk()

    responses.trim()

    #expect(fixture.packPaths.isEmpty)
    #expect((0..<5).allSatisfy { responses.containsResponse(for: identity($0)) })
  }

  @Test func reclaimingRemovesNoMoreThanNecessary() throws {
    _ = show(0..<20, cache())
    fixture.cache().store(storedResponse(), for: identity(1))
    let before = fixture.packPaths.count
    let responses = try Descriptor(fixture.root, flags: O_RDONLY | O_DIRECTORY, system: LinuxDiskSystem())
    let isAny = PixelReclaim.free(.init(bytes: 1000, files: 0), beside: responses, time: 1_800_000_000)
    #expect(isAny && fixture.packPaths.count == before - 1)
    let isMore = PixelReclaim.free(.init(bytes: 0, files: 0), beside: responses, time: 1_800_000_000)
    #expect(!isMore)
  }

  @Test(arguments: [0.0, -1e300, .nan, .infinity, 1_800_000_000 + 10 * 365 * 86400])
  func wrongWallClockLosesNothing(time: Double) {
    _ = show(0..<30, cache())
    fixture.wallClock.withLock { $0 = time }
    let cache = cache()
    #expect(show(0..<30, cache).count == 30)
    #expect(cache.put(100, width: 64, height: 64) && cache.has(100, width: 64, height: 64))
    cache.trim()
    fixture.wallClock.withLock { $0 = 1_800_000_000 }
    let later = self.cache()
    #expect(show(0..<30, later).count == 30 && later.has(100, width: 64, height: 64))
    #expect(cache.fault == nil && later.fault == nil)
  }
}
