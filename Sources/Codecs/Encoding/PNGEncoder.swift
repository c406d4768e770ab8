import CCodecs
import VitrineGraphics
import VitrineLoading

/// Writes PNG with eight bits per channel, and animated PNG for several frames (PNG specification, third edition).
enum PNGEncoder {
  /// The maximum duration of a frame in seconds. The file has 16 bits for milliseconds.
  private static let longestDuration = 65.0
  /// The maximum number of plays. Numbers of a PNG have 31 bits.
  private static let highestLoopCount = 0x7FFF_FFFF

  static func encode(_ image: Image) throws(ImageError) -> [UInt8] {
    let (width, height) = (image.pixelWidth, image.pixelHeight)
    guard let wide = UInt32(exactly: width), let high = UInt32(exactly: height), max(wide, high) < 1 << 31
    else {
      throw .encoding(.png, message: "a side of more than 2147483647 pixels")
    }
    // The color type is in the header and applies to all frames.
    var hasAlpha = false
    try image.forEachFrame(encodedAs: .png) { frame in
      hasAlpha = hasAlpha || !frame.bitmap.isOpaque && !frame.bitmap.hasOnlyOpaquePixels
    }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    append("IHDR", bytes(wide) + bytes(high) + [8, hasAlpha ? 6 : 2, 0, 0, 0], to: &file)
    guard image.isAnimated else {
      append("IDAT", try compressedRows(image.bitmap, hasAlpha: hasAlpha), to: &file)
      append("IEND", [], to: &file)
      return file
    }
    let loops = bytes(UInt32(clamping: min(image.loopCount, highestLoopCount)))
    append("acTL", bytes(UInt32(image.frameCount)) + loops, to: &file)
    var sequence: UInt32 = 0
    try image.forEachFrame(encodedAs: .png) { (frame) throws(ImageError) in
      let isFirst = sequence == 0
      append("fcTL", control(sequence, wide, high, frame), to: &file)
      sequence += 1
      let rows = try compressedRows(frame.bitmap, hasAlpha: hasAlpha)
      if isFirst {
        append("IDAT", rows, to: &file)
      } else {
        append("fdAT", bytes(sequence) + rows, to: &file)
        sequence += 1
      }
    }
    append("IEND", [], to: &file)
    return file
  }

  /// The frame control chunk (fcTL) of a frame that replaces the whole canvas. The delay is in milliseconds, up to 65 s.
  private static func control(_ sequence: UInt32, _ width: UInt32, _ height: UInt32, _ frame: Image.Frame)
    -> [UInt8]
  {
    let milliseconds = UInt32((min(max(0, frame.duration), longestDuration) * 1000).rounded())
    let origin: UInt32 = 0
    var control = bytes(sequence)
    for number in [width, height, origin, origin, milliseconds << 16 | 1000] { control += bytes(number) }
    let (noDisposal, noBlending): (UInt8, UInt8) = (0, 0)
    return control + [noDisposal, noBlending]
  }

  // MARK: Rows

  private static func compressedRows(_ bitmap: Bitmap, hasAlpha: Bool) throws(ImageError) -> [UInt8] {
    let filtered = filteredRows(bitmap, hasAlpha: hasAlpha)
    var count = compressBound(UInt(filtered.count))
    var compressed = [UInt8](repeating: 0, count: Int(count))
    let result = compress2(&compressed, &count, filtered, UInt(filtered.count), 6)
    guard result == Z_OK else { throw .encoding(.png, message: "zlib failed (\(result))") }
    compressed.removeLast(compressed.count - Int(count))
    return compressed
  }

  /// The rows after filtering, each preceded by its filter number. Each row uses the filter Sub (difference to the
  /// pixel on the left) or Up (difference to the row above), depending on which gives the smaller differences.
  private static func filteredRows(_ bitmap: Bitmap, hasAlpha: Bool) -> [UInt8] {
    let channels = hasAlpha ? 4 : 3
    let rowLength = bitmap.width * channels
    var filtered: [UInt8] = []
    filtered.reserveCapacity((rowLength + 1) * bitmap.height)
    var above = [UInt8](repeating: 0, count: rowLength)
    var row = above
    let red = bitmap.format == .rgba ? 0 : 2
    bitmap.withUnsafeBytes { pixels in
      for y in 0..<bitmap.height {
        for x in 0..<bitmap.width {
          let source = y * bitmap.bytesPerRow + x * PixelFormat.bytesPerPixel
          let target = x * channels
          row[target] = pixels[source + red]
          row[target + 1] = pixels[source + 1]
          row[target + 2] = pixels[source + 2 - red]
          if hasAlpha { row[target + 3] = pixels[source + 3] }
        }
        appendSmaller(row, above: above, channels: channels, to: &filtered)
        swap(&row, &above)
      }
    }
    return filtered
  }

  private static func appendSmaller(
    _ row: [UInt8], above: [UInt8], channels: Int, to filtered: inout [UInt8]
  ) {
    var (leftSum, upSum) = (0, 0)
    for index in row.indices {
      let left = index >= channels ? row[index - channels] : 0
      leftSum += Int(Int8(bitPattern: row[index] &- left).magnitude)
      upSum += Int(Int8(bitPattern: row[index] &- above[index]).magnitude)
    }
    let takesLeft = leftSum < upSum
    filtered.append(takesLeft ? 1 : 2)
    for index in row.indices {
      let left = index >= channels ? row[index - channels] : 0
      filtered.append(row[index] &- (takesLeft ? left : above[index]))
    }
  }

  // MARK: Chunks

  private static func append(_ type: String, _ payload: [UInt8], to file: inout [UInt8]) {
    let checked = Array(type.utf8) + payload
    file += bytes(UInt32(payload.count)) + checked
    file += bytes(UInt32(truncatingIfNeeded: crc32(0, checked, UInt32(checked.count))))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
