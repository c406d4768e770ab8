import VitrineGraphics
import VitrineTesting

/// Writes GIF files with any number of frames.
struct AnimatedGIFFixture {
  struct Frame {
    var x = 0
    var y = 0
    var width: Int
    var height: Int
    var centiseconds = 10
    /// The disposal method, 0 to 7.
    var disposal = 0
    var transparentIndex: UInt8?
    var isInterlaced = false
    var localPalette: [Color]?
    /// The index of each pixel, row by row.
    var indices: [UInt8]
  }

  var width: Int
  var height: Int
  var palette: [Color]? = [.pureRed, .pureGreen, .pureBlue, .white]
  /// The identifier of the application that the loop block names.
  var application = "NETSCAPE2.0"
  /// The number in the loop block; `nil` for none.
  var loopCount: Int?
  /// The number of bits per index.
  var codeSize = 2
  var frames: [Frame]

  /// The whole file.
  var bytes: [UInt8] {
    var file = Array("GIF89a".utf8) + width.littleEndianPair + height.littleEndianPair
    file += [palette.map { 0x80 | GIFFixture.sizeCode($0) } ?? 0, 0, 0] + GIFFixture.entries(palette)
    if let loopCount {
      file += [0x21, 0xFF, 11] + Array(application.utf8) + [3, 1] + loopCount.littleEndianPair + [0]
    }
    for frame in frames { file += bytes(of: frame) }
    return file + [0x3B]
  }

  /// The blocks of a frame.
  func bytes(of frame: Frame) -> [UInt8] {
    var codes = GIFFixture(width: frame.width, height: frame.height) { x, y in
      frame.indices[y * frame.width + x]
    }
    codes.codeSize = codeSize
    codes.isInterlaced = frame.isInterlaced
    let flags = UInt8(frame.disposal << 2) | (frame.transparentIndex == nil ? 0 : 1)
    var blocks: [UInt8] = [0x21, 0xF9, 4, flags] + frame.centiseconds.littleEndianPair
    blocks += [frame.transparentIndex ?? 0, 0, 0x2C] + frame.x.littleEndianPair + frame.y.littleEndianPair
    blocks += frame.width.littleEndianPair + frame.height.littleEndianPair
    let palette = frame.localPalette.map { 0x80 | GIFFixture.sizeCode($0) } ?? 0
    blocks += [palette | (frame.isInterlaced ? 0x40 : 0)] + GIFFixture.entries(frame.localPalette)
    return blocks + [UInt8(codeSize)] + GIFFixture.subBlocks(codes.codes)
  }
}

extension AnimatedGIFFixture {
  /// A file of frames that cover the screen, each of one index.
  static func solid(width: Int = 4, height: Int = 3, _ indices: [UInt8], loopCount: Int? = nil) -> Self {
    let frames = indices.map { index in
      Frame(
        width: width, height: height, indices: [UInt8](repeating: index, count: width * height))
    }
    return Self(width: width, height: height, loopCount: loopCount, frames: frames)
  }

  /// A random animation of 2 to 8 frames: every disposal, partial frames, frames beyond the screen, interlacing, local
  /// palettes and transparency.
  static func random(using generator: inout SplitMix) -> Self {
    let width = Int.random(in: 1...24, using: &generator)
    let height = Int.random(in: 1...24, using: &generator)
    func palette() -> [Color] { (0..<8).map { _ in Color.random(alpha: 255, using: &generator) } }
    var fixture = Self(width: width, height: height, palette: palette(), codeSize: 3, frames: [])
    for _ in 0..<Int.random(in: 2...8, using: &generator) {
      let isWhole = Int.random(in: 0..<3, using: &generator) == 0
      let size = (
        width: isWhole ? width : .random(in: 1...(width + 4), using: &generator),
        height: isWhole ? height : .random(in: 1...(height + 4), using: &generator)
      )
      let isMasked = Bool.random(using: &generator)
      fixture.frames.append(
        Frame(
          x: isWhole ? 0 : .random(in: 0...(width + 1), using: &generator),
          y: isWhole ? 0 : .random(in: 0...(height + 1), using: &generator),
          width: size.width, height: size.height, disposal: .random(in: 0...7, using: &generator),
          transparentIndex: isMasked ? .random(in: 0..<8, using: &generator) : nil,
          isInterlaced: .random(using: &generator),
          localPalette: Bool.random(using: &generator) ? palette() : nil,
          indices: (0..<(size.width * size.height)).map { _ in .random(in: 0..<8, using: &generator) }))
    }
    return fixture
  }

  /// The frames as a viewer should show them.
  var composed: [[[Color]]] {
    ReferenceAnimation(
      width: width, height: height,
      frames: frames.map { frame in
        let palette = frame.localPalette ?? palette ?? []
        return ReferenceAnimation.Frame(
          x: frame.x, y: frame.y, width: frame.width, height: frame.height, isBlended: true,
          disposal: frame.disposal == 2 ? .background : frame.disposal == 3 ? .previous : .keep,
          pixels: frame.indices.map { $0 == frame.transparentIndex ? .clear : palette[Int($0)] })
      }
    ).composed
  }
}
