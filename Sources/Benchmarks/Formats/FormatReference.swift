import CCodecs

/// The image libraries alone, each used in its fastest way for a tile of at least a size.
enum FormatReference {
  typealias Size = (width: Int, height: Int)

  /// Returns the decoder for an image. Of two ways, the faster one is found by a measurement.
  static func decoder(of format: FormatCase, _ bytes: [UInt8], for tile: Size) -> () -> Bool {
    switch format {
    case .progressiveJPEG: { TurboReference.decode(bytes, covering: tile) != nil }
    case .png, .pngWithAlpha, .png16: { readPNG(bytes, isInterlaced: false) }
    case .interlacedPNG, .interlacedPNG16: { readPNG(bytes, isInterlaced: true) }
    case .webp, .losslessWebP:
      faster({ readWebP(bytes, scaledTo: tile) }, { readWebP(bytes, scaledTo: nil) })
    }
  }

  private static func faster(_ first: @escaping () -> Bool, _ second: @escaping () -> Bool) -> () -> Bool {
    func shortest(_ decode: () -> Bool) -> Double {
      let times = (0..<3).map { _ in
        let start = SystemCounters.threadCPU
        return decode() ? SystemCounters.threadCPU - start : .infinity
      }
      return times.min() ?? .infinity
    }
    return shortest(first) <= shortest(second) ? first : second
  }

  /// Reads all rows as four bytes per pixel. Keeps no image, unless the rows come in passes. Does not scale.
  private static func readPNG(_ bytes: [UInt8], isInterlaced: Bool) -> Bool {
    let rowsAtOnce = 16
    let bytesPerRow = FormatSet.width * 4
    let rowsKept = isInterlaced ? FormatSet.height : rowsAtOnce
    return bytes.withUnsafeBufferPointer { bytes in
      guard let png = vitrine_png_create() else { return false }
      defer { vitrine_png_close(png) }
      guard vitrine_png_open(png, bytes.baseAddress, bytes.count, true, false) else { return false }
      let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: rowsKept * bytesPerRow)
      defer { rows.deallocate() }
      for _ in 0..<(isInterlaced ? 7 : 1) {
        for y in stride(from: 0, to: FormatSet.height, by: rowsAtOnce) {
          let start = rows + (isInterlaced ? y * bytesPerRow : 0)
          let count = Int32(min(rowsAtOnce, FormatSet.height - y))
          guard vitrine_png_read_rows(png, start, bytesPerRow, count) else { return false }
        }
      }
      return true
    }
  }

  private static func readWebP(_ bytes: [UInt8], scaledTo size: Size?) -> Bool {
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else { return false }
    if let size {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(size.width)
      config.options.scaled_height = Int32(size.height)
    }
    config.output.colorspace = MODE_BGRA
    defer { WebPFreeDecBuffer(&config.output) }
    return WebPDecode(bytes, bytes.count, &config) == VP8_STATUS_OK
  }
}
