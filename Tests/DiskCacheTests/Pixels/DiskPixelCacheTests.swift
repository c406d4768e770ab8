import Foundation
import Glibc
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Storing and finding pixels on disk.
@Suite(.timeLimit(.minutes(5))) struct DiskPixelCacheTests {
  let fixture = DiskFixture()

  @Test func storedPixelsAreFoundByANewCacheOnTheFolder() {
    #expect(fixture.pixels().put(1))

    let cache = fixture.pixels()
    #expect(cache.has(1))
    #expect(cache.find(2) == nil)
    #expect(cache.statistics.hits == 1 && cache.statistics.misses == 1)
    #expect(cache.fault == nil)
  }

  @Test(arguments: [PixelFormat.bgra, .rgba], [true, false])
  func everyPropertyIsStored(format: PixelFormat, isOpaque: Bool) {
    let modes: [Image.RenderingMode] = [.automatic, .alwaysOriginal, .alwaysTemplate]
    var images: [Image] = []
    for (index, encoding) in ImageFormat.allCases.enumerated() {
      let bitmap = pixelImage(3 + index, 5, seed: index, format: format, isOpaque: isOpaque).bitmap
      images.append(
        Image(
          bitmap, scale: 1.5 + Double(index), format: encoding, sourceWidth: 100_000 + index,
          sourceHeight: 7 + index
        ).withRenderingMode(modes[index % 3]))
    }
    let cache = fixture.pixels()
    for (index, image) in images.enumerated() {
      #expect(cache.store(image, isAnimated: index % 2 == 0, for: pixelKey(index), of: body(index)))
    }

    let other = fixture.pixels()
    for (index, image) in images.enumerated() {
      #expect(isSame(other.find(index), image, isAnimated: index % 2 == 0), "\(image.format)")
    }
  }

  /// The key of an image in a size, as a downloader makes it.
  private func sizedKey(_ number: Int, _ size: String, transform: String = "none") -> PixelKey {
    pixelKey(number, "4:fake;4:bgra;\(size.utf8.count):\(size);\(transform.utf8.count):\(transform);")
  }

  private func smaller(
    _ cache: DiskPixelCache, _ key: PixelKey, of digest: BodyDigest = body(1), maximumCount: Int = 1000
  ) -> Int? {
    cache.smallerPixels(for: key, of: digest, maximumCount: maximumCount) { _ in }?.image.pixelWidth
  }

  @Test func largestPixelsOfASmallerSizeAreFound() {
    let writer = fixture.pixels()
    for side in [4, 16, 8, 32] {
      #expect(
        writer.store(
          pixelImage(side, side), isAnimated: false, for: sizedKey(1, "\(side)x\(side)"), of: body(1)))
    }
    let cache = fixture.pixels()
    let key = sizedKey(1, "100x10")

    #expect(cache.pixels(for: key, of: body(1)) { _ in } == nil)
    #expect(smaller(cache, key) == 16 && smaller(cache, key, maximumCount: 256) == 16)
    #expect(smaller(cache, key, maximumCount: 255) == 8 && smaller(cache, key, maximumCount: .max) == 32)
    #expect(smaller(cache, key, maximumCount: 15) == nil && smaller(cache, key, maximumCount: -1) == nil)
    for side in [4, 16, 8, 32] {
      #expect(
        cache.pixels(for: sizedKey(1, "\(side)x\(side)"), of: body(1)) { _ in }?.image.pixelWidth == side)
    }
    #expect(cache.statistics.hits == 4 && cache.statistics.misses == 1)
    #expect(cache.verify().entries == 4 && cache.verify().damaged == 0)
  }

  @Test func pixelsOfOtherImagesAreNoSmallerSize() {
    let cache = fixture.pixels()
    let key = sizedKey(1, "16x16")
    #expect(cache.store(pixelImage(), isAnimated: false, for: sizedKey(1, "8x8"), of: body(1)))
    #expect(cache.put(1))

    #expect(smaller(cache, key) == 8)
    #expect(smaller(cache, key, of: body(2)) == nil)
    #expect(smaller(cache, sizedKey(1, "16x16", transform: "round")) == nil)
    #expect(smaller(cache, sizedKey(2, "16x16")) == nil)
    #expect(smaller(cache, sizedKey(1, "8x8")) == nil, "the size itself")
    #expect(smaller(cache, pixelKey(1, "16x16")) == nil, "a key without a family")
  }

  @Test func damagedPixelsOfASmallerSizeAreAMiss() throws {
    let writer = fixture.pixels()
    #expect(writer.store(pixelImage(), isAnimated: false, for: sizedKey(1, "8x6"), of: body(1)))
    let pack = try #require(fixture.packPaths.first)
    var bytes = try contents(pack)
    bytes[bytes.count - 1] ^= 1
    try overwrite(pack, bytes)
    let cache = fixture.pixels()

    #expect(smaller(cache, sizedKey(1, "16x16")) == nil)
    #expect(cache.statistics.damaged == 1 && cache.usage().count == 0)
  }

  @Test func metadataIsStored() throws {
    let time = try #require(CaptureTime(year: 2024, month: 5, day: 17, hour: 14))
    let metadata = ImageMetadata(captureTime: time, title: "Lighthouse")
    let image = Image(pixelImage().bitmap, metadata: metadata)
    let cache = fixture.pixels()

    #expect(cache.store(image, isAnimated: false, for: pixelKey(1), of: body(1)))
    #expect(cache.put(2))

    let other = fixture.pixels()
    #expect(other.find(1)?.image.metadata == metadata)
    #expect(other.has(2) && other.find(2)?.image.metadata == nil)
    #expect(other.verify().entries == 2 && other.verify().damaged == 0)
  }

  @Test func metadataIsOverwrittenWithThePixels() throws {
    let image = Image(pixelImage().bitmap, metadata: ImageMetadata(title: "Lighthouse"))
    let cache = fixture.pixels()
    #expect(cache.store(image, isAnimated: false, for: pixelKey(1), of: body(1)))
    let pack = try #require(fixture.packPaths.first)
    #expect(try contents(pack).contains(UInt8(ascii: "L")))

    cache.removePixels(of: identity(1))

    #expect(try contents(pack).allSatisfy { $0 == 0 })
  }

  @Test func firstFrameOfAnAnimationIsStored() {
    let frames = (0..<3).map { Image.Frame(bitmap: pixelImage(seed: $0).bitmap, duration: 0.1) }
    let animation = Image(frames: frames, format: .gif)
    let cache = fixture.pixels()

    #expect(cache.store(animation, isAnimated: true, for: pixelKey(1), of: body(1)))

    #expect(isSame(cache.find(1), Image(frames[0].bitmap, format: .gif), isAnimated: true))
  }

  @Test func previewsAndImagesWithOwnDataAreNotStored() {
    let cache = fixture.pixels()
    let image = pixelImage()
    #expect(!cache.store(image.asPreview, isAnimated: false, for: pixelKey(1), of: body(1)))
    let tagged = image.withUserData(["note": [1]])
    #expect(!cache.store(tagged, isAnimated: false, for: pixelKey(1), of: body(1)))
    #expect(cache.statistics.refusals == 2 && fixture.pixelFiles.isEmpty)
  }

  @Test func pixelsOfAnotherBodyAreNotShown() {
    let cache = fixture.pixels()
    cache.put(1)

    #expect(cache.pixels(for: pixelKey(1), of: body(2)) { _ in } == nil)
    // The low half of the digest is the same, a part of which the index contains.
    let similar = BodyDigest(high: body(1).high &+ 1, low: body(1).low)
    #expect(cache.pixels(for: pixelKey(1), of: similar) { _ in } == nil)
    #expect(cache.has(1) && cache.statistics.damaged == 0)
  }

  @Test func variantsAndRequestsAreKeptApart() {
    let cache = fixture.pixels()
    let variants = ["", "64x64", "64x64;bgra", "64x64;rgba", "128x128;blur(4)"]
    for (index, variant) in variants.enumerated() {
      cache.store(pixelImage(seed: index), isAnimated: false, for: pixelKey(1, variant), of: body(1))
    }
    for (index, variant) in variants.enumerated() {
      let found = cache.pixels(for: pixelKey(1, variant), of: body(1)) { _ in }
      #expect(isSame(found, pixelImage(seed: index)), "\(variant)")
      #expect(cache.pixels(for: pixelKey(2, variant), of: body(1)) { _ in } == nil)
    }
    #expect(cache.pixels(for: pixelKey(1, "64x64;BGRA"), of: body(1)) { _ in } == nil)
  }

  @Test func pixelsOfANewBodyReplaceTheOld() {
    let cache = fixture.pixels()
    cache.put(1)
    let new = pixelImage(8, 6, seed: 99)

    #expect(cache.store(new, isAnimated: false, for: pixelKey(1), of: body(99)))

    #expect(cache.find(1) == nil)
    #expect(isSame(cache.pixels(for: pixelKey(1), of: body(99)) { _ in }, new))
    #expect(cache.usage().count == 1)
  }

  @Test func pixelsThatAreStoredAlreadyAreNotWrittenAgain() throws {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    cache.put(1)
    let writes = system.counts[.write]

    #expect(cache.put(1) && fixture.pixels().put(1))

    #expect(system.counts[.write] == writes && cache.statistics.stores == 1)
  }

  @Test func memoryIsReservedBeforePixelsAreRead() {
    let cache = fixture.pixels()
    cache.put(1, width: 100, height: 50)
    var reserved: [Int] = []
    #expect(cache.pixels(for: pixelKey(1), of: body(1)) { reserved.append($0) } != nil)
    #expect(cache.pixels(for: pixelKey(2), of: body(2)) { reserved.append($0) } == nil)
    #expect(cache.pixels(for: pixelKey(1), of: body(2)) { reserved.append($0) } == nil)
    #expect(reserved == [100 * 50 * 4])
  }

  @Test func aHitOpensNoFileAndReadsTwice() {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    for number in 0..<50 { cache.put(number) }
    #expect(cache.has(0))
    let before = system.counts

    for number in 0..<50 { #expect(cache.has(number)) }

    let after = system.counts
    #expect(after[.open] == before[.open] && after[.close] == before[.close])
    #expect((after[.read] ?? 0) - (before[.read] ?? 0) == 50)
    #expect((after[.readTwo] ?? 0) - (before[.readTwo] ?? 0) == 50)
    #expect(after[.write] == before[.write] && after[.setTimes] == before[.setTimes])
  }

  @Test func openingAndAHitCostTheSameWithManyEntries() {
    let writer = fixture.pixels()
    var counts: [[FaultySystem.Call: Int]] = []
    for end in [10, 2000] {
      for number in 0..<end { writer.put(number, width: 2, height: 2) }
      let system = FaultySystem()
      let cache = fixture.pixels(on: system)
      #expect(cache.has(5, width: 2, height: 2))
      counts.append(system.counts)
    }
    #expect(counts[0] == counts[1])
  }

  @Test func fullBucketsKeepImagesThatWereUsedAShortTimeAgo() {
    let cache = fixture.pixels { $0.bytes = 4 << 20 }
    let capacity = BucketFileHeader.bucketCount(forBytes: 4 << 20) * PixelBucket.capacity
    let numbers = 0..<(capacity + 500)

    let stored = Set(numbers.filter { cache.put($0, width: 1, height: 1) })
    #expect(stored.count <= capacity && stored.count > capacity / 2)
    for number in numbers { #expect(cache.has(number, width: 1, height: 1) == stored.contains(number)) }
    for number in numbers { #expect(cache.put(number, width: 1, height: 1) == stored.contains(number)) }
    #expect(cache.statistics.stores == stored.count, "the same images in turn write nothing more")

    fixture.clock.advance(by: PackTrim.protectedSeconds)
    let others = numbers.filter { !stored.contains($0) }.prefix(10)
    for number in others { #expect(cache.put(number, width: 1, height: 1)) }
    #expect(others.allSatisfy { cache.has($0, width: 1, height: 1) })
    #expect(stored.filter { cache.find($0) == nil }.count == others.count)
    #expect(cache.statistics.damaged == 0)
  }

  @Test func noFolderIsCreatedBeforeTheFirstStore() {
    let cache = fixture.pixels(in: fixture.folder + "/deeper/")
    #expect(cache.find(1) == nil)
    cache.removePixels(of: identity(1))
    cache.removeAllPixels()
    cache.trim()
    #expect(cache.usage() == ImageCache.DiskUsage(count: 0, bytes: 0))
    #expect(cache.verify() == DiskPixelCache.Verification())
    #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/deeper"))
    #expect(cache.put(1) && cache.has(1) && cache.fault == nil)
  }

  @Test func foldersAndFilesArePrivate() throws {
    let cache = fixture.pixels(in: fixture.folder + "/a/b")
    cache.put(1)
    let manager = FileManager.default
    let names = try manager.subpathsOfDirectory(atPath: fixture.folder)
    #expect(names.count == 6)
    for name in names {
      let mode = try manager.attributesOfItem(atPath: "\(fixture.folder)/\(name)")[.posixPermissions] as? Int
      #expect(try #require(mode) & 0o077 == 0, "\(name)")
    }
  }

  @Test func secretsKeepPixelsApartAndAreNotWritten() throws {
    let cache = fixture.pixels()
    let secrets = (1...3).map { identity("a.jpg", headers: ["Cookie": "S3CRET-\($0)"]) }
    for (index, secret) in secrets.enumerated() {
      cache.store(
        pixelImage(seed: index), isAnimated: false, for: PixelKey(identity: secret, variant: "S3CRET"),
        of: body(1))
    }
    let other = fixture.pixels()
    for (index, secret) in secrets.enumerated() {
      let found = other.pixels(for: PixelKey(identity: secret, variant: "S3CRET"), of: body(1)) { _ in }
      #expect(isSame(found, pixelImage(seed: index)))
    }
    #expect(
      other.pixels(for: PixelKey(identity: identity("a.jpg"), variant: "S3CRET"), of: body(1)) { _ in } == nil
    )
    let bytes = try (fixture.packPaths + [fixture.indexPath]).flatMap { try contents($0) }
    #expect(Data(bytes).range(of: Data("S3CRET".utf8)) == nil)
    // The names depend on the key of the folder of responses.
    try FileManager.default.removeItem(atPath: "\(fixture.root)/\(FolderKey.name)")
    let without = fixture.pixels()
    #expect(
      without.pixels(for: PixelKey(identity: secrets[0], variant: "S3CRET"), of: body(1)) { _ in } == nil)
  }

  @Test func pixelsAndResponsesShareADirectory() {
    let (responses, cache) = (fixture.cache(), fixture.pixels())
    responses.store(storedResponse(), for: identity(1))
    cache.put(1)
    #expect(responses.measured().entries == 1 && cache.usage().count == 1)

    #expect(responses.removeAllResponses())
    #expect(cache.has(1))
    responses.store(storedResponse(), for: identity(1))
    cache.removeAllPixels()
    #expect(responses.response(for: identity(1)) == storedResponse() && cache.find(1) == nil)
  }

  @Test func usageCountsImagesAndBytes() {
    let cache = fixture.pixels()
    for number in 0..<10 { cache.put(number, width: 64, height: 64) }
    let usage = cache.usage()
    #expect(usage.count == 10)
    #expect(usage.bytes >= 10 * 64 * 64 * 4 && usage.bytes < 10 * 64 * 64 * 4 + (200 << 10))
    #expect(cache.byteLimit == 256 << 20)
    let found = cache.verify()
    #expect(found.entries == 10 && found.bytes == 10 * 64 * 64 * 4 && found.damaged == 0)
  }

  /// Random stores, lookups and removals, compared with a dictionary.
  @Test func cacheBehavesLikeADictionary() {
    var generator = SplitMix(state: 7)
    var model: [PixelKey: (body: Int, seed: Int)] = [:]
    var cache = fixture.pixels()
    for step in 0..<4000 {
      let key = pixelKey(
        Int.random(in: 0..<40, using: &generator), "\(Int.random(in: 0..<3, using: &generator))")
      let number = Int.random(in: 0..<4, using: &generator)
      switch Int.random(in: 0..<100, using: &generator) {
      case 0: cache = fixture.pixels()
      case 1:
        cache.removeAllPixels()
        model = [:]
      case 2..<8:
        cache.removePixels(of: key.identity)
        model = model.filter { $0.key.identity != key.identity }
      case 8..<40:
        // The same body always has the same pixels.
        #expect(cache.store(pixelImage(seed: number), isAnimated: false, for: key, of: body(number)))
        model[key] = (number, number)
      default:
        let found = cache.pixels(for: key, of: body(number)) { _ in }
        if let known = model[key], known.body == number {
          #expect(isSame(found, pixelImage(seed: known.seed)), "step \(step)")
        } else {
          #expect(found == nil, "step \(step)")
        }
      }
    }
    #expect(cache.statistics.damaged == 0 && cache.usage().count == model.count)
  }
}
