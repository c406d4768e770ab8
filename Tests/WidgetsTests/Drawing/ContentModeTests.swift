import Testing
import VitrineGraphics
import VitrineWidgets

@Suite("Content mode")
struct ContentModeTests {
  private let bounds = Rect(x: 10, y: 20, width: 40, height: 30)

  private func layout(
    _ mode: ContentMode, _ width: Int, _ height: Int, scale: Double = 1, in bounds: Rect? = nil
  ) -> (source: Rect, destination: Rect) {
    mode.layout(
      pixelWidth: width, pixelHeight: height,
      size: Size(width: Double(width) / scale, height: Double(height) / scale), in: bounds ?? self.bounds)
  }

  /// The origins of an 8x6 image, which is smaller than the bounds.
  private nonisolated static let origins: [(ContentMode, Point)] = [
    (.center, Point(x: 26, y: 32)), (.top, Point(x: 26, y: 20)), (.bottom, Point(x: 26, y: 44)),
    (.left, Point(x: 10, y: 32)), (.right, Point(x: 42, y: 32)), (.topLeft, Point(x: 10, y: 20)),
    (.topRight, Point(x: 42, y: 20)), (.bottomLeft, Point(x: 10, y: 44)), (.bottomRight, Point(x: 42, y: 44)),
  ]

  @Test func contentModesAreAsManyAsInUIKit() {
    #expect(ContentMode.allCases.count == 13)
    #expect(Set(ContentMode.allCases.filter(\.keepsNaturalSize)) == Set(Self.origins.map(\.0)))
  }

  @Test(arguments: origins)
  func smallImageIsPlacedUncropped(mode: ContentMode, origin: Point) {
    let result = layout(mode, 8, 6)

    #expect(result.source == Rect(x: 0, y: 0, width: 8, height: 6))
    #expect(result.destination == Rect(origin: origin, size: Size(width: 8, height: 6)))
  }

  @Test(arguments: origins)
  func imageWithAScaleOfTwoIsHalfAsLarge(mode: ContentMode, origin: Point) {
    let result = layout(mode, 16, 12, scale: 2)

    #expect(result.source == Rect(x: 0, y: 0, width: 16, height: 12))
    #expect(result.destination == Rect(origin: origin, size: Size(width: 8, height: 6)))
  }

  /// The part of a 100x90 image that is visible in 40x30.
  @Test(arguments: [
    (ContentMode.center, Point(x: 30, y: 30)), (.top, Point(x: 30, y: 0)), (.bottom, Point(x: 30, y: 60)),
    (.left, Point(x: 0, y: 30)), (.right, Point(x: 60, y: 30)), (.topLeft, Point(x: 0, y: 0)),
    (.topRight, Point(x: 60, y: 0)), (.bottomLeft, Point(x: 0, y: 60)), (.bottomRight, Point(x: 60, y: 60)),
  ])
  func largeImageIsCroppedToTheBounds(mode: ContentMode, start: Point) {
    let result = layout(mode, 100, 90)

    #expect(result.destination == bounds)
    #expect(abs(result.source.minX - start.x) < 1e-9 && abs(result.source.minY - start.y) < 1e-9)
    #expect(abs(result.source.width - 40) < 1e-9 && abs(result.source.height - 30) < 1e-9)
  }

  @Test(arguments: [(100, 90), (8, 6), (1, 100_000), (40, 30)])
  func redrawHasTheLayoutOfStretch(width: Int, height: Int) {
    #expect(layout(.redraw, width, height) == layout(.stretch, width, height))
    #expect(layout(.redraw, width, height).destination == bounds)
  }

  @Test func fillAndFitKeepTheAspectRatio() {
    #expect(layout(.fit, 80, 30).destination == Rect(x: 10, y: 27.5, width: 40, height: 15))
    #expect(layout(.fill, 80, 30).destination == bounds)
    #expect(layout(.fill, 80, 30).source == Rect(x: 20, y: 0, width: 40, height: 30))
  }

  @Test(arguments: ContentMode.allCases, [(100, 90), (8, 6), (8, 90), (100, 6), (1, 100_000)])
  func layoutStaysWithinTheBoundsAndTheImage(mode: ContentMode, size: (Int, Int)) {
    for bounds in [
      bounds, Rect(x: -7.3, y: 0.1, width: 0.2, height: 300), Rect(x: 0, y: 0, width: 1e5, height: 1e5),
    ] {
      let result = layout(mode, size.0, size.1, in: bounds)

      #expect(bounds.inset(by: -1e-6).contains(result.destination))
      #expect(
        Rect(x: 0, y: 0, width: Double(size.0), height: Double(size.1)).inset(by: -1e-6).contains(
          result.source))
      #expect(!result.destination.isEmpty && !result.source.isEmpty)
    }
  }

  @Test(arguments: ContentMode.allCases)
  func emptyOrNonFiniteSizesGiveAnEmptyLayout(mode: ContentMode) {
    let nothing = (source: Rect.zero, destination: Rect.zero)
    let size = Size(width: 8, height: 6)
    for odd in [0, -1, .nan, .infinity, -.infinity] as [Double] {
      for bounds in [
        Rect(x: 0, y: 0, width: odd, height: 30), Rect(x: 0, y: 0, width: 40, height: odd),
        Rect(x: 0, y: 0, width: odd, height: odd),
      ] {
        #expect(mode.layout(pixelWidth: 8, pixelHeight: 6, size: size, in: bounds) == nothing)
      }
      for size in [Size(width: odd, height: 6), Size(width: 8, height: odd)] {
        #expect(mode.layout(pixelWidth: 8, pixelHeight: 6, size: size, in: bounds) == nothing)
      }
      if !odd.isFinite {
        let far = Rect(x: odd, y: 0, width: 40, height: 30)
        #expect(mode.layout(pixelWidth: 8, pixelHeight: 6, size: size, in: far) == nothing)
      }
    }
    #expect(mode.layout(pixelWidth: 0, pixelHeight: 6, size: size, in: bounds) == nothing)
    // So extreme that the scale factor overflows.
    let huge = Rect(x: 0, y: 0, width: 1e308, height: 1e308)
    let result = mode.layout(
      pixelWidth: 8, pixelHeight: 6, size: Size(width: 1e-300, height: 1e-300), in: huge)
    #expect(result.source.width.isFinite && result.destination.width.isFinite)
  }
}
