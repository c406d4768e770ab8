import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Several sizes of one image in the cache, all of a source of 1600x1200 pixels.
@Suite struct SizedVariantsTests {
  private let cache = MemoryImageCache()

  private func box(_ side: Int) -> DecodeTarget { DecodeTarget(width: side, height: side) }

  /// Inserts the image that a decoder makes for a box of `side` pixels, or at full size.
  @discardableResult
  private func insert(_ side: Int?) -> Image {
    let target = side.map(box)
    let size = target?.outputSize(sourceWidth: 1600, sourceHeight: 1200) ?? (1600, 1200)
    let image = Image.solid(width: size.0, height: size.1, sourceWidth: 1600, sourceHeight: 1200)
    cache.insert(image, for: request(target: target), additionalIdentifier: nil)
    return image
  }

  private func lookUp(_ side: Int?) -> Image? {
    cache.image(for: request(target: side.map(box)), additionalIdentifier: nil)
  }

  @Test func lookupWithoutATargetReturnsTheLargestSize() {
    insert(64)
    let large = insert(256)
    insert(128)

    #expect(lookUp(nil) === large)
    #expect(lookUp(nil) === large)
  }

  @Test func lookupWithATargetReturnsTheSmallestSufficientSize() {
    let small = insert(64)
    insert(256)
    let middle = insert(128)

    #expect(lookUp(10) === small)
    #expect(lookUp(64) === small)
    #expect(lookUp(65) === middle)
    #expect(lookUp(128) === middle)
    #expect(lookUp(257) == nil)
  }

  @Test func fullSizeImageServesEveryTarget() {
    let fullSize = insert(nil)

    #expect(lookUp(5000) === fullSize)
    #expect(lookUp(1) === fullSize)
  }

  @Test func variantServesTheTargetItWasMadeFor() {
    // A transform or a decoder may give fewer pixels than the target's arithmetic says.
    let odd = Image.solid(width: 60, height: 60, sourceWidth: 1200, sourceHeight: 1200)
    cache.insert(odd, for: request(target: box(64)), additionalIdentifier: nil)

    #expect(lookUp(64) === odd)
    #expect(lookUp(63) == nil)
    #expect(lookUp(60) === odd)
  }

  @Test func imageOfTheSameSizeReplacesTheOldOne() {
    let old = insert(64)
    let new = insert(64)

    #expect(old !== new)
    #expect(lookUp(64) === new)
    #expect(cache.statistics.entries == 1)
    #expect(cache.usage == new.cost)
  }

  @Test func imageOfAnotherSourceReplacesAllSizes() {
    insert(64)
    insert(256)
    let other = Image.solid(width: 30, height: 30, sourceWidth: 300, sourceHeight: 300)

    cache.insert(other, for: request(target: box(30)), additionalIdentifier: nil)

    #expect(lookUp(nil) === other)
    #expect(cache.statistics.entries == 1)
  }

  @Test func imageWithAnotherSourceHeightIsOfAnotherSource() {
    insert(64)
    let other = Image.solid(width: 40, height: 25, sourceWidth: 1600, sourceHeight: 1000)

    cache.insert(other, for: request(target: box(25)), additionalIdentifier: nil)

    #expect(lookUp(nil) === other)
    #expect(cache.statistics.entries == 1)
  }

  @Test func newImageForTheSameTargetReplacesTheOldOne() {
    func insert(_ side: Int) -> Image {
      let image = Image.solid(width: side, height: side, sourceWidth: 1200, sourceHeight: 1200)
      cache.insert(image, for: request(target: box(64)), additionalIdentifier: nil)
      return image
    }
    _ = insert(60)
    let new = insert(50)

    #expect(lookUp(64) === new)
    #expect(cache.statistics.entries == 1)
    #expect(cache.usage == new.cost)
  }

