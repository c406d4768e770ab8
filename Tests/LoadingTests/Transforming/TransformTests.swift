import Testing
import VitrineConcurrency
import VitrineGraphics
@testable import VitrineLoading
import VitrineTesting

/// Pixels that transforms produce, in both byte orders.
@Suite struct TransformTests {
  private static let formats: [PixelFormat] = [.bgra, .rgba]
  private static let purple = Color(red: 200, green: 20, blue: 100)

  /// Alpha values of all pixels, row by row.
  private func alphas(_ image: Image) -> [[UInt8]] {
    (0..<image.pixelHeight).map { y in (0..<image.pixelWidth).map { image.bitmap.color(x: $0, y: y).alpha } }
  }

  @Test(arguments: formats) func circleIsCutFromTheMiddleSquare(format: PixelFormat) {
    let bitmap = Bitmap(width: 7, height: 3, format: format) { x, _ in
      Color(red: UInt8(x), green: 1, blue: 2)
    }

    let image = CircleTransform().apply(to: Image(bitmap))

    #expect((image.pixelWidth, image.pixelHeight) == (3, 3))
    #expect(image.bitmap.format == format)
    #expect(!image.bitmap.isOpaque)
    #expect(
      (0..<3).map { image.bitmap.color(x: $0, y: 1) } == [2, 3, 4].map { Color(red: $0, green: 1, blue: 2) })
  }

  @Test func transformsKeepTheMetadataOfTheImage() throws {
    let metadata = ImageMetadata(title: "Lighthouse")
    let image = Image(
      Bitmap(width: 4, height: 4, color: .white), sourceWidth: 40, sourceHeight: 40, metadata: metadata)

    let result = try image.applying([CircleTransform(), GrayscaleTransform()], .never).get()

    #expect(result.metadata == metadata)
    #expect(!result.isFullSize)
  }

  @Test func circleHasAnAntialiasedEdge() {
    let image = CircleTransform().apply(to: .solid(width: 4, height: 4))

    // Radius 2; centers of the corner pixels lie 1.5 x 1.5 from the middle: 2 - 2.1213 + 0.5 = 0.3787 of 255.
    // Their neighbors lie 1.5 x 0.5: 2 - 1.5811 + 0.5 = 0.9189.
    #expect(
      alphas(image) == [
        [97, 234, 234, 97], [234, 255, 255, 234], [234, 255, 255, 234], [97, 234, 234, 97],
      ])
  }

  @Test(arguments: [1, 3, 5, 8, 33]) func circleIsSymmetric(side: Int) {
    let alphas = alphas(CircleTransform().apply(to: .solid(width: side, height: side)))

    #expect(alphas == alphas.reversed())
    #expect(alphas == alphas.map { $0.reversed() })
    #expect(alphas[side / 2][side / 2] == 255)
  }

  @Test func circleCoversItsArea() {
    let alphas = alphas(CircleTransform().apply(to: .solid(width: 100, height: 100)))

    let area = alphas.joined().reduce(0.0) { $0 + Double($1) / 255 }
    #expect(abs(area - 50 * 50 * Double.pi) < 5)
    #expect(alphas[0][0] == 0)
    #expect(alphas[50][0] >= 254)
  }

  @Test func circleMultipliesTheImagesAlpha() {
    let image = CircleTransform().apply(
      to: .solid(.black.multiplyingAlpha(by: 0.5), width: 4, height: 4))

    #expect(image.bitmap.color(x: 0, y: 0).alpha == 49)
    #expect(image.bitmap.color(x: 1, y: 1).alpha == 128)
  }

  @Test func circleHasASquareSourceSize() {
    let image = CircleTransform().apply(
      to: .solid(width: 16, height: 12, sourceWidth: 1600, sourceHeight: 1200))

    #expect((image.sourceWidth, image.sourceHeight) == (1200, 1200))
    #expect(!image.isFullSize)
  }

  @Test(arguments: formats) func roundedCornersAreAntialiased(format: PixelFormat) {
    let image = RoundedCornersTransform(radius: .pixels(2))
      .apply(to: Image(Bitmap(width: 6, height: 5, color: Self.purple, format: format)))

    #expect(
      alphas(image) == [
        [97, 234, 255, 255, 234, 97], [234, 255, 255, 255, 255, 234], [255, 255, 255, 255, 255, 255],
        [234, 255, 255, 255, 255, 234], [97, 234, 255, 255, 234, 97],
      ])
    var corner = Self.purple
    corner.alpha = 97
    #expect(image.bitmap.color(x: 0, y: 0) == corner, "the color stays")
  }

  @Test func radiusCanBeAFractionOfTheShorterSide() {
    let image = Image.solid(width: 8, height: 20)

    #expect(
      alphas(RoundedCornersTransform(radius: .fraction(0.25)).apply(to: image))
        == alphas(RoundedCornersTransform(radius: .pixels(2)).apply(to: image)))
  }

  @Test func radiusIsAtMostHalfOfTheShorterSide() {
    let image = Image.solid(width: 8, height: 20)

    for radius in [RoundedCornersTransform.Radius.pixels(1e300), .fraction(7), .pixels(.infinity)] {
      #expect(
        alphas(RoundedCornersTransform(radius: radius).apply(to: image))
          == alphas(RoundedCornersTransform(radius: .pixels(4)).apply(to: image)))
    }
  }

  @Test(arguments: [0, -3, Double.nan]) func radiusThatRoundsNothingReturnsTheSameImage(radius: Double) {
    let image = Image.solid(width: 4, height: 4)

    #expect(RoundedCornersTransform(radius: .pixels(radius)).apply(to: image) === image)
    #expect(RoundedCornersTransform(radius: .fraction(radius)).apply(to: image) === image)
  }

  @Test(arguments: formats) func grayscaleIsLuma(format: PixelFormat) {
    let colors = [
      Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0),
      Color(red: 0, green: 0, blue: 255),
      .white, .black, Color(red: 10, green: 200, blue: 30, alpha: 7),
    ]
    let bitmap = Bitmap(width: colors.count, height: 1, format: format) { x, _ in colors[x] }

    let image = GrayscaleTransform().apply(to: Image(bitmap))

    let greys = (0..<colors.count).map { image.bitmap.color(x: $0, y: 0) }
    #expect(greys.map(\.red) == [77, 149, 29, 255, 0, 124])
    #expect(greys.map(\.green) == greys.map(\.red))
    #expect(greys.map(\.blue) == greys.map(\.red))
    #expect(greys.map(\.alpha) == colors.map(\.alpha))
    #expect(image.bitmap.isOpaque == bitmap.isOpaque)
  }

  @Test("SD-A32 the shown frame is the output of a transform of animations")
  func transformsApplyToAllFrames() throws {
    let frames = [Self.purple, .white].map {
      Image.Frame(bitmap: Bitmap(width: 5, height: 3, color: $0), duration: 0.25)
    }
    let animated = Image(frames: frames, scale: 2, format: .gif)

    for transform in [any ImageTransform](arrayLiteral: .circle(), .grayscale(), .rounded(radius: .pixels(1)))
    {
      let image = try animated.applying([transform], .never).get()
      #expect(image.animation?.durations == [0.25, 0.25])
      #expect(image.scale == 2)
      #expect(image.format == .gif)
      let frame = try image.animation?.makeDecoder().frame(1) { false }
      #expect(frame?.color(x: 1, y: 1) == .white && frame?.width == image.pixelWidth)
    }
  }

  @Test func transformedAnimationReleasesTheImageAndCountsItsFramesInMemory() throws {
    let frames = [Self.purple, .white, Self.purple].map {
      Image.Frame(bitmap: Bitmap(width: 6, height: 4, color: $0), duration: 0.25)
    }
    var animated: Image? = Image(frames: frames)
    weak let untransformed = animated

    let image = try animated?.applying([.grayscale()], .never).get()
    animated = nil

    #expect(untransformed == nil)
    #expect(image?.cost == (1 + frames.count) * 6 * 4 * 4)
    let frame = try image?.animation?.makeDecoder().frame(1) { false }
    #expect(frame?.color(x: 1, y: 1) == .white)
  }

  @Test(arguments: 0..<3) func cancelledTransformStopsBetweenRows(index: Int) {
    let transforms: [any ImageTransform] = [.circle(), .grayscale(), .rounded(radius: .pixels(4))]
    let checks = Shared(0)
    let cancellation = DecodeCancellation {
      checks.withLock { checks in
        checks += 1
        return checks > 10
      }
    }

    #expect(throws: ImageError.cancelled) {
      try transforms[index].apply(to: .solid(width: 100, height: 1000), cancellation: cancellation)
    }

    #expect(checks.withLock { $0 } == 12, "ten rows, the row that is not begun, and the end")
  }

  @Test func transformsWithDifferentParametersHaveDifferentIdentifiers() {
    let transforms: [any ImageTransform] = [
      .circle(), .grayscale(), .rounded(radius: .pixels(1)), .rounded(radius: .pixels(2)),
      .rounded(radius: .fraction(1)),
    ]

    #expect(Set(transforms.map(\.identifier)).count == transforms.count)
  }
}
