import VitrineGraphics
import VitrineLoading

/// Writes GIF89a with one color table per frame. An animation that is played once has no loop block.
enum GIFEncoder {
  /// The shortest duration of an animation's frame in seconds. Players show 0.01 s as 0.1 s.
  private static let shortestDuration = 0.02
  /// The maximum duration in seconds. The file has 16 bits for hundredths of a second.
  private static let longestDuration = 655.0

  static func encode(_ image: Image) throws(ImageError) -> [UInt8] {
    guard let width = UInt16(exactly: image.pixelWidth), let height = UInt16(exactly: image.pixelHeight)
    else {
      throw .encoding(.gif, message: "a side of more than 65535 pixels")
    }
    let size = bytes(width) + bytes(height)
    var file = Array("GIF89a".utf8) + size + [0, 0, 0]
    if image.isAnimated, image.loopCount != 1 {
      // The block has 16 bits for the number of loops.
      let loops = bytes(UInt16(clamping: image.loopCount))
      file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + loops + [0]
    }
    try image.forEachFrame(encodedAs: .gif) { frame in
      let palette = GIFPalette(frame.bitmap)
      let shortest = image.isAnimated ? shortestDuration : 0
      let seconds = min(max(shortest, frame.duration), longestDuration)
      let centiseconds = UInt16(clamping: Int((seconds * 100).rounded()))
      let clearsToBackground: UInt8 = 2 << 2
      file += [0x21, 0xF9, 4, clearsToBackground | (palette.hasTransparency ? 1 : 0)]
      file += bytes(centiseconds) + [GIFPalette.transparentIndex, 0]
      file += [0x2C, 0, 0, 0, 0] + size + [0x87] + palette.table
      file += [8]
      let codes = LZWEncoder.encode(palette.indices)
      for start in stride(from: 0, to: codes.count, by: 255) {
        let block = codes[start..<min(start + 255, codes.count)]
        file.append(UInt8(block.count))
        file += block
      }
      file.append(0)
    }
    return file + [0x3B]
  }

  private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }
}

/// Packs 8-bit indices with the variable-length LZW codes of GIF.
enum LZWEncoder {
  static func encode(_ indices: [UInt8]) -> [UInt8] {
    let (clear, end) = (256, 257)
    var codes: [UInt8] = []
    var (buffer, bits) = (UInt32(0), 0)
    var width = 9
    func emit(_ code: Int) {
      buffer |= UInt32(code) << UInt32(bits)
      bits += width
      while bits >= 8 {
        codes.append(UInt8(truncatingIfNeeded: buffer))
        buffer >>= 8
        bits -= 8
      }
    }
    var table: [Int: Int] = [:]
    var next = end + 1
    emit(clear)
    var prefix = -1
    for index in indices {
      if prefix < 0 {
        prefix = Int(index)
        continue
      }
      let key = prefix << 8 | Int(index)
      if let code = table[key] {
        prefix = code
        continue
      }
      emit(prefix)
      prefix = Int(index)
      if next < 4096 {
        table[key] = next
        if next == 1 << width { width += 1 }
        next += 1
      } else {
        emit(clear)
        table.removeAll(keepingCapacity: true)
        next = end + 1
        width = 9
      }
    }
    if prefix >= 0 { emit(prefix) }
    emit(end)
    if bits > 0 { codes.append(UInt8(truncatingIfNeeded: buffer)) }
    return codes
  }
}