  @Test func sizesThatShareOnlyTheirWidthAreBothKept() {
    let flat = Image.solid(width: 60, height: 30, sourceWidth: 1600, sourceHeight: 1200)
    let high = Image.solid(width: 60, height: 45, sourceWidth: 1600, sourceHeight: 1200)
    let flatTarget = DecodeTarget(width: 60, height: 30)
    let highTarget = DecodeTarget(width: 60, height: 45)

    cache.insert(flat, for: request(target: flatTarget), additionalIdentifier: nil)
    cache.insert(high, for: request(target: highTarget), additionalIdentifier: nil)

    #expect(cache.image(for: request(target: flatTarget), additionalIdentifier: nil) === flat)
    #expect(cache.image(for: request(target: highTarget), additionalIdentifier: nil) === high)
    #expect(cache.statistics.entries == 2)
  }

  @Test("Each size can be replaced without losing another", arguments: [64, 128, 256])
  func replacingOneSizeKeepsTheOthers(side: Int) {
    for side in [64, 128, 256] { insert(side) }

    let new = insert(side)

    #expect(lookUp(side) === new)
    for side in [64, 128, 256] { #expect(lookUp(side) != nil, "\(side)") }
    #expect(cache.statistics.entries == 3)
  }

  @Test func removingAnImageResetsItsMissReason() {
    insert(64)
    #expect(cache.missReason(for: request(target: box(640)), additionalIdentifier: nil) == .tooSmall)

    cache.purge(to: 0)
    #expect(cache.missReason(for: request(), additionalIdentifier: nil) == .purged)

    cache.removeImage(for: request(), additionalIdentifier: nil)
    #expect(cache.missReason(for: request(), additionalIdentifier: nil) == .absent)
  }

  @Test func removingAnImageRemovesAllItsSizes() {
    insert(64)
    insert(256)

    #expect(cache.removeImage(for: request(), additionalIdentifier: nil))

    #expect(cache.usage == 0)
    #expect(lookUp(64) == nil)
  }

  @Test func sizesArePurgedIndependently() {
    insert(256)
    let small = insert(64)
    #expect(lookUp(64) === small)

    cache.purge(to: small.cost)

    #expect(lookUp(nil) === small)
  }

  @Test func sizesOfOneRequestAreFoundAsTheSmallestComesAndGoes() {
    let small = request(target: box(64))
    var large = small
    large.targetSize = box(256)
    func insert(_ request: ImageRequest, width: Int, height: Int) -> Image {
      let image = Image.solid(width: width, height: height, sourceWidth: 1600, sourceHeight: 1200)
      cache.insert(image, for: request, additionalIdentifier: nil)
      return image
    }
    func found(_ request: ImageRequest) -> Image? { cache.image(for: request, additionalIdentifier: nil) }

    let largeImage = insert(large, width: 342, height: 256)
    #expect(found(small) === largeImage)
    let smallImage = insert(small, width: 86, height: 64)
    #expect(found(small) === smallImage)
    #expect(found(large) === largeImage)

    cache.purge(to: largeImage.cost)
    #expect(found(small) === largeImage)
    #expect(found(large) === largeImage)

    let newImage = insert(small, width: 86, height: 64)
    #expect(found(small) === newImage)
    #expect(found(large) === largeImage)
  }

  @Test(arguments: [PixelFormat.bgra, .rgba])
  func transformedThumbnailDoesNotServeALargerTarget(format: PixelFormat) async throws {
    // A transform that forgets the source size.
    struct SizeDroppingTransform: ImageTransform {
      let identifier = "forgetful"
      func apply(to image: Image) -> Image { Image(image.bitmap) }
    }
    let world = Fixture { $0.decoding.pixelFormat = format }
    let small = try await world.loaded(request(target: box(8), transforms: [SizeDroppingTransform()]))

    let large = try await world.loaded(request(target: box(32), transforms: [SizeDroppingTransform()]))

    #expect(small.image.pixelHeight == 8)
    #expect(large.image.pixelHeight == 32)
    #expect(large.source == .network)
    #expect(large.image.bitmap.format == format)
  }

  @Test func circleIsServedFromMemoryAtTheSizeItWasMadeFor() async throws {
    let world = Fixture()
    let target = DecodeTarget(width: 16, height: 16, mode: .fit)
    let first = try await world.loaded(request(target: target, transforms: [.circle()]))

    let second = try await world.loaded(request(target: target, transforms: [.circle()]))

    #expect(second.image === first.image)
    #expect(second.source == .memory)
  }
}
