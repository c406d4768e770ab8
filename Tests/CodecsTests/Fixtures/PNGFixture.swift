/// Writes uncompressed PNG files of any kind, also invalid files.
struct PNGFixture {
  var width: Int
  var height: Int
  var depth = 8
  /// 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
  var colorType = 6
  var isInterlaced = false
  /// Chunks between IHDR and IDAT.
  var chunks: [(type: String, payload: [UInt8])] = []
  /// Chunks after IDAT.
  var trailingChunks: [(type: String, payload: [UInt8])] = []
  /// The samples of a pixel, as many as the color type has.
  var samples: (_ x: Int, _ y: Int) -> [Int]

  /// The whole file.
  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file += Self.chunk("IHDR", header)
    for chunk in chunks { file += Self.chunk(chunk.type, chunk.payload) }
    file += Self.chunk("IDAT", Self.zlib(scanlines))
    for chunk in trailingChunks { file += Self.chunk(chunk.type, chunk.payload) }
    return file + Self.chunk("IEND", [])
  }

  var header: [UInt8] {
    width.bigEndianBytes + height.bigEndianBytes
      + [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
  }

  /// A file that claims a size and has almost no pixel data.
  static func claiming(width: Int, height: Int, isInterlaced: Bool = false) -> [UInt8] {
    var fixture = PNGFixture(width: width, height: height, samples: { _, _ in [] })
    fixture.isInterlaced = isInterlaced
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", fixture.header)
      + chunk("IDAT", zlib([0, 0, 0, 0])) + chunk("IEND", [])
  }

  /// The rows before compression, each after its filter number.
  var scanlines: [UInt8] {
    guard isInterlaced else { return pass(x: 0, y: 0, stepX: 1, stepY: 1) }
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    return passes.flatMap { pass(x: $0.0, y: $0.1, stepX: $0.2, stepY: $0.3) }
  }

  private func pass(x firstX: Int, y firstY: Int, stepX: Int, stepY: Int) -> [UInt8] {
    guard firstX < width else { return [] }
    return stride(from: firstY, to: height, by: stepY).flatMap { y in
      [0] + row(stride(from: firstX, to: width, by: stepX).flatMap { samples($0, y) })
    }
  }

  private func row(_ samples: [Int]) -> [UInt8] {
    if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    let perByte = 8 / depth
    return stride(from: 0, to: samples.count, by: perByte).map { start in
      var byte = 0
      for index in 0..<perByte where start + index < samples.count {
        byte |= samples[start + index] << (8 - depth * (index + 1))
      }
      return UInt8(byte)
    }
  }

  static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + payload
    return payload.count.bigEndianBytes + content + Int(crc32(content)).bigEndianBytes
  }

  /// A zlib stream of stored (uncompressed) blocks.
  static func zlib(_ content: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var offset = 0
    repeat {
      let count = min(65_535, content.count - offset)
      let isLast = offset + count == content.count
      stream += [isLast ? 1 : 0] + count.littleEndianPair + (~count).littleEndianPair
      stream += content[offset..<(offset + count)]
      offset += count
    } while offset < content.count
    var (a, b) = (1, 0)
    for byte in content {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + (b << 16 | a).bigEndianBytes
  }

  private static func crc32(_ content: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in content {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}

extension Int {
  /// The lower four bytes.
  var bigEndianBytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
  }

  /// The lower two bytes.
  var littleEndianPair: [UInt8] {
    [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
  }
}
