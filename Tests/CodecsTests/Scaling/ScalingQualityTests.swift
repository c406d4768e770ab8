import Glibc
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

@Suite struct ScalingQualityTests {
  /// Waves of several lengths, which reveal both blurring and shifting.
  private static let image: [UInt8] = {
    var fixture = JPEGFixture(width: 403, height: 301) { x, y in
      func wave(_ length: Double, _ phase: Double) -> Double {
        sin((Double(x) + phase) / length) * cos((Double(y) - phase) / length)
      }
      func channel(_ phase: Double) -> UInt8 {
        UInt8(128 + 60 * wave(31, phase) + 40 * wave(9, phase) + 20 * wave(3, phase))
      }
      return Color(red: channel(0), green: channel(11), blue: channel(29))
    }
    fixture.subsamples = true
    return fixture.bytes
  }()

  /// A simple reference implementation: the mean of the area that each pixel covers.
  ///
  /// - Parameter exact: The exact size of the scaled image, centered in the result, if not `width` by `height`.
  private static func reference(
    of bitmap: Bitmap, width: Int, height: Int, exact: (width: Double, height: Double)? = nil
  ) -> [[Double]] {
    func weights(_ index: Int, _ count: Int, _ source: Int, _ exact: Double) -> [(Int, Double)] {
      let step = Double(source) / exact
      let before = (Double(count) - exact) / 2 * step
      let start = max(0, Double(index) * step - before)
      let end = min(Double(source), Double(index + 1) * step - before)
      return (Int(start)..<min(source, Int(end.rounded(.up)))).map {
        ($0, min(end, Double($0 + 1)) - max(start, Double($0)))
      }
    }
    let columns = (0..<width).map { weights($0, width, bitmap.width, exact?.width ?? Double(width)) }
    return (0..<height).flatMap { y -> [[Double]] in
      let rows = weights(y, height, bitmap.height, exact?.height ?? Double(height))
      return columns.map { columns in
        var sum = [0.0, 0.0, 0.0]
        var area = 0.0
        for (row, rowWeight) in rows {
          for (column, columnWeight) in columns {
            let color = bitmap.color(x: column, y: row)
            for (index, value) in [color.red, color.green, color.blue].enumerated() {
              sum[index] += Double(value) * rowWeight * columnWeight
            }
            area += rowWeight * columnWeight
          }
        }
        return sum.map { $0 / area }
      }
    }
  }

  private static func decibels(of bitmap: Bitmap, against reference: [[Double]]) -> Double {
    var squares = 0.0
    for (color, expectedColor) in zip(bitmap.colors.joined(), reference) {
      for (value, expected) in zip([color.red, color.green, color.blue], expectedColor) {
        squares += (Double(value) - expected) * (Double(value) - expected)
      }
    }
    let mean = squares / Double(reference.count * 3)
    return 10 * log10(255 * 255 / max(mean, 1e-9))
  }

  @Test(
    "a JPEG decoded at a smaller size is close to the downscaled full image", arguments: [12, 40, 90, 290])
  func scaledJPEGIsCloseToTheDownscaledFullImage(side: Int) throws {
    let original = try decode(Self.image).bitmap

    let small = try decode(Self.image, to: DecodeTarget(width: side, height: side, mode: .fit)).bitmap

    let reference = Self.reference(of: original, width: small.width, height: small.height)
    #expect(Self.decibels(of: small, against: reference) > 40)
  }

  @Test("a landscape JPEG that fills a box keeps its exact aspect ratio", arguments: [12, 41, 90, 290])
  func filledLandscapeJPEGKeepsItsAspectRatio(side: Int) throws {
    let original = try decode(Self.image).bitmap

    let small = try decode(Self.image, to: DecodeTarget(width: side, height: side)).bitmap

    let exact = (width: 403 * Double(side) / 301, height: Double(side))
    let reference = Self.reference(of: original, width: small.width, height: small.height, exact: exact)
    #expect(Self.decibels(of: small, against: reference) > 40)
  }

