import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

struct ResamplingTests {
  private static let stripes = Bitmap.drawn(width: 8, height: 4) { x, _ in x % 2 == 0 ? .white : .black }

  @Test func downscalingAveragesTheCoveredPixels() {
    let half = Self.stripes.resampled(Rect(x: 0, y: 0, width: 8, height: 4), width: 4, height: 2)

    for x in 0..<4 {
      for y in 0..<2 { #expect(half.color(x: x, y: y).distance(to: Color(hex: 0x808080)) <= 1) }
    }
  }

  @Test(arguments: [(1, 1), (3, 2), (8, 4), (13, 9), (64, 64)])
  func uniformColorIsUnchangedByResampling(width: Int, height: Int) {
    let color = Color(red: 201, green: 3, blue: 255)
    let bitmap = Bitmap.drawn(width: 8, height: 4) { _, _ in color }

    let result = bitmap.resampled(Rect(x: 0, y: 0, width: 8, height: 4), width: width, height: height)

    #expect(result.width == width && result.height == height && result.isOpaque)
    for x in 0..<width { for y in 0..<height { #expect(result.color(x: x, y: y) == color) } }
  }

  @Test func upscalingInterpolates() {
    let bitmap = Bitmap.drawn(width: 2, height: 1) { x, _ in x == 0 ? .black : .white }

    let result = bitmap.resampled(Rect(x: 0, y: 0, width: 2, height: 1), width: 8, height: 1)

    let row = (0..<8).map { result.color(x: $0, y: 0).red }
    #expect(row == row.sorted())
    #expect(row.first == 0 && row.last == 255)
    #expect(Set(row).count > 4)
    #expect(
      zip(row, row.reversed()).allSatisfy { abs(Int($0) + Int($1) - 255) <= 1 }, "the gradient is symmetric")
  }

  @Test func transparentPixelsDoNotBleed() {
    let bitmap = Bitmap.drawn(width: 2, height: 2, isOpaque: false) { x, _ in
      x == 0 ? Color(red: 255, green: 0, blue: 0) : Color(red: 0, green: 255, blue: 0, alpha: 0)
    }

    let result = bitmap.resampled(Rect(x: 0, y: 0, width: 2, height: 2), width: 1, height: 1)

    #expect(result.color(x: 0, y: 0) == Color(red: 255, green: 0, blue: 0, alpha: 128))
  }

  @Test func resamplingReadsOnlyTheSourceRectangle() {
    let bitmap = Bitmap.drawn(width: 9, height: 3) { x, _ in (3..<6).contains(x) ? .pureRed : .pureBlue }

    let result = bitmap.resampled(Rect(x: 3, y: 0, width: 3, height: 3), width: 7, height: 7)

    for x in 0..<7 { #expect(result.color(x: x, y: 3) == .pureRed) }
  }

  @Test func resamplingConvertsRGBAToBGRA() {
    let bitmap = Bitmap.drawn(width: 4, height: 4, format: .rgba) { _, _ in .pureRed }

    let result = bitmap.resampled(Rect(x: 0, y: 0, width: 4, height: 4), width: 2, height: 2)

    #expect(result.format == .bgra)
    #expect(result.color(x: 1, y: 1) == .pureRed)
  }

  /// Compares with the average computed in floating point.
  @Test func downscalingIsWithinOneLevelOfTheExactAverage() {
    let bitmap = Bitmap.drawn(width: 37, height: 23) { x, y in
      Color(red: UInt8(x * 53 & 255), green: UInt8(y * 91 & 255), blue: UInt8((x * y) & 255))
    }

    let result = bitmap.resampled(Rect(x: 0, y: 0, width: 37, height: 23), width: 5, height: 4)

    for x in 0..<5 {
      for y in 0..<4 {
        let exact = average(bitmap, columns: sourceRange(x, 37, 5), rows: sourceRange(y, 23, 4))
        #expect(result.color(x: x, y: y).distance(to: exact) <= 1)
      }
    }
  }

  private func sourceRange(_ index: Int, _ length: Int, _ size: Int) -> ClosedRange<Double> {
    let step = Double(length) / Double(size)
    return Double(index) * step...Double(index + 1) * step
  }

  private func average(_ bitmap: Bitmap, columns: ClosedRange<Double>, rows: ClosedRange<Double>) -> Color {
    var sums = (0.0, 0.0, 0.0, 0.0)
    for x in 0..<bitmap.width {
      for y in 0..<bitmap.height {
        let width = max(0, min(columns.upperBound, Double(x + 1)) - max(columns.lowerBound, Double(x)))
        let height = max(0, min(rows.upperBound, Double(y + 1)) - max(rows.lowerBound, Double(y)))
        let color = bitmap.color(x: x, y: y)
        let weight = width * height
        sums.0 += Double(color.red) * weight
        sums.1 += Double(color.green) * weight
        sums.2 += Double(color.blue) * weight
        sums.3 += weight
      }
    }
    func channel(_ sum: Double) -> UInt8 { UInt8((sum / sums.3).rounded()) }
    return Color(red: channel(sums.0), green: channel(sums.1), blue: channel(sums.2))
  }
}

extension SDLTests {
  struct ScalingTests {
    private let checks = Image(width: 32, height: 32) { x, y in (x + y) % 2 == 0 ? .white : .black }

    private func imageCommand(_ size: Double, cornerRadius: Double = 0) -> DrawList.ImageCommand {
      DrawList.ImageCommand(
        image: checks, destination: Rect(x: 0, y: 0, width: size, height: size), cornerRadius: cornerRadius)
    }

    @Test func downscaledImageIsFilteredOnceAndCached() throws {
      let test = try TestHost()
      test.draw { $0.draw(imageCommand(16)) }

      test.frame()

      #expect(test.pixel(8, 8).distance(to: Color(hex: 0x808080)) <= 1, "black and white average to gray")
      #expect(test.host.textureBytes == 16 * 16 * 4)
      #expect(!test.window.isDirty)
      test.view.setNeedsDisplay()
      test.frame()
      #expect(test.host.textureBytes == 16 * 16 * 4, "drawn again from the same texture")
    }

    @Test func sizeThatChangesEachFrameMakesNoTexture() throws {
      let test = try TestHost()
      test.draw { $0.draw(imageCommand(16)) }
      test.frame()
      let bytes = test.host.textureBytes

      for size in 17..<25 {
        test.draw { $0.draw(imageCommand(Double(size))) }
        test.frame()
        #expect(test.host.textureBytes == bytes)
        #expect(test.pixel(size - 1, size - 1) != test.pixel(size, size) || test.pixel(size, size) == .black)
        #expect(test.window.isDirty, "a frame with a filtered image is requested")
      }

      test.drawUntilClean()
      #expect(test.host.textureBytes == bytes + 24 * 24 * 4, "a texture is made when the size is stable")
      #expect(!test.window.isDirty)
    }

    @Test func coarseImageHasRoundedCorners() throws {
      let test = try TestHost()
      test.window.backgroundColor = .pureBlue
      test.draw { $0.draw(imageCommand(16)) }
      test.frame()

      test.draw { $0.draw(imageCommand(20, cornerRadius: 10)) }
      test.frame()

      #expect(test.window.isDirty)
      #expect(test.pixel(0, 0) == .pureBlue)
      #expect(test.pixel(19, 19) == .pureBlue)
      #expect(test.pixel(10, 10) != .pureBlue)
    }
  }
}
