import Foundation
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// A writable cache over a seed.
@Suite(.timeLimit(.minutes(5))) struct LayeredImageCacheTests {
  let fixture = SeedFixture()

  @Test func lookupGoesDownToTheSeed() {
    fixture.fillSeed(1..<2)
    let cache = fixture.cache()
    var reserved: [Int] = []

    #expect(cache.response(for: identity(1)) { reserved.append($0) } == SeedFixture.response(1))
    #expect(reserved == [300])
    #expect(cache.containsResponse(for: identity(1)))
    #expect(cache.indexOfLayer(containing: identity(1)) == 1)
    #expect(cache.response(for: identity(2)) == nil && !cache.containsResponse(for: identity(2)))
    #expect(fixture.top.files.isEmpty, "a lookup copies nothing")
  }

  @Test func storedResponseHidesTheSeeds() {
    fixture.fillSeed(1..<3)
    let cache = fixture.cache()

    #expect(cache.store(storedResponse(seed: 9), for: identity(1)))

    #expect(cache.response(for: identity(1)) == storedResponse(seed: 9))
    #expect(cache.indexOfLayer(containing: identity(1)) == 0)
    #expect(fixture.cache().response(for: identity(1)) == storedResponse(seed: 9))
    #expect(fixture.seedCache().response(for: identity(1)) == SeedFixture.response(1))
    #expect(fixture.top.files.count == 1)
  }

  @Test func removedResponseOfTheSeedStaysRemovedAfterARestart() {
    fixture.fillSeed(1..<3)
    let cache = fixture.cache()

    #expect(cache.removeResponse(for: identity(1)))

    for cache in [cache, fixture.cache()] {
      #expect(cache.response(for: identity(1)) == nil && !cache.containsResponse(for: identity(1)))
      #expect(cache.response(for: identity(2)) == SeedFixture.response(2))
      #expect(!cache.removeResponse(for: identity(1)), "there is none any more")
    }
    // A response that is stored later is found, and hidden again when it is removed.
    #expect(cache.store(storedResponse(seed: 9), for: identity(1)))
    #expect(fixture.cache().response(for: identity(1)) == storedResponse(seed: 9))
    #expect(cache.removeResponse(for: identity(1)))
    #expect(fixture.cache().response(for: identity(1)) == nil)
  }

  @Test func removedPrivateResponseStaysRemoved() {
    let secret = identity("a.jpg", headers: ["Cookie": "id=1"])
    fixture.seed.cache().store(storedResponse(seed: 7), for: secret)
    let cache = fixture.cache()
    #expect(cache.response(for: secret) == storedResponse(seed: 7), "by the key of the seed")

    #expect(cache.removeResponse(for: secret))

    #expect(fixture.cache().response(for: secret) == nil)
    let files = fixture.top.everything.filter { $0.contains("/\(HiddenResponses.folderName)/") }
    #expect(files.count == 1)
    for file in files {
      let bytes = FileManager.default.contents(atPath: file) ?? Data()
      #expect(bytes.range(of: Data("id=1".utf8)) == nil)
    }
  }

  @Test func newerVersionInTheSeedIsShownAgain() {
    fixture.fillSeed(1..<2)
    let cache = fixture.cache()
    cache.removeResponse(for: identity(1))
    fixture.fillSeed(1..<2, received: 1_800_000_000)
    #expect(cache.response(for: identity(1)) == nil, "an older version stays hidden")

    fixture.fillSeed(1..<2, received: 1_800_086_400)

    #expect(cache.response(for: identity(1))?.received == 1_800_086_400)
    #expect(cache.containsResponse(for: identity(1)))
  }

  @Test func removalOfAllHidesTheSeedButNotANewerOne() {
    fixture.fillSeed(1..<4)
    let cache = fixture.cache()
    cache.store(storedResponse(seed: 9), for: identity(5))

    #expect(cache.removeAllResponses())

    for cache in [cache, fixture.cache()] {
      for number in 1...5 { #expect(cache.response(for: identity(number)) == nil) }
      #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))
    }
    fixture.fillSeed(4..<5, received: 1_800_086_400)
    #expect(cache.response(for: identity(4)) != nil && cache.response(for: identity(1)) == nil)
  }

  @Test func removalWithProgressHidesTheSeed() {
    fixture.fillSeed(1..<4)
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(5))
    var last = (-1, -1)

    #expect(cache.removeAllResponses { last = ($0, $1) })

    #expect(last == (1, 1))
    for number in 1...5 { #expect(fixture.cache().response(for: identity(number)) == nil) }
  }

  @Test func removalOnAReadOnlyDiskHoldsForThisProcess() {
    fixture.fillSeed(1..<3)
    let system = FaultySystem()
    let cache = fixture.cache(system: system)
    system.fail(.makeFolder, number: FaultySystem.always, with: .error(EROFS))

    #expect(cache.removeResponse(for: identity(1)))

    #expect(cache.response(for: identity(1)) == nil && cache.response(for: identity(2)) != nil)
    #expect(cache.fault == .refused(path: fixture.top.folder, code: EROFS))
    #expect(cache.removeAllResponses())
    #expect(cache.response(for: identity(2)) == nil)
    #expect(system.openCount == 0)
  }

  @Test func seedWithoutAWritableLayerHidesWhatIsRemoved() {
    fixture.fillSeed(1..<4)
    let cache = LayeredImageCache(layers: [fixture.seedCache()])
    let paths = fixture.seedPaths
    let before = fixture.listing(paths)

    #expect(cache.removeResponse(for: identity(1)) && !cache.removeResponse(for: identity(1)))

    #expect(cache.response(for: identity(1)) == nil && cache.head(for: identity(1)) == nil)
    #expect(!cache.containsResponse(for: identity(1)))
    #expect(cache.response(for: identity(2)) == SeedFixture.response(2))
    #expect(cache.head(for: identity(2)) != nil && cache.containsResponse(for: identity(2)))
    #expect(cache.removeAllResponses())
    #expect((1..<4).allSatisfy { cache.response(for: identity($0)) == nil })
    let other = LayeredImageCache(layers: [fixture.seedCache()])
    #expect(other.response(for: identity(1)) == SeedFixture.response(1), "the seed is not changed")
    var last = (-1, -1)
    #expect(other.removeAllResponses { last = ($0, $1) })
    #expect(last == (0, 0))
    #expect((1..<4).allSatisfy { !other.containsResponse(for: identity($0)) })
    #expect(fixture.listing(paths) == before && fixture.seedPaths == paths)
  }

  @Test func tombstonesMoveToAnotherDirectory() {
    fixture.fillSeed(1..<3)
    let secret = identity("a.jpg", headers: ["Cookie": "id=1"])
    fixture.seed.cache().store(SeedFixture.response(7), for: secret)
    let old = fixture.cache()
    #expect(old.removeResponse(for: identity(1)) && old.removeResponse(for: secret))
    old.store(storedResponse(seed: 9), for: identity(5))
    let new = DiskFixture()
    let cache = LayeredImageCache(layers: [new.cache(), fixture.seedCache()])

    #expect(new.cache().moveEntries(from: fixture.top.folder) == 1)

    #expect(cache.response(for: identity(1)) == nil && cache.response(for: secret) == nil)
    #expect(cache.response(for: identity(2)) == SeedFixture.response(2))
    #expect(cache.response(for: identity(5)) == storedResponse(seed: 9))
    #expect(!FileManager.default.fileExists(atPath: fixture.top.folder))
  }

  @Test func fileInPlaceOfTheFolderOfTombstonesIsReplaced() throws {
    fixture.fillSeed(1..<2)
    #expect(fixture.top.cache().store(storedResponse(), for: identity(2)))
    try Data([1]).write(to: URL(filePath: "\(fixture.top.root)/\(HiddenResponses.folderName)"))

    fixture.cache().removeResponse(for: identity(1))

    #expect(fixture.cache().response(for: identity(1)) == nil)
  }

  @Test func damagedTombstoneHidesNothing() throws {
    fixture.fillSeed(1..<2)
    fixture.cache().removeResponse(for: identity(1))
    let file = try #require(fixture.top.everything.first { $0.contains("/\(HiddenResponses.folderName)/") })
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    for count in 0..<bytes.count {
      try Data(bytes.prefix(count)).write(to: URL(filePath: file))
      #expect(fixture.cache().response(for: identity(1)) == SeedFixture.response(1), "\(count) bytes")
    }
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 0x10
      try Data(flipped).write(to: URL(filePath: file))
      #expect(fixture.cache().response(for: identity(1)) != nil, "byte \(index)")
    }
    try Data(bytes).write(to: URL(filePath: file))
    #expect(fixture.cache().response(for: identity(1)) == nil)
  }

  @Test func tombstoneOutlivesARemovalOfTheTopLayer() {
    fixture.fillSeed(1..<2)
    fixture.cache().removeResponse(for: identity(1))

    fixture.top.cache().removeAllResponses()
    fixture.top.cache().trim()

    #expect(fixture.cache().response(for: identity(1)) == nil)
  }

  @Test func responseThatIsTooLargeHidesTheOlderOneOfTheSeed() {
    fixture.fillSeed(1..<3)
    let cache = fixture.cache { $0.bytes = 8192 }

    #expect(!cache.store(storedResponse(20_000), for: identity(1)))
    // The same body with a new head does not make the seed's image wrong.
    cache.limits(0)
    #expect(!cache.store(SeedFixture.response(2), for: identity(2)))

    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.response(for: identity(2)) == SeedFixture.response(2))
  }

  @Test func evictedResponseOfTheTopLayerShowsTheSeedsAgain() {
    fixture.fillSeed(1..<2)
    let cache = fixture.cache { $0.count = 1 }
    cache.store(storedResponse(seed: 9), for: identity(1))

    cache.store(storedResponse(seed: 8), for: identity(2))

    #expect(cache.response(for: identity(1)) == SeedFixture.response(1))
  }

  @Test func seedsAreSearchedFromTheUpperOne() {
    let lower = DiskFixture()
    fixture.fillSeed(1..<2)
    lower.cache().store(storedResponse(seed: 50), for: identity(1))
    lower.cache().store(storedResponse(seed: 51), for: identity(2))
    let cache = LayeredImageCache(
      fixture.top.cache(), over: [fixture.seed.folder, lower.folder, lower.folder + "/nowhere"])

    #expect(cache.response(for: identity(1)) == SeedFixture.response(1))
    #expect(cache.response(for: identity(2)) == storedResponse(seed: 51))
    #expect(cache.response(for: identity(3)) == nil && cache.fault == nil)
  }

  @Test func cacheWithoutLayersStoresNothing() {
    let cache = LayeredImageCache(layers: [])

    #expect(!cache.store(storedResponse(), for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil && cache.indexOfLayer(containing: identity(1)) == nil)
    #expect(!cache.removeResponse(for: identity(1)) && !cache.removeAllResponses() && cache.usage() == nil)
  }
}

extension LayeredImageCache {
  /// Sets the byte limit of the top layer.
  fileprivate func limits(_ bytes: Int) { (layers.first as? DiskImageCache)?.limits.bytes = bytes }
}
