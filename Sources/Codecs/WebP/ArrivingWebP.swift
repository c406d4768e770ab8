import VitrineGraphics
import VitrineLoading

/// Collects the complete frames of an animated WebP while the file arrives, and copies their bytes. Each frame is read and
/// copied once.
struct ArrivingWebP {
  private var frames = WebPAnimation.FrameList()
  private(set) var bytes = AnimationBytes()
  /// The offset of the chunk after the last collected frame.
  private var offset = WebPChunks.signatureLength
  /// The properties of the animation; `nil` before the second frame.
  private var header: Header?
  /// True if no further frame can be collected.
  private(set) var isFinished = false

  struct Header {
    let canvas: PixelSize
    let loopCount: Int
    let profileBytes: Int

    init(_ container: WebPContainer) {
      (canvas, loopCount) = (container.canvas, container.loopCount)
      profileBytes = container.profileBytes
    }
  }

  /// The frames that more bytes add.
  struct Addition {
    fileprivate var frames: WebPAnimation.FrameList
    fileprivate let header: Header
    /// The end of the last complete frame.
    fileprivate var end: Int
    /// The offset of the chunk after it.
    fileprivate var offset: Int
    fileprivate var isFinished = false
  }

  var frameCount: Int { frames.count }

  /// The number of bytes of the tables of all frames.
  var tableBytes: Int { WebPAnimation.tableBytes(frameCount: frameCount) }

  /// Returns the number of bytes of all tables after `addition` is taken.
  func tableBytes(with addition: Addition?) -> Int {
    WebPAnimation.tableBytes(frameCount: addition?.frames.count ?? frameCount)
  }

  /// Reads the complete frames that are not collected yet; `nil` until the first frame begins. O(bytes after the last
  /// collected frame).
  ///
  /// - Parameter data: All bytes received so far.
  func addition(of data: [UInt8], limits: DecodeLimits) throws(ImageError) -> Addition? {
    try data.withUnsafeBufferPointer { (bytes) throws(ImageError) in
      let header: Header
      if let known = self.header {
        header = known
      } else {
        guard let container = try WebPContainer(beginningOf: bytes) else { return nil }
        header = Header(container)
      }
      var addition = Addition(frames: frames, header: header, end: self.bytes.count, offset: offset)
      var chunks = WebPChunks(bytes, at: offset)
      while let chunk = chunks.next(), chunk.isComplete {
        guard chunk.kind == .frame else { continue }
        guard addition.frames.append(chunk, of: bytes, on: header.canvas, limits: limits) else {
          addition.isFinished = true
          return addition
        }
        (addition.end, addition.offset) = (chunk.range.upperBound, chunks.offset)
      }
      addition.isFinished = WebPChunks.hasAllBytes(bytes)
      return addition
    }
  }

  /// Takes the frames of an addition to this value, if there are at least two frames then. Returns true if there are
  /// more frames.
  ///
  /// - Parameter data: The bytes from which the addition was made.
  mutating func take(_ addition: Addition, of data: [UInt8]) -> Bool {
    isFinished = addition.isFinished
    guard addition.frames.count > max(1, frameCount) else { return false }
    bytes.append(data, upTo: addition.end)
    (frames, header, offset) = (addition.frames, addition.header, addition.offset)
    return true
  }

  /// Returns the animation of the collected frames; `nil` for fewer than two frames, and if the canvas exceeds the
  /// limits. O(frames).
  func animation(_ plan: DecodePlan) -> ImageAnimation? {
    guard let header, plan.stored == header.canvas else { return nil }
    return WebPAnimation(
      frames, canvas: header.canvas, loopCount: header.loopCount, profileBytes: header.profileBytes
    ).animation(of: bytes, plan: plan, isComplete: false)
  }
}
