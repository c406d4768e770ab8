import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineImageWidgets

/// Images of another shape than the view.
struct SlideComposerTests {
  private static let orange = Color(red: 200, green: 100, blue: 50)
  private let composer = SlideComposer(width: 96, height: 48)

  private func image(_ width: Int, _ height: Int, _ color: Color, _ format: PixelFormat = .bgra) -> Image {
    Image(Bitmap(width: width, height: height, color: color, format: format))
  }

  @Test(arguments: [PixelFormat.bgra, .rgba])
  func wholeImageLiesOverADarkenedCopy(format: PixelFormat) {
    let result = composer.composition(of: image(50, 100, Self.orange, format)).bitmap

    #expect((result.width, result.height) == (96, 48))
    #expect(result.format == format)
    #expect(result.isOpaque)
    #expect(composer.frame(width: 50, height: 100) == .init(left: 36, top: 0, width: 24, height: 48))
    for y in [0, 20, 47] {
      for x in [36, 50, 59] { #expect(result.color(x: x, y: y) == Self.orange) }
      for x in [0, 35, 60, 95] {
        #expect(result.color(x: x, y: y) == Color(red: 88, green: 44, blue: 22))
      }
    }
  }

  @Test func transparentImageLiesOverBlack() {
    let color = Color(red: 200, green: 100, blue: 50, alpha: 128)

    let result = composer.composition(of: image(50, 100, color)).bitmap

    #expect(result.isOpaque)
    #expect(result.color(x: 48, y: 24) == Color(red: 100, green: 50, blue: 25))
  }

  @Test func shrunkImageAveragesItsPixels() {
    let stripes = Image(width: 48, height: 96) { x, _ in x.isMultiple(of: 2) ? .white : .black }

    let result = composer.composition(of: stripes).bitmap

    #expect(result.color(x: 48, y: 24) == Color(red: 128, green: 128, blue: 128))
  }

  @Test(arguments: [(1, 1), (3000, 2), (2, 3000), (96, 48)])
  func imagesOfAnyShapeAreShownWhole(width: Int, height: Int) {
    let frame = composer.frame(width: width, height: height)
    let result = composer.composition(of: image(width, height, Self.orange)).bitmap

    #expect(frame.width >= 1 && frame.height >= 1)
    #expect(frame.width == 96 || frame.height == 48)
    #expect(result.color(x: frame.left, y: frame.top) == Self.orange)
  }

  @Test(arguments: [
    (1600, 1000, true), (1600, 1200, true), (1000, 1000, false), (1200, 1600, false), (3000, 1000, false),
    (1, 1, false),
  ])
  func shapeDecidesWhetherAnImageFills(width: Int, height: Int, fills: Bool) throws {
    let size = try #require(SlideSize(Size(width: 1280, height: 800), scale: 1, zoom: 1.15))

    #expect(size.fills(imageWidth: width, imageHeight: height) == fills)
  }

  @Test func slidesAreDecodedForTheScaleOfTheWindowAndTheLargestZoom() throws {
    let size = try #require(SlideSize(Size(width: 100, height: 50), scale: 2, zoom: 1.15))

    #expect(size.target == DecodeTarget(width: 230, height: 115, mode: .fillIfSimilar))
    #expect(SlideSize(.zero, scale: 1, zoom: 1) == nil)
  }

  @Test func largerViewNeedsAnotherSlide() throws {
    let slide = SlideImage(.solid(width: 100, height: 50, sourceWidth: 1000, sourceHeight: 500))
    let full = SlideImage(.solid(width: 100, height: 50))
    func size(_ width: Double, _ height: Double) throws -> SlideSize {
      try #require(SlideSize(Size(width: width, height: height), scale: 1, zoom: 1))
    }

    #expect(try !size(150, 75).needsAnother(than: slide))
    #expect(try size(160, 80).needsAnother(than: slide))
    #expect(try !size(1600, 800).needsAnother(than: full))
    #expect(try size(50, 100).needsAnother(than: slide), "it needs a backdrop now")
  }
}
