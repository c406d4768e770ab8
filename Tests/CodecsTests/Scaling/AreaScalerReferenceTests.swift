import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineCodecs

/// Compares `AreaScaler` with means that are computed in double precision.
@Suite(.timeLimit(.minutes(5))) struct AreaScalerReferenceTests {
  /// Random pixels in the form in which a decoder returns them.
  private struct Pixels {
    let source: Canvas.Source
    let bytes: [UInt8]

    init(
      _ size: PixelSize, hasAlpha: Bool, bytesPerPixel: Int = 4, swaps: Bool = false,
      random: inout SplitMix
    ) {
      var source = Canvas.Source(size, hasAlpha: hasAlpha)
      source.bytesPerPixel = bytesPerPixel
      source.swapsRedAndBlue = swaps
      self.source = source
      // Values at the ends of the range are as frequent as the others.
      let bytes = (0..<source.bytesPerRow * size.height).map { _ in
        let value = UInt8.random(in: 0...255, using: &random)
        return value % 4 == 0 ? [0, 1, 254, 255][Int(value) / 4 % 4] : value
      }
      self.bytes = hasAlpha ? bytes : bytes.enumerated().map { $0 % bytesPerPixel == 3 ? 255 : $1 }
    }

    /// Random pixels with given alpha.
    init(_ size: PixelSize, random: inout SplitMix, alpha: (_ x: Int, _ y: Int) -> UInt8) {
      let pixels = Pixels(size, hasAlpha: true, random: &random)
      source = pixels.source
      bytes = pixels.bytes.enumerated().map { index, value in
        index % 4 == 3 ? alpha(index / 4 % size.width, index / 4 / size.width) : value
      }
    }

    func samples(_ x: Int, _ y: Int) -> [Double] {
      let start = y * source.bytesPerRow + x * source.bytesPerPixel
      let pixel = bytes[start..<start + source.bytesPerPixel].map { Double($0) }
      let ordered = source.swapsRedAndBlue ? [pixel[2], pixel[1], pixel[0]] : Array(pixel.prefix(3))
      return ordered + [pixel.count == 4 ? pixel[3] : 255]
    }

    func scaled(to size: PixelSize) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: size.width * size.height * 4)
      result.withUnsafeMutableBytes { pixels in
        var scaler = AreaScaler(source, to: Canvas(pixels: pixels, size: size, orientation: .up))
        bytes.withUnsafeBytes { bytes in
          for y in 0..<source.size.height {
            // A copy, so that a read beyond the row is found by the address sanitizer.
            Array(bytes[(y * source.bytesPerRow)..<((y + 1) * source.bytesPerRow)])
              .withUnsafeBytes { $0.baseAddress.map { scaler.push($0) } }
          }
        }
      }
      return result
    }

    /// The exact means with colors weighted by alpha: four numbers per pixel.
    func means(_ size: PixelSize) -> [Double] {
      func weights(_ index: Int, _ count: Int, _ source: Int) -> [(index: Int, weight: Double)] {
        let step = Double(source) / Double(count)
        let (start, end) = (Double(index) * step, min(Double(source), Double(index + 1) * step))
        return (Int(start)..<min(source, Int(end.rounded(.up)))).map {
          ($0, min(end, Double($0 + 1)) - max(start, Double($0)))
        }
      }
      let columns = (0..<size.width).map { weights($0, size.width, source.size.width) }
      return (0..<size.height).flatMap { y in
        let rows = weights(y, size.height, source.size.height)
        return columns.flatMap { columns in
          var (sums, area) = ([0.0, 0.0, 0.0, 0.0], 0.0)
          for row in rows {
            for column in columns {
              let samples = samples(column.index, row.index)
              let weight = row.weight * column.weight
              for channel in 0..<3 { sums[channel] += samples[channel] * samples[3] * weight }
              sums[3] += samples[3] * weight
              area += weight
            }
          }
          return (0..<3).map { sums[3] > 0 ? sums[$0] / sums[3] : 0 } + [sums[3] / area]
        }
      }
    }
  }

  /// Returns the number of samples that differ from the exact means by more than a tolerance, which is larger for the
  /// colors of pixels that are nearly transparent.
  private func differences(_ pixels: Pixels, to size: PixelSize, tolerance: Double) -> Int {
    let (scaled, means) = (pixels.scaled(to: size), pixels.means(size))
    return stride(from: 0, to: scaled.count, by: 4).reduce(0) { sum, start in
      let alpha = means[start + 3]
      guard alpha >= 1 else { return sum + (scaled[start + 3] > 1 ? 1 : 0) }
      let wrong = (0..<4).filter { channel in
        let allowed = channel < 3 && alpha < 255 ? tolerance + 4 / alpha : tolerance
        return abs(Double(scaled[start + channel]) - means[start + channel]) > allowed
      }
      return sum + wrong.count
    }
  }

  @Test("images with alpha of random sizes have the exact means, rounded", arguments: 0..<40)
  func imagesWithAlpha(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let sides = [1...3, 1...40, 20...160]
    func side() -> Int { Int.random(in: sides[Int.random(in: 0..<3, using: &random)], using: &random) }
    let size = PixelSize(width: side(), height: side())
    let result = PixelSize(
      width: Int.random(in: 1...size.width, using: &random),
      height: Int.random(in: 1...size.height, using: &random))
    let pixels = Pixels(size, hasAlpha: true, swaps: seed % 2 == 0, random: &random)

    #expect(differences(pixels, to: result, tolerance: 0.53) == 0, "\(size) to \(result)")
  }

  /// The width is that of two blocks of `AlphaBlocks` and of three more columns.
  @Test(
    "a single pixel with another alpha is scaled at any position of a block, in any row",
    arguments: [(255, 0), (255, 128), (255, 254), (0, 255), (0, 1)] as [(UInt8, UInt8)])
  func singlePixels(others: UInt8, alpha: UInt8) {
    var random = SplitMix(state: UInt64(others) + UInt64(alpha))
    let size = PixelSize(width: 2 * AlphaBlocks.width + 3, height: 5)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixels = Pixels(size, random: &random) { ($0, $1) == (x, y) ? alpha : others }

        for result in [PixelSize(width: 38, height: 3), PixelSize(width: 11, height: 2)] {
          #expect(differences(pixels, to: result, tolerance: 0.53) == 0, "\(x), \(y) to \(result)")
        }
      }
    }
  }

  @Test("blocks that change between opaque, transparent and mixed have the exact means", arguments: 0..<40)
  func changingBlocks(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let size = PixelSize(
      width: Int.random(in: 30...200, using: &random), height: Int.random(in: 1...60, using: &random))
    let result = PixelSize(
      width: Int.random(in: 1...size.width, using: &random),
      height: Int.random(in: max(1, size.height / 12)...size.height, using: &random))
    let patch = Int.random(in: 1...70, using: &random)
    let alphas = (0..<1000).map { _ in [0, 255, 255, 0, 90].randomElement(using: &random) ?? 0 as UInt8 }
    let pixels = Pixels(size, random: &random) { x, y in
      alphas[(y / (1 + seed % 3) * 7 + (x + y) / patch) % alphas.count]
    }

    #expect(differences(pixels, to: result, tolerance: 0.53) == 0, "\(size) to \(result)")
  }

  @Test(
    "an opaque image with alpha stays opaque and has the exact means",
    arguments: [
      (100, 60, 57, 34), (97, 61, 96, 60), (64, 64, 64, 8), (64, 64, 63, 7), (130, 40, 9, 39), (31, 9, 20, 5),
    ])
  func opaqueImagesWithAlpha(width: Int, height: Int, newWidth: Int, newHeight: Int) {
    var random = SplitMix(state: 4)
    let result = PixelSize(width: newWidth, height: newHeight)
    let pixels = Pixels(PixelSize(width: width, height: height), random: &random) { _, _ in 255 }

    #expect(differences(pixels, to: result, tolerance: 0.53) == 0)
    #expect(pixels.scaled(to: result).enumerated().allSatisfy { $0 % 4 != 3 || $1 == 255 })
  }

  @Test("even colors are kept in opaque parts", arguments: [0, 1, 127, 128, 254, 255] as [UInt8])
  func evenColors(value: UInt8) {
    for (width, height) in [(57, 34), (99, 59), (50, 8), (20, 7), (3, 30), (1, 1)] {
      let source = Canvas.Source(PixelSize(width: 100, height: 60), hasAlpha: true)
      var result = [UInt8](repeating: 7, count: width * height * 4)
      result.withUnsafeMutableBytes { pixels in
        let canvas = Canvas(pixels: pixels, size: PixelSize(width: width, height: height), orientation: .up)
        var scaler = AreaScaler(source, to: canvas)
        let row = (0..<source.bytesPerRow).map { $0 % 4 == 3 ? 255 : value }
        row.withUnsafeBytes { row in
          for _ in 0..<60 { row.baseAddress.map { scaler.push($0) } }
        }
      }
      #expect(result.enumerated().allSatisfy { $1 == ($0 % 4 == 3 ? 255 : value) }, "\(width)x\(height)")
    }
  }

  @Test("opaque images of three and four bytes per pixel have the exact means", arguments: 0..<40)
  func opaqueImages(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    let size = PixelSize(
      width: Int.random(in: 1...90, using: &random), height: Int.random(in: 1...90, using: &random))
    let result = PixelSize(
      width: Int.random(in: 1...size.width, using: &random),
      height: Int.random(in: 1...size.height, using: &random))
    let pixels = Pixels(
      size, hasAlpha: false, bytesPerPixel: seed % 2 == 0 ? 3 : 4, swaps: seed % 4 < 2, random: &random)

    // Images that are scaled down a little have a larger tolerance.
    let isSlight = size.height <= 3 * result.height && size.width <= 3 * result.width
    #expect(differences(pixels, to: result, tolerance: isSlight ? 1.5 : 0.53) == 0, "\(size) to \(result)")
    #expect(pixels.scaled(to: result).enumerated().allSatisfy { $0 % 4 != 3 || $1 == 255 })
  }

  @Test(
    "sums of many white rows do not overflow",
    arguments: [(3, 255), (2, 4096), (1, 32_765), (1, 32_766), (1, 65_535), (1, 131_100)])
  func sumsOfManyRowsDoNotOverflow(width: Int, height: Int) {
    for (hasAlpha, bytesPerPixel) in [(true, 4), (false, 4), (false, 3)] {
      let source = {
        var source = Canvas.Source(PixelSize(width: width, height: height), hasAlpha: hasAlpha)
        source.bytesPerPixel = bytesPerPixel
        return source
      }()
      var result: [UInt8] = [0, 0, 0, 0]
      result.withUnsafeMutableBytes { pixels in
        let canvas = Canvas(pixels: pixels, size: PixelSize(width: 1, height: 1), orientation: .up)
        var scaler = AreaScaler(source, to: canvas)
        let row = [UInt8](repeating: 255, count: source.bytesPerRow)
        row.withUnsafeBytes { row in
          for _ in 0..<height { row.baseAddress.map { scaler.push($0) } }
        }
      }
      #expect(result == [255, 255, 255, 255], "\(width)x\(height), alpha \(hasAlpha)")
    }
  }

  @Test("sums of many wide rows do not overflow") func sumsOfWideRowsDoNotOverflow() {
    var random = SplitMix(state: 9)
    for hasAlpha in [true, false] {
      let pixels = Pixels(PixelSize(width: 20_000, height: 9), hasAlpha: hasAlpha, random: &random)

      #expect(differences(pixels, to: PixelSize(width: 1, height: 2), tolerance: 0.53) == 0)
    }
  }

  @Test("colors of pixels with little alpha are kept", arguments: [1, 2, 255] as [UInt8])
  func colorsWithLittleAlphaAreKept(alpha: UInt8) {
    for height in [2, 3, 7, 40_000] {
      let source = Canvas.Source(PixelSize(width: 1, height: height), hasAlpha: true)
      var result: [UInt8] = [0, 0, 0, 0]
      result.withUnsafeMutableBytes { pixels in
        let canvas = Canvas(pixels: pixels, size: PixelSize(width: 1, height: 1), orientation: .up)
        var scaler = AreaScaler(source, to: canvas)
        let row = [10, 20, 250, alpha]
        row.withUnsafeBytes { row in
          for _ in 0..<height { row.baseAddress.map { scaler.push($0) } }
        }
      }
      let isExact = height < 40_000
      #expect(zip(result, [10, 20, 250, alpha]).allSatisfy { abs(Int($0) - Int($1)) <= (isExact ? 0 : 2) })
    }
  }
}