  @Test("a portrait JPEG that fills a box keeps its exact aspect ratio", arguments: [12, 41])
  func filledPortraitJPEGKeepsItsAspectRatio(side: Int) throws {
    let high = JPEGFixture(width: 61, height: 83) { x, y in
      let wave = sin(Double(x) / 9) * cos(Double(y) / 13)
      return Color(red: UInt8(128 + 90 * wave), green: UInt8(y * 2), blue: UInt8(x * 3))
    }
    let original = try decode(high.bytes).bitmap

    let small = try decode(high.bytes, to: DecodeTarget(width: side, height: side)).bitmap

    let exact = (width: Double(side), height: 83 * Double(side) / 61)
    let reference = Self.reference(of: original, width: small.width, height: small.height, exact: exact)
    #expect(Self.decibels(of: small, against: reference) > 36)
  }

  @Test func areaScalerIsExactUpToRounding() throws {
    let original = try decode(Self.image).bitmap

    let small = original.scaledDown(toWidth: 97, height: 41)

    let reference = Self.reference(of: original, width: 97, height: 41)
    for (color, expected) in zip(small.colors.joined(), reference) {
      #expect(abs(Double(color.red) - expected[0]) < 0.52)
      #expect(abs(Double(color.blue) - expected[2]) < 0.52)
    }
    #expect(small.isOpaque)
  }

  @Test(
    "an opaque image that is scaled down a little is close to the exact means",
    arguments: [(402, 300), (403, 151), (322, 240), (250, 301), (203, 203), (202, 151)])
  func slightScalingIsCloseToTheExactMeans(width: Int, height: Int) throws {
    let original = try decode(Self.image).bitmap
    let small = original.scaledDown(toWidth: width, height: height)
    let reference = Self.reference(of: original, width: width, height: height)
    for (color, expected) in zip(small.colors.joined(), reference) {
      for (value, expected) in zip([color.red, color.green, color.blue], expected) {
        #expect(abs(Double(value) - expected) <= 1.5)
      }
    }
    #expect(Self.decibels(of: small, against: reference) > 55)
    #expect(small.isOpaque)
  }

  @Test(
    "stripes of the strongest contrast stay within the bounds of slight scaling",
    arguments: [64, 65, 99, 127])
  func stripesScaledDownALittle(size: Int) {
    let stripes = Bitmap(width: 128, height: 128, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
      for y in 0..<128 {
        for x in 0..<128 {
          let isWhite = [x, y, x + y][x % 3] % 2 == 0
          bytes.storeBytes(
            of: isWhite ? UInt32.max : UInt32(0xFF00_0000).littleEndian,
            toByteOffset: y * bytesPerRow + x * 4,
            as: UInt32.self)
        }
      }
    }
    let small = stripes.scaledDown(toWidth: size, height: size)
    let reference = Self.reference(of: stripes, width: size, height: size)
    for (color, expected) in zip(small.colors.joined(), reference) {
      #expect(abs(Double(color.green) - expected[1]) <= 1.5)
    }
  }

  @Test(
    "opaque images with many rows per output row are close to the exact means",
    arguments: [(2, 3000, 1, 3), (3, 600, 2, 199), (1, 400, 1, 100), (5, 90, 3, 30), (301, 2, 150, 1)])
  func tallImageIsCloseToTheExactMeans(width: Int, height: Int, newWidth: Int, newHeight: Int) {
    let rows = Bitmap(width: width, height: height, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let isWhite = y % 4 == 0 || (x + y) % 7 == 0
          bytes.storeBytes(
            of: isWhite ? UInt32.max : UInt32(0xFF00_0000).littleEndian,
            toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
        }
      }
    }
    let small = rows.scaledDown(toWidth: newWidth, height: newHeight)
    let reference = Self.reference(of: rows, width: newWidth, height: newHeight)
    for (color, expected) in zip(small.colors.joined(), reference) {
      #expect(abs(Double(color.green) - expected[1]) <= 1.5)
    }
  }

  @Test func slightScalingKeepsEvenColors() {
    for value in [UInt8(0), 1, 127, 254, 255] {
      let even = Bitmap(width: 31, height: 29, format: .rgba, isOpaque: true) { bytes, _ in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : value }
      }
      let colors = even.scaledDown(toWidth: 23, height: 19).colors.joined()
      #expect(colors.allSatisfy { $0.red == value && $0.green == value && $0.alpha == 255 })
    }
  }
}

