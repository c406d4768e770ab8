import VitrineGraphics
import VitrineLoading

/// The blocks of a GIF file up to the end of its first frame (GIF89a specification). The bytes are untrusted.
struct GIFStructure {
  let frame: GIFFrame
  /// The reader of the frames after the first.
  let laterFrames: GIFFrameReader

  init(_ bytes: [UInt8]) throws(ImageError) {
    var frames = try GIFFrameReader(bytes)
    guard let frame = try frames.next() else { throw .decoding(.gif, message: "no frame") }
    self.frame = frame
    laterFrames = frames
  }

  /// The size of the logical screen.
  var screen: PixelSize { laterFrames.screen }
}

/// Reads the frames of a GIF file in order, without decompressing their pixels.
struct GIFFrameReader {
  /// The size of the logical screen.
  let screen: PixelSize
  private(set) var globalPalette: ArraySlice<UInt8>?
  /// The number of times that the animation is played; 0 for ever, and 1 if no loop block has been read.
  private(set) var loopCount = 1
  private var reader: GIFBlockReader
  private var paddingCount = 0
  /// The codes of the previous frame, which lie before the next block.
  private var codes: GIFBlockReader.Chain?
  /// The maximum number of padding bytes between the blocks of a file.
  private static let largestPadding = 4096

  /// Reads the header.
  init(_ bytes: [UInt8]) throws(ImageError) {
    reader = GIFBlockReader(bytes)
    try reader.skip(6)
    screen = PixelSize(width: try reader.uint16(), height: try reader.uint16())
    let flags = try reader.byte()
    try reader.skip(2)
    globalPalette = flags & 0x80 != 0 ? try reader.palette(sizeCode: flags & 7) : nil
  }

  /// Returns a reader that goes on with the same file, of which more bytes have arrived.
  func over(_ bytes: [UInt8]) -> GIFFrameReader {
    var copy = self
    copy.reader = reader.over(bytes)
    return copy
  }

  /// Returns a reader that keeps no bytes but those of `beginning`, the beginning of the file with the global palette.
  func detached(to beginning: [UInt8]) -> GIFFrameReader {
    var copy = over([])
    copy.globalPalette = globalPalette.map { beginning[$0.indices] }
    return copy
  }

  /// Reads the blocks up to the codes of the next frame. Returns `nil` at the end of the file.
  mutating func next() throws(ImageError) -> GIFFrame? {
    if let codes { try reader.skip(codes) }
    codes = nil
    var control = GIFControl()
    while true {
      switch try reader.byte() {
      case 0x21:
        try readExtension(&control)
      case 0x2C:
        let frame = try GIFFrame(&reader, globalPalette: globalPalette, control: control)
        codes = frame.chain
        return frame
      case 0x00:
        // Some writers pad with zeros between blocks.
        paddingCount += 1
        guard paddingCount <= Self.largestPadding else {
          throw .decoding(.gif, message: "more padding than an image has")
        }
      case 0x3B:
        return nil
      default:
        throw .decoding(.gif, message: "an unknown block")
      }
    }
  }

  private mutating func readExtension(_ control: inout GIFControl) throws(ImageError) {
    switch try reader.byte() {
    case 0xF9:
      // The control block has one sub-block of four bytes. Further sub-blocks are skipped.
      control = GIFControl(try reader.firstSubBlock()) ?? control
      try reader.skipSubBlocks()
    case 0xFF:
      let application = try reader.firstSubBlock()
      let isLoop =
        application.elementsEqual("NETSCAPE2.0".utf8) || application.elementsEqual("ANIMEXTS1.0".utf8)
      guard isLoop else { return try reader.skipSubBlocks() }
      let content = try reader.firstSubBlock()
      if content.count >= 3, content.first == 1 { loopCount = Int(content.littleEndianUInt16(at: 1)) }
      try reader.skipSubBlocks()
    default:
      try reader.skipSubBlocks()
    }
  }
}

/// The graphic control block of a frame.
struct GIFControl {
  var transparentIndex: UInt8?
  /// The display time in hundredths of a second.
  var centiseconds = 0
  var disposal = FrameLayout.Disposal.none

  /// The values for a frame without a control block.
  init() {}

  /// Reads the content of the block; `nil` if it is shorter than four bytes.
  init?(_ content: ArraySlice<UInt8>) {
    guard content.count >= 4 else { return nil }
    let flags = content[content.startIndex]
    transparentIndex = flags & 1 != 0 ? content[content.startIndex + 3] : nil
    centiseconds = Int(content.littleEndianUInt16(at: 1))
    switch flags >> 2 & 7 {
    case 2: disposal = .background
    case 3: disposal = .previous
    default: disposal = .none
    }
  }
}
