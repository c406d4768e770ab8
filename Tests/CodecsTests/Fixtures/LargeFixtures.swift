import CCodecs
import Glibc

/// Images of many pixels that take a few kilobytes and are made quickly.
enum LargeFixtures {
  /// Returns a PNG filled with zeros.
  ///
  /// - Parameter colorType: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
  static func png(
    width: Int, height: Int, depth: Int, colorType: Int, isInterlaced: Bool = false
  ) -> [UInt8] {
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1
    func count(_ width: Int, _ height: Int) -> Int {
      width > 0 ? height * (1 + (width * channels * depth + 7) / 8) : 0
    }
    var size = isInterlaced ? 0 : count(width, height)
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    for (x, y, stepX, stepY) in passes where isInterlaced {
      let columns = (width - x + stepX - 1) / stepX
      let rows = (height - y + stepY - 1) / stepY
      size += count(columns, rows)
    }
    var header = PNGFixture(width: width, height: height, samples: { _, _ in [] })
    header.depth = depth
    header.colorType = colorType
    header.isInterlaced = isInterlaced
    let palette = colorType == 3 ? chunk("PLTE", [1, 2, 3]) : []
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header.header) + palette
      + chunk("IDAT", packedZeros(size)) + chunk("IEND", [])
  }

  /// Returns a PNG of bytes of a row that depend on its place, with all filters and IDAT chunks of 8 KiB.
  ///
  /// - Parameter chunks: The chunks before the pixels.
  static func filteredPNG(
    width: Int, height: Int, depth: Int = 8, colorType: Int = 2, chunks: [UInt8] = [],
    byte: (_ index: Int, _ y: Int) -> UInt8
  ) -> [UInt8] {
    let bits = ([0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1) * depth
    let (count, distance) = ((width * bits + 7) / 8, max(1, bits / 8))
    var above = [UInt8](repeating: 0, count: count)
    var content: [UInt8] = []
    for y in 0..<height {
      let row = (0..<count).map { byte($0, y) }
      content.append(UInt8(y % 5))
      for index in 0..<count {
        let left = index >= distance ? Int(row[index - distance]) : 0
        let corner = index >= distance ? Int(above[index - distance]) : 0
        let top = Int(above[index])
        let predicted = [0, left, top, (left + top) / 2, paeth(left, top, corner)][y % 5]
        content.append(row[index] &- UInt8(predicted))
      }
      above = row
    }
    var packed = [UInt8](repeating: 0, count: content.count + content.count / 100 + 1000)
    var length = uLongf(packed.count)
    _ = compress2(&packed, &length, content, uLong(content.count), 6)
    var header = PNGFixture(width: width, height: height, samples: { _, _ in [] })
    header.depth = depth
    header.colorType = colorType
    var file: [UInt8] =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header.header) + chunks
    for start in stride(from: 0, to: Int(length), by: 8192) {
      file += chunk("IDAT", Array(packed[start..<min(start + 8192, Int(length))]))
    }
    return file + chunk("IEND", [])
  }

  private static func paeth(_ left: Int, _ top: Int, _ corner: Int) -> Int {
    let distances = (abs(top - corner), abs(left - corner), abs(left + top - 2 * corner))
    if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
    return distances.1 <= distances.2 ? top : corner
  }

  static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + payload
    let sum = crc32(0, content, uInt(content.count))
    return payload.count.bigEndianBytes + content + Int(sum).bigEndianBytes
  }

  private static func packedZeros(_ count: Int) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: count)
    var packed = [UInt8](repeating: 0, count: count / 500 + 1000)
    var length = uLongf(packed.count)
    _ = compress2(&packed, &length, zeros, uLong(count), 9)
    return Array(packed.prefix(Int(length)))
  }

  /// Returns a GIF of one color on a screen that may be smaller than its frame.
  static func gif(screen: (width: Int, height: Int), frame: (width: Int, height: Int)) -> [UInt8] {
    var fixture = GIFFixture(width: screen.width, height: screen.height) { _, _ in 0 }
    fixture.frame = (0, 0, frame.width, frame.height)
    // Codes of three bits, with a clear code before they would need four bits: sixteen pixels in nine bytes.
    var writer = BitWriter()
    let clear = 4
    for _ in 0..<8 { for code in [clear, 0, 0] { writer.write(code, 3) } }
    let count = (frame.width * frame.height + 15) / 16
    let codes = Array(repeatElement(writer.bytes, count: count).joined())
    return fixture.head + subBlocks(codes) + [0x3B]
  }

  private static func subBlocks(_ content: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: 255) {
      let block = content[start..<min(content.count, start + 255)]
      blocks.append(UInt8(block.count))
      blocks += block
    }
    return blocks + [0]
  }

  /// Returns a WebP of two colors. If `hasAlpha` is true, the lower half is partly transparent.
  static func webP(width: Int, height: Int, isLossless: Bool, hasAlpha: Bool) -> [UInt8] {
    var pixels = [UInt8](repeating: 255, count: width * height * 4)
    pixels.withUnsafeMutableBytes { pixels in
      let words = pixels.assumingMemoryBound(to: UInt32.self)
      for index in (words.count / 2)..<words.count { words[index] = hasAlpha ? 0x8020_40C0 : 0xFF20_40C0 }
    }
    return webP(pixels, width: width, height: height, isLossless: isLossless)
  }

  /// Returns a transparent lossy WebP whose packed alpha takes the most memory to unpack: it has two transforms and
  /// numbers of code groups for blocks of 4x4 pixels. All codes have one symbol, so that pixels take no bits.
  static func webPWithAlphaTransforms(width: Int, height: Int) -> [UInt8] {
    var writer = BitWriter()
    // The header of the chunk: packed, not filtered.
    writer.write(1, 8)
    // The predictor and the color transform.
    for kind in 0..<2 {
      for (value, count) in [(1, 1), (kind, 2), (0, 3), (0, 1)] { writer.write(value, count) }
      for _ in 0..<5 { writer.write(1, 4) }
    }
    // No further transform, no color cache, groups for blocks of 4x4 pixels, and no color cache for their numbers.
    for (value, count) in [(0, 1), (0, 1), (1, 1), (0, 3), (0, 1)] { writer.write(value, count) }
    for _ in 0..<10 { writer.write(1, 4) }
    for _ in 0..<8 { writer.write(0, 8) }
    let size = (width - 1).littleEndian4.prefix(3) + (height - 1).littleEndian4.prefix(3)
    let opaque = webP(width: width, height: height, isLossless: false, hasAlpha: false)
    let content =
      riffChunk("VP8X", 0x10.littleEndian4 + size) + riffChunk("ALPH", writer.bytes) + opaque.dropFirst(12)
    return riffChunk("RIFF", Array("WEBP".utf8) + content)
  }

  private static func riffChunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    Array(type.utf8) + payload.count.littleEndian4 + payload + (payload.count % 2 == 1 ? [0] : [])
  }

  /// - Parameter pixels: The red, green, blue and alpha of each pixel.
  static func webP(_ pixels: [UInt8], width: Int, height: Int, isLossless: Bool) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let stride = Int32(width * 4)
    let count =
      isLossless
      ? WebPEncodeLosslessRGBA(pixels, Int32(width), Int32(height), stride, &output)
      : WebPEncodeRGBA(pixels, Int32(width), Int32(height), stride, 10, &output)
    defer { WebPFree(output) }
    return Array(UnsafeBufferPointer(start: output, count: count))
  }
}
