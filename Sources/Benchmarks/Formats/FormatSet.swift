/// One image of 2400x1800 in several formats, generated once.
struct FormatSet {
  static let width = 2400
  static let height = 1800

  private let files: GeneratedFiles

  init() throws(BenchmarkError) {
    files = try GeneratedFiles(
      folder: ".build/bench/formats", version: "made-by-1", jobs: FormatCase.allCases.count
    ) { job in
      let format = FormatCase.allCases[job]
      let pixels = ImageMaker.pixels(7, width: Self.width, height: Self.height)
      return [GeneratedFiles.File(name: format.rawValue, bytes: Self.encoded(pixels, as: format))]
    }
  }

  func bytes(_ format: FormatCase) throws(BenchmarkError) -> [UInt8] { try files.bytes(of: format.rawValue) }

  private static func encoded(_ pixels: [UInt8], as format: FormatCase) -> [UInt8] {
    func png(_ pixels: [UInt8], channels: Int = 3, depth: Int = 8, isInterlaced: Bool = false) -> [UInt8] {
      PNGWriter.bytes(
        pixels, width: width, height: height, channels: channels, depth: depth, isInterlaced: isInterlaced)
    }
    switch format {
    case .progressiveJPEG:
      return JPEGEncoder.bytes(pixels, width: width, height: height, quality: 85, isProgressive: true)
    case .png: return png(pixels)
    case .pngWithAlpha: return png(withAlpha(pixels), channels: 4)
    case .png16: return png(deep(pixels), depth: 16)
    case .interlacedPNG: return png(pixels, isInterlaced: true)
    case .interlacedPNG16: return png(deep(pixels), depth: 16, isInterlaced: true)
    case .webp: return WebPWriter.bytes(pixels, width: width, height: height, isLossless: false)
    case .losslessWebP: return WebPWriter.bytes(pixels, width: width, height: height, isLossless: true)
    }
  }

  /// Returns samples of 16 bits, whose lower half is the noise of a sensor.
  private static func deep(_ samples: [UInt8]) -> [UInt8] {
    var random = RandomNumbers(seed: 16)
    return samples.flatMap { [$0, UInt8(truncatingIfNeeded: random.next())] }
  }

  /// Adds transparent corners with a soft edge.
  private static func withAlpha(_ pixels: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (Float(2 * x - width) / Float(width), Float(2 * y - height) / Float(height))
        let opacity = (1.3 - dx * dx - dy * dy) * 4
        let start = (y * width + x) * 3
        result += pixels[start..<start + 3]
        result.append(UInt8(min(1, max(0, opacity)) * 255))
      }
    }
    return result
  }
}