@Suite struct AreaScalerTests {
  private func bitmap(
    _ width: Int, _ height: Int, isOpaque: Bool = false, color: (Int, Int) -> Color
  ) -> Bitmap {
    Bitmap(width: width, height: height, format: .rgba, isOpaque: isOpaque) { bytes, bytesPerRow in
      for y in 0..<height {
        for x in 0..<width {
          let color = color(x, y)
          for (index, value) in [color.red, color.green, color.blue, color.alpha].enumerated() {
            bytes[y * bytesPerRow + x * 4 + index] = value
          }
        }
      }
    }
  }

  @Test func blackAndWhiteAverageToGray() {
    let checker = bitmap(8, 8) { x, y in (x + y) % 2 == 0 ? .white : .black }

    let small = checker.scaledDown(toWidth: 2, height: 4)

    #expect((small.width, small.height) == (2, 4))
    #expect(small.colors.joined().allSatisfy { $0 == Color(red: 128, green: 128, blue: 128) })
  }

  @Test func transparentPixelsDoNotBleed() {
    let half = bitmap(2, 2) { x, _ in x == 0 ? .pureRed : Color(red: 0, green: 255, blue: 0, alpha: 0) }

    let small = half.scaledDown(toWidth: 1, height: 1)

    #expect(small.color(x: 0, y: 0) == Color(red: 255, green: 0, blue: 0, alpha: 128))
    #expect(!small.isOpaque)
  }

  /// Rounding errors must not exhaust the source rows before the last result row.
  @Test(arguments: [(21, 19), (25, 11), (29, 7), (42, 38), (25, 7), (35, 29), (41, 28)])
  func lastRowIsMadeForAnyRatioOfSides(source: Int, result: Int) {
    for isOpaque in [false, true] {
      let stripes = bitmap(1, source, isOpaque: isOpaque) { _, y in y == source - 1 ? .pureBlue : .pureGreen }

      let small = stripes.scaledDown(toWidth: 1, height: result)

      #expect(small.color(x: 0, y: result - 1).blue > 0)
      #expect(small.colors.joined().allSatisfy { $0.alpha == 255 })
    }
  }

  @Test func transparentImageStaysTransparent() {
    let empty = bitmap(5, 5) { _, _ in Color(red: 9, green: 9, blue: 9, alpha: 0) }

    #expect(empty.scaledDown(toWidth: 2, height: 2).colors.joined().allSatisfy { $0 == .clear })
  }

  @Test func oneSideMayBeUnchanged() {
    for isOpaque in [false, true] {
      let stripes = bitmap(6, 3, isOpaque: isOpaque) { _, y in y == 1 ? .pureBlue : .pureRed }

      let small = stripes.scaledDown(toWidth: 2, height: 3)

      #expect(small.colors == [[.pureRed, .pureRed], [.pureBlue, .pureBlue], [.pureRed, .pureRed]])
    }
  }
}

extension Bitmap {
  /// Returns the bitmap scaled down by `AreaScaler`, row by row, as a decoder does.
  fileprivate func scaledDown(toWidth newWidth: Int, height newHeight: Int) -> Bitmap {
    let size = PixelSize(width: newWidth, height: newHeight)
    return Bitmap(width: newWidth, height: newHeight, format: format, isOpaque: isOpaque) { pixels, _ in
      let source = Canvas.Source(PixelSize(width: width, height: height), hasAlpha: !isOpaque)
      var scaler = AreaScaler(source, to: Canvas(pixels: pixels, size: size, orientation: .up))
      withUnsafeBytes { bytes in
        for row in 0..<height { scaler.push(bytes.baseAddress.unsafelyUnwrapped + row * bytesPerRow) }
      }
    }
  }
}
