import Testing
import VitrineGraphics
import VitrineTesting

struct ImageComparisonTests {
  private func gradient(_ format: PixelFormat = .bgra, alpha: UInt8 = 255) -> Bitmap {
    Bitmap(width: 10, height: 8, format: format) { x, y in
      Color(red: UInt8(20 * x), green: UInt8(30 * y), blue: 7, alpha: alpha)
    }
  }

  /// The gradient with the blue of some pixels raised by `levels`.
  private func changed(by levels: UInt8, _ isChanged: (Int, Int) -> Bool) -> Bitmap {
    Bitmap(width: 10, height: 8) { x, y in
      Color(red: UInt8(20 * x), green: UInt8(30 * y), blue: isChanged(x, y) ? 7 + levels : 7)
    }
  }

  @Test func samePixelsMatchInAnyPixelFormat() {
    let comparison = ImageComparison(of: gradient(.rgba), with: gradient(.bgra), tolerance: .exact)

    #expect(comparison.isMatch)
    #expect(comparison.largestDifference == 0)
    #expect(comparison.differingRect == nil)
    #expect(comparison.description == "no pixel is off by more than 0 levels")
  }

  @Test func differencesWithinTheToleranceMatch() {
    let within = ImageComparison(of: changed(by: 2) { _, _ in true }, with: gradient())
    let beyond = ImageComparison(of: changed(by: 3) { x, y in x == 4 && y == 5 }, with: gradient())

    #expect(within.isMatch)
    #expect(within.largestDifference == 2)
    #expect(!beyond.isMatch)
    #expect(beyond.differingPixelCount == 1)
  }

  @Test func fractionOfPixelsMayDiffer() {
    let actual = changed(by: 200) { x, y in y == 3 && (2..<6).contains(x) }

    let enough = ImageComparison(
      of: actual, with: gradient(), tolerance: ImageTolerance(levels: 2, fraction: 0.05))
    let tooSmall = ImageComparison(
      of: actual, with: gradient(), tolerance: ImageTolerance(levels: 2, fraction: 0.049))

    #expect(enough.isMatch)
    #expect(!tooSmall.isMatch)
    #expect(tooSmall.differingRect == Rect(x: 2, y: 3, width: 4, height: 1))
    #expect(
      tooSmall.description
        == "4 of 80 pixels (5.0 %) are off by more than 2 levels, the worst by 200, all within 4x1 at 2, 3")
  }

  @Test func imagesOfDifferentSizesNeverMatch() {
    let wider = Bitmap(width: 12, height: 8, color: .black)
    let lower = Bitmap(width: 10, height: 2, color: .black)

    let comparison = ImageComparison(
      of: lower, with: wider, tolerance: ImageTolerance(levels: 255, fraction: 1))

    #expect(!comparison.isMatch)
    #expect(comparison.pixelCount == 96)
    #expect(comparison.description == "10x2 pixels, expected were 12x8")
    #expect(comparison.difference.width == 12)
    #expect(comparison.difference.height == 8)
  }

  @Test func colorOfTransparentPixelsIsIgnored() {
    let clear = Bitmap(width: 10, height: 8, color: .clear)

    #expect(ImageComparison(of: gradient(alpha: 0), with: clear, tolerance: .exact).isMatch)
    #expect(ImageComparison(of: gradient(alpha: 1), with: clear, tolerance: .exact).largestDifference == 1)
  }

  @Test func differenceMarksPixelsBeyondTheTolerance() {
    let actual = changed(by: 3) { x, _ in x < 2 }

    let difference = ImageComparison(of: actual, with: gradient()).difference

    #expect(difference.color(x: 0, y: 0) == Color(red: 255, green: 3, blue: 0))
    let other = difference.color(x: 9, y: 7)
    #expect(other.red == other.green && other.green == other.blue && other.red < 86)
  }

  @Test func sideBySideShowsExpectedActualAndDifference() {
    let actual = changed(by: 100) { x, _ in x == 9 }
    let comparison = ImageComparison(of: actual, with: gradient())

    let image = comparison.sideBySide

    #expect(image.width == 3 * 10 + 4 * 8 && image.height == 8 + 2 * 8)
    #expect(image.color(x: 0, y: 0) == Color(hex: 0x808080))
    #expect(image.color(x: 8 + 9, y: 8 + 7) == gradient().color(x: 9, y: 7))
    #expect(image.color(x: 26 + 9, y: 8 + 7) == actual.color(x: 9, y: 7))
    #expect(image.color(x: 44 + 9, y: 8 + 7) == Color(red: 255, green: 100, blue: 0))
  }

  @Test func cropIsClippedToTheBitmap() {
    let part = gradient().cropped(to: Rect(x: 7, y: 6, width: 100, height: 100))

    #expect(part.width == 3 && part.height == 2)
    #expect(part.isOpaque)
    #expect(part.color(x: 2, y: 1) == gradient().color(x: 9, y: 7))
  }
}
