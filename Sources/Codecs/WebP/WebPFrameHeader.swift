import CCodecs
import VitrineLoading

/// The header of a frame of an animation (ANMF chunk).
struct WebPFrameHeader {
  private static let byteCount = 16

  private let origin: (x: Int, y: Int)
  private let size: PixelSize
  private let milliseconds: Int
  private let flags: UInt8
  /// The range of the compressed pixels in the file.
  let pixels: Range<Int>

  /// Reads a header; `nil` for another chunk, and for a frame that is incomplete or does not begin with its pixels.
  init?(_ chunk: WebPChunks.Chunk, _ bytes: UnsafeBufferPointer<UInt8>) {
    let start = chunk.range.lowerBound + 8
    guard chunk.kind == .frame, chunk.isComplete, chunk.payload.count >= Self.byteCount,
      let pixels = Self.pixels(bytes, in: (start + Self.byteCount)..<chunk.range.upperBound)
    else { return nil }
    /// Returns a number of three bytes, least significant byte first.
    func number(_ offset: Int) -> Int {
      (0..<3).reduce(0) { $0 | Int(bytes[start + offset + $1]) << (8 * $1) }
    }
    origin = (2 * number(0), 2 * number(3))
    size = PixelSize(width: number(6) + 1, height: number(9) + 1)
    milliseconds = number(12)
    flags = bytes[start + 15]
    self.pixels = pixels
  }

  /// Returns the range of lossless pixels, or of lossy pixels with or without alpha. Other chunks must not be passed to
  /// libwebp, whose memory for them has not been checked.
  private static func pixels(_ bytes: UnsafeBufferPointer<UInt8>, in part: Range<Int>) -> Range<Int>? {
    var chunks = WebPChunks(bytes, in: part)
    guard let first = chunks.next(), first.isComplete else { return nil }
    switch first.kind {
    case .lossy, .lossless: return first.range
    case .alpha:
      guard let second = chunks.next(), second.isComplete, second.kind == .lossy else { return nil }
      return first.range.lowerBound..<second.range.upperBound
    case .frame, nil: return nil
    }
  }

  /// Returns true if the frame lies on a canvas.
  func fits(_ canvas: PixelSize) -> Bool {
    origin.x + size.width <= canvas.width && origin.y + size.height <= canvas.height
  }

  /// Returns the frame with the header of its pixels; `nil` if that header is damaged.
  func frame(_ bytes: UnsafeBufferPointer<UInt8>) -> WebPFrame? {
    let packed = UnsafeBufferPointer(rebasing: bytes[pixels])
    return try? WebPFrame(WebPData(bytes: packed.baseAddress, size: packed.count), at: origin, size: size)
  }

  func layout(hasAlpha: Bool) -> FrameLayout {
    let (clears, replaces): (UInt8, UInt8) = (1, 2)
    return FrameLayout(
      x: origin.x, y: origin.y, size: size, duration: Double(milliseconds) / 1000,
      blend: flags & replaces != 0 ? .source : .over, disposal: flags & clears != 0 ? .background : .none,
      hasAlpha: hasAlpha)
  }
}
