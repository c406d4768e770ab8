import Foundation
import Glibc
import Testing
import VitrineGraphics

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Removing pixels from the disk.
@Suite(.timeLimit(.minutes(5))) struct PixelRemovalTests {
  let fixture = DiskFixture()

  /// Returns true if the packs contain a row of the pixels of a number.
  private func packsContain(_ number: Int) throws -> Bool {
    let row = pixelImage(seed: number).bitmap.withUnsafeBytes { Data($0.prefix(8 * 4)) }
    return try fixture.packPaths.contains { Data(try contents($0)).range(of: row) != nil }
  }

  @Test(arguments: [nil, EOPNOTSUPP, EIO])
  func removedPixelsLeaveNoBytes(punchError: Int32?) throws {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    for number in 1...3 { cache.put(number) }
    cache.put(2, variant: "other")
    #expect(try packsContain(2))
    // Without holes, the bytes are overwritten.
    if let punchError { system.fail(.punchHole, number: FaultySystem.always, with: .error(punchError)) }

    cache.removePixels(of: identity(2))

    #expect(try !packsContain(2) && packsContain(1) && packsContain(3))
    #expect(cache.find(2) == nil && cache.find(2, variant: "other") == nil)
    #expect(cache.has(1) && cache.has(3) && fixture.pixels().usage().count == 2)
    #expect(cache.put(2) && cache.has(2))
  }

  @Test func pixelsOfEvictedResponsesLeaveNoBytes() throws {
    let pixels = fixture.pixels()
    let responses = fixture.cache { $0.bytes = 10 * 4096 }
    for number in 1...30 {
      #expect(responses.store(storedResponse(seed: UInt8(number)), for: identity(number)))
      #expect(pixels.put(number) && pixels.put(number, variant: "32x32"))
    }

    let stored = (1...30).filter { responses.containsResponse(for: identity($0)) }

    #expect(stored.count <= 10 && stored.contains(30))
    #expect(pixels.usage().count == 2 * stored.count)
    for number in 1...30 {
      #expect(pixels.has(number) == stored.contains(number))
      let image = pixelImage(seed: number).bitmap.withUnsafeBytes { Data($0) }
      let isOnDisk = try fixture.packPaths.contains { Data(try contents($0)).range(of: image) != nil }
      #expect(isOnDisk == stored.contains(number), "\(number)")
    }
    #expect(pixels.statistics.damaged == 0 && pixels.fault == nil)
  }

  @Test(arguments: [true, false]) func pixelsOfAnExpiredResponseLeaveNoBytes(isTrimmed: Bool) throws {
    let pixels = fixture.pixels()
    let responses = fixture.cache { $0.timeToLive = 1000 }
    for number in 1...2 {
      responses.store(storedResponse(), for: identity(number))
      pixels.put(number)
      fixture.advance(by: 600)
    }

    if isTrimmed { responses.trim() } else { #expect(responses.head(for: identity(1)) == nil) }

    #expect(try !packsContain(1) && packsContain(2))
    #expect(pixels.find(1) == nil && pixels.has(2) && pixels.usage().count == 1)
  }

  @Test func evictionMakesNoFolderOfPixels() {
    let responses = fixture.cache { $0.count = 1 }
    for number in 1...3 { responses.store(storedResponse(), for: identity(number)) }
    #expect(fixture.pixelFiles.isEmpty && responses.fault == nil)
  }

  @Test func packThatCannotBeOverwrittenIsRemoved() throws {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    for number in 1...2 { cache.put(number) }
    system.fail(.open, numbers: 2...3, with: .error(EACCES))

    // The first file that is opened is the index, the second and the third is the pack.
    cache.removePixels(of: identity(1))

    #expect(system.hasFailed && fixture.packPaths.isEmpty)
    #expect(cache.find(1) == nil && cache.find(2) == nil && cache.put(2) && cache.has(2))
  }

  @Test func replacedPixelsLeaveNoBytes() throws {
    let cache = fixture.pixels()
    cache.put(1)
    cache.store(pixelImage(seed: 9), isAnimated: false, for: pixelKey(1), of: body(9))
    #expect(try !packsContain(1) && packsContain(9))
  }

  /// True if files in the temporary folder can have holes.
  private static let hasHoles: Bool = {
    let fixture = DiskFixture()
    let file = open("\(fixture.folder)/file", O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    return (try? LinuxDiskSystem().punchHole(0..<4096, in: file)) != nil
  }()

  @Test(.enabled(if: hasHoles, "needs a file system with holes"), arguments: [128, 16, 1])
  func spaceOfReplacedPixelsIsGivenBack(side: Int) {
    let cache = fixture.pixels()
    cache.put(1)
    for round in 0..<400 {
      cache.store(pixelImage(side, side, seed: round), isAnimated: false, for: pixelKey(2), of: body(round))
    }
    // The index, the first record, and the last record, which all share blocks with others.
    #expect(cache.usage().count == 2 && cache.usage().bytes <= side * side * 4 + 8 * FileStatus.blockBytes)
    #expect(cache.has(1) && cache.statistics.damaged == 0)
  }

  @Test(.enabled(if: hasHoles, "needs a file system with holes"))
  func erasingPixelsKeepsTheirNeighbors() {
    let cache = fixture.pixels()
    for number in 0..<300 { cache.put(number) }
    let numbers = (0..<300).map { $0 * 7 % 300 }
    for (index, number) in numbers.enumerated() {
      cache.removePixels(of: identity(number))
      for kept in numbers[(index + 1)...] where abs(kept - number) < 20 { #expect(cache.has(kept)) }
    }
    #expect(cache.statistics.damaged == 0)
  }

  @Test(.enabled(if: hasHoles, "needs a file system with holes"), arguments: [128, 64])
  func packsOfReplacedImagesAreRemoved(side: Int) {
    let cache = fixture.pixels { $0.bytes = 1 << 20 }
    cache.put(1)
    for round in 0..<200 {
      let image = pixelImage(side, side, seed: round)
      #expect(cache.store(image, isAnimated: false, for: pixelKey(2), of: body(1000 + round)))
    }

    #expect(fixture.packPaths.count <= 5)
    #expect(cache.has(1) && fixture.pixels().usage().count == 2)
    let last = cache.pixels(for: pixelKey(2), of: body(1199)) { _ in }
    #expect(isSame(last, pixelImage(side, side, seed: 199)))
    #expect(cache.statistics.evictions == 0 && cache.statistics.damaged == 0)
  }

  @Test func removalOfOthersWritesNothing() {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    cache.put(1)
    let before = system.counts
    for number in 2..<100 { cache.removePixels(of: identity(number)) }
    #expect(system.counts[.writeAt] == before[.writeAt] && system.counts[.punchHole] == nil)
    #expect(cache.has(1))
  }

  @Test func removingAllLeavesNoFilesAndIsSeenByOtherCaches() {
    let (cache, other) = (fixture.pixels(), fixture.pixels())
    for number in 0..<20 { cache.put(number) }
    #expect(other.has(1))

    cache.removeAllPixels()

    #expect(other.find(1) == nil && cache.find(1) == nil)
    #expect(fixture.pixelFiles.isEmpty)
    #expect(other.put(1) && cache.has(1) && other.has(1))
    #expect(cache.put(2) && other.has(2))
  }

  @Test func removedFolderIsMadeAgain() throws {
    let cache = fixture.pixels()
    for round in 0..<3 {
      #expect(cache.put(1) && cache.has(1))
      let path = [fixture.folder, fixture.folder + "/p1", fixture.packFolder][round]
      try FileManager.default.removeItem(atPath: path)
      #expect(cache.find(1) == nil)
      #expect(cache.put(2) && cache.has(2) && fixture.pixels().has(2))
    }
    #expect(cache.fault == nil && cache.statistics.failures == 0)
  }

  @Test func removedPackIsAMissAndItsEntriesVanish() throws {
    let (cache, other) = (fixture.pixels(), fixture.pixels())
    cache.put(1)
    #expect(other.has(1))
    try FileManager.default.removeItem(atPath: fixture.packPaths[0])
    #expect(fixture.pixels().find(1) == nil)
    #expect(fixture.pixels().usage().count == 0)
    // The pack of the writer is gone, so that it makes another one.
    #expect(cache.put(1) && cache.has(1) && other.has(1))
  }

  @Test func removalThatFailsForAMomentIsMadeLater() {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    cache.put(1)
    // The removal finds no descriptor, and neither does its first repetition.
    system.fail(.open, numbers: 1...2, with: .error(EMFILE))

    cache.removeAllPixels()

    #expect(system.hasFailed)
    #expect(cache.find(1) == nil && cache.find(1) == nil)
    #expect(fixture.packPaths.isEmpty && fixture.pixels().find(1) == nil)
    #expect(cache.put(1) && cache.has(1))
  }

  @Test func foldersThatAreHalfRemovedAreSweptByTheNextWriter() throws {
    fixture.pixels().put(1)
    let old = fixture.folder + "/p1/\(RemovedFolder.prefix)abc"
    #expect(rename(fixture.packFolder, old) == 0)
    let cache = fixture.pixels()
    #expect(cache.find(1) == nil)
    #expect(cache.put(2) && cache.has(2))
    #expect(!FileManager.default.fileExists(atPath: old))
  }

  @Test func movedCacheLeavesNoPixelsBehind() {
    let old = fixture.folder + "/old"
    let source = DiskImageCache(directory: old)
    source.store(storedResponse(), for: identity(1))
    fixture.pixels(in: old).put(1)

    #expect(fixture.cache().moveEntries(from: old) == 1)

    #expect(!FileManager.default.fileExists(atPath: old))
  }
}
