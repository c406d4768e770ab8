import CCodecs
import Testing
import VitrineGraphics
import VitrineLoading

@testable import VitrineCodecs

/// Lossy WebP that is scaled down from planes.
@Suite(.timeLimit(.minutes(5))) struct WebPPlanesTests {
  /// Encodes an image without alpha.
  private func file(
    _ width: Int, _ height: Int, isLossless: Bool = false, color: (Int, Int) -> Color
  ) -> [UInt8] {
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let color = color(x, y)
        samples += [color.red, color.green, color.blue]
      }
    }
    var encoded: UnsafeMutablePointer<UInt8>?
    let (columns, rows, stride) = (Int32(width), Int32(height), Int32(width * 3))
    let count =
      isLossless
      ? WebPEncodeLosslessRGB(samples, columns, rows, stride, &encoded)
      : WebPEncodeRGB(samples, columns, rows, stride, 90, &encoded)
    defer { WebPFree(encoded) }
    return Array(UnsafeBufferPointer(start: encoded, count: count))
  }

  private func smooth(_ x: Int, _ y: Int) -> Color {
    let isInside = (x - 60) * (x - 60) + (y - 50) * (y - 50) < 1800
    return Color(
      red: UInt8(x * 2 % 256), green: isInside ? 200 : UInt8(y * 2 % 256), blue: isInside ? 40 : 120)
  }

  /// The means of areas of a bitmap, three numbers per pixel.
  private func means(_ bitmap: Bitmap, width: Int, height: Int) -> [Double] {
    func weights(_ index: Int, _ count: Int, _ source: Int) -> [(Int, Double)] {
      let step = Double(source) / Double(count)
      let (start, end) = (Double(index) * step, min(Double(source), Double(index + 1) * step))
      return (Int(start)..<min(source, Int(end.rounded(.up)))).map {
        ($0, min(end, Double($0 + 1)) - max(start, Double($0)))
      }
    }
    let colors = bitmap.colors
    return (0..<height).flatMap { y in
      (0..<width).flatMap { x -> [Double] in
        var (sums, area) = ([0.0, 0.0, 0.0], 0.0)
        for (row, rowWeight) in weights(y, height, bitmap.height) {
          for (column, columnWeight) in weights(x, width, bitmap.width) {
            let (color, weight) = (colors[row][column], rowWeight * columnWeight)
            sums[0] += Double(color.red) * weight
            sums[1] += Double(color.green) * weight
            sums[2] += Double(color.blue) * weight
            area += weight
          }
        }
        return sums.map { $0 / area }
      }
    }
  }

  @Test(
    "a scaled image is close to the means of the pixels that libwebp decodes",
    arguments: [(160, 120), (161, 121), (97, 33), (3, 200)], [0.95, 0.7, 0.5, 0.26, 0.09])
  func scaledImageIsCloseToTheMeans(size: (Int, Int), scale: Double) throws {
    let bytes = file(size.0, size.1, color: smooth)
    let whole = try decode(bytes).bitmap
    let target = DecodeTarget(
      width: max(1, Int(Double(size.0) * scale)), height: max(1, Int(Double(size.1) * scale)), mode: .fit)

    for format in [PixelFormat.bgra, .rgba] {
      let small = try decode(bytes, to: target, as: format).bitmap

      #expect(small.isOpaque && small.width < size.0)
      let expected = means(whole, width: small.width, height: small.height)
      let squares = zip(small.colors.joined().flatMap { [$0.red, $0.green, $0.blue] }, expected)
        .map { (Double($0) - $1) * (Double($0) - $1) }
      // 34 dB, which edges of colors of blocks and the filter of libwebp cost in such small images.
      #expect(squares.reduce(0, +) / Double(squares.count) < 26, "\(size) by \(scale)")
    }
  }

  @Test func flatImageStaysFlat() throws {
    for color in [Color.white, .black, .pureRed, .pureBlue, Color(red: 250, green: 3, blue: 120)] {
      let bytes = file(67, 45) { _, _ in color }
      let expected = try decode(bytes).bitmap.color(x: 20, y: 20)

      for side in [1, 2, 9, 30, 44] {
        let small = try decode(bytes, to: DecodeTarget(width: side, height: side)).bitmap

        #expect(small.colors.joined().allSatisfy { $0.distance(to: expected) <= 2 }, "\(color) to \(side)")
      }
    }
  }

  @Test(arguments: [(2, 1), (1, 2), (2, 2), (3, 1), (8, 1), (9, 2), (1, 300)])
  func narrowImagesAreScaled(width: Int, height: Int) throws {
    let bytes = file(width, height) { _, _ in .white }

    let small = try decode(bytes, to: DecodeTarget(width: 1, height: 1, mode: .fit)).bitmap

    #expect(small.width == 1 && small.height == 1)
    #expect(small.color(x: 0, y: 0).distance(to: .white) <= 2)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt16>) func orientationIsApplied(orientation: UInt16) throws {
    let plan = try DecodePlan(
      format: .webp, stored: PixelSize(width: 64, height: 32),
      orientation: #require(Orientation(rawValue: orientation)),
      options: DecodeOptions(target: DecodeTarget(width: 16, height: 16, mode: .fit)))
    let bytes = file(64, 32) { x, _ in x < 32 ? .pureRed : .white }

    let bitmap = try bytes.withUnsafeBufferPointer { bytes in
      try WebPFrame(WebPContainer(bytes)).bitmap(plan)
    }

    let isFirst = [1, 4, 5, 6].contains(orientation)
    let (x, y) = orientation < 5 ? (1, bitmap.height / 2) : (bitmap.width / 2, 1)
    #expect((bitmap.width, bitmap.height) == (orientation < 5 ? (16, 8) : (8, 16)))
    #expect((bitmap.color(x: x, y: y).distance(to: .pureRed) < 40) == isFirst)
  }

  @Test("conversion follows the formula, and saturates") func conversionFollowsTheFormula() {
    for format in [PixelFormat.bgra, .rgba] {
      let conversion = VideoRangeConversion(format)
      let levels = Array(stride(from: 0, through: 255, by: 17)) + [16, 128, 235, 240, 254, 1]
      for u in levels {
        for v in levels {
          let luma = (0..<32).map { UInt16($0 * 8 + 7) * 256 }
          let (blues, reds) = (
            [UInt16](repeating: UInt16(u) * 256, count: 32), [UInt16](repeating: UInt16(v) * 256, count: 32)
          )
          var pixels = [UInt8](repeating: 1, count: 128)
          pixels.withUnsafeMutableBytes { pixels in
            if let pixels = pixels.baseAddress {
              conversion.write(luma, blue: blues, red: reds, to: pixels, count: 32)
            }
          }
          for (index, y) in luma.enumerated() {
            let level = 1.164 * (Double(y) / 256 - 16)
            let (cb, cr) = (Double(u) - 128, Double(v) - 128)
            let exact = [level + 1.596 * cr, level - 0.392 * cb - 0.813 * cr, level + 2.017 * cb]
            let colors = format == .rgba ? exact : exact.reversed()
            for (channel, color) in colors.enumerated() {
              #expect(abs(Double(pixels[index * 4 + channel]) - min(255, max(0, color))) <= 1.2)
            }
            #expect(pixels[index * 4 + 3] == 255)
          }
        }
      }
    }
  }

  @Test func damagedAndCancelledFramesAreErrors() throws {
    let bytes = file(160, 120, color: smooth)
    let target = DecodeTarget(width: 20, height: 15)

    for count in [bytes.count - 1, bytes.count / 2, 60] {
      #expect(error(Array(bytes.prefix(count)), to: target)?.isDamage(of: .webp) == true)
    }
    #expect(throws: ImageError.cancelled) {
      try WebPDecoder.decode(
        bytes, options: DecodeOptions(target: target), cancellation: DecodeCancellation { true })
    }
  }

  @Test("a lossless image has three bytes per pixel while it is scaled, in both orders")
  func losslessImageIsScaled() throws {
    let bytes = file(61, 47, isLossless: true, color: smooth)
    let whole = try decode(bytes).bitmap

    for format in [PixelFormat.bgra, .rgba] {
      let small = try decode(bytes, to: DecodeTarget(width: 45, height: 45, mode: .fit), as: format).bitmap

      let expected = means(whole, width: small.width, height: small.height)
      for (value, expected) in zip(small.colors.joined().flatMap { [$0.red, $0.green, $0.blue] }, expected) {
        #expect(abs(Double(value) - expected) <= 1.5)
      }
    }
  }
}
