import VitrineGraphics
import VitrineLoading

/// Collects the complete frames of an animated GIF while the file arrives, and copies their bytes. Each frame is read and
/// copied once.
struct ArrivingGIF {
  private var frames = GIFAnimation.FrameList()
  private(set) var bytes = AnimationBytes()
  /// The reader after the last collected frame, without the bytes of the file; `nil` before the second frame.
  private var reader: GIFFrameReader?
  /// True if no further frame can be collected.
  private(set) var isFinished = false

  /// The frames that more bytes add.
  struct Addition {
    fileprivate var frames: GIFAnimation.FrameList
    /// The reader after the last complete frame.
    fileprivate var reader: GIFFrameReader?
    /// The offset of the end of the last complete frame.
    fileprivate var end: Int
    fileprivate var isFinished = false
  }

  var frameCount: Int { frames.count }

  /// The number of bytes of the tables of all frames.
  var tableBytes: Int { GIFAnimation.tableBytes(frameCount: frameCount) }

  /// Returns the number of bytes of all tables after `addition` is taken.
  func tableBytes(with addition: Addition) -> Int {
    GIFAnimation.tableBytes(frameCount: addition.frames.count)
  }

  /// Reads the complete frames that are not collected yet. O(bytes after the last collected frame).
  ///
  /// - Parameter data: All bytes received so far.
  func addition(of data: [UInt8], limits: DecodeLimits) -> Addition {
    var addition = Addition(frames: frames, reader: nil, end: bytes.count)
    do throws(ImageError) {
      var reader = if let reader { reader.over(data) } else { try GIFFrameReader(data) }
      let limit = limits.frameLimit(of: reader.screen)
      while addition.frames.count < limit {
        guard let frame = try reader.next(), let end = frame.end(limits) else {
          addition.isFinished = true
          return addition
        }
        guard end.isComplete else { return addition }
        addition.frames.append(frame)
        (addition.reader, addition.end) = (reader, end.offset)
      }
      addition.isFinished = true
    } catch {
      addition.isFinished = error != GIFBlockReader.unexpectedEnd
    }
    return addition
  }

  /// Takes the frames of an addition to this value, if there are at least two frames then. Returns true if there are
  /// more frames.
  ///
  /// - Parameter data: The bytes from which the addition was made.
  mutating func take(_ addition: Addition, of data: [UInt8]) -> Bool {
    isFinished = addition.isFinished
    guard addition.frames.count > max(1, frameCount), let reader = addition.reader else { return false }
    bytes.append(data, upTo: addition.end)
    frames = addition.frames
    self.reader = reader.detached(to: bytes.beginning)
    return true
  }

  /// Returns the animation of the collected frames; `nil` for fewer than two frames. O(frames).
  func animation(_ plan: DecodePlan) -> ImageAnimation? {
    guard let reader else { return nil }
    return GIFAnimation(frames, reader).animation(of: bytes, plan: plan, isComplete: false)
  }
}

extension GIFFrame {
  /// Returns the end of the frame's codes; `nil` if the frame is not sound.
  fileprivate func end(_ limits: DecodeLimits) -> (offset: Int, isComplete: Bool)? {
    guard let end = chain.end else { return (0, false) }
    return isSound(limits) ? (end, true) : nil
  }
}
