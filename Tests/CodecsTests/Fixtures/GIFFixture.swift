import VitrineGraphics

/// Writes GIF files with one frame, also invalid files.
struct GIFFixture {
  var screen: (width: Int, height: Int)
  /// The frame's position and size; the whole screen by default.
  var frame: (x: Int, y: Int, width: Int, height: Int)
  var isInterlaced = false
  var transparentIndex: UInt8?
  var globalPalette: [Color]?
  var localPalette: [Color]?
  /// The number of bits per index.
  var codeSize = 2
  /// True to clear a full code table; otherwise the table is used unchanged to the end.
  var clearsFullTable = true
  var index: (_ x: Int, _ y: Int) -> UInt8

  init(
    width: Int, height: Int, palette: [Color] = [.pureRed, .pureGreen, .pureBlue, .white],
    index: @escaping (_ x: Int, _ y: Int) -> UInt8
  ) {
    screen = (width, height)
    frame = (0, 0, width, height)
    globalPalette = palette
    self.index = index
  }

  /// The whole file.
  var bytes: [UInt8] { head + Self.subBlocks(codes) + [0x3B] }

  /// Everything up to the codes.
  var head: [UInt8] {
    var file = Array("GIF89a".utf8)
    file += screen.width.littleEndianPair + screen.height.littleEndianPair
    file += [globalPalette.map { 0x80 | Self.sizeCode($0) } ?? 0, 0, 0]
    file += Self.entries(globalPalette)
    file += [0x21, 0xFE, 3] + Array("hey".utf8) + [0]
    if let transparentIndex { file += [0x21, 0xF9, 4, 1, 0, 0, transparentIndex, 0] }
    file += [0x2C] + frame.x.littleEndianPair + frame.y.littleEndianPair
    file += frame.width.littleEndianPair + frame.height.littleEndianPair
    file += [(localPalette.map { 0x80 | Self.sizeCode($0) } ?? 0) | (isInterlaced ? 0x40 : 0)]
    return file + Self.entries(localPalette) + [UInt8(codeSize)]
  }

  /// The compressed pixels of the frame.
  var codes: [UInt8] {
    var rows = Array(0..<frame.height)
    if isInterlaced {
      let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
      rows = passes.flatMap { Array(stride(from: $0.0, to: frame.height, by: $0.1)) }
    }
    let indices = rows.flatMap { y in (0..<frame.width).map { x in index(x, y) } }
    return compress(indices)
  }

  /// Compresses with LZW.
  private func compress(_ indices: [UInt8]) -> [UInt8] {
    let clear = 1 << codeSize
    var writer = BitWriter()
    var table: [[UInt8]: Int] = [:]
    var width = codeSize + 1
    func code(of string: [UInt8]) -> Int { string.count == 1 ? Int(string[0]) : table[string] ?? 0 }
    writer.write(clear, width)
    var string: [UInt8] = []
    for index in indices {
      let longer = string + [index]
      if longer.count == 1 || table[longer] != nil {
        string = longer
        continue
      }
      writer.write(code(of: string), width)
      let next = clear + 2 + table.count
      if next < 4096 {
        table[longer] = next
        if next == 1 << width { width += 1 }
      } else if clearsFullTable {
        writer.write(clear, width)
        table = [:]
        width = codeSize + 1
      }
      string = [index]
    }
    writer.write(code(of: string), width)
    // The decoder has added one more string at this point.
    if clear + 2 + table.count == 1 << width, width < 12 { width += 1 }
    writer.write(clear + 1, width)
    return writer.bytes
  }

  static func subBlocks(_ content: [UInt8]) -> [UInt8] {
    stride(from: 0, to: content.count, by: 255).flatMap { start in
      let block = content[start..<min(content.count, start + 255)]
      return [UInt8(block.count)] + block
    } + [0]
  }

  static func sizeCode(_ palette: [Color]) -> UInt8 {
    UInt8(max(1, (palette.count - 1).bitWidth - (palette.count - 1).leadingZeroBitCount) - 1)
  }

  static func entries(_ palette: [Color]?) -> [UInt8] {
    guard let palette else { return [] }
    let count = 2 << Int(sizeCode(palette))
    return (0..<count).flatMap { index -> [UInt8] in
      guard index < palette.count else { return [0, 0, 0] }
      return [palette[index].red, palette[index].green, palette[index].blue]
    }
  }
}

/// Codes packed from the lowest bit.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var used = 0

  mutating func write(_ code: Int, _ width: Int) {
    for bit in 0..<width {
      if used % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(code >> bit & 1) << UInt8(used % 8)
      used += 1
    }
  }
}
