import VitrineGraphics
import VitrineLoading

/// Collects the complete frames of an animated PNG while the file arrives, and copies their bytes. Each frame is read and
/// copied once. A frame is complete when the next chunk after its pixels has begun to arrive.
struct ArrivingPNG {
  private(set) var bytes = AnimationBytes()
  /// The reader after the last collected frame; `nil` before the second frame.
  private var reader: PNGFrameReader?
  /// The chunks before the pixels, as kept in `bytes`; `nil` before the second frame.
  private(set) var structure: PNGStructure?
  /// True if no further frame can be collected.
  private(set) var isFinished = false

  /// The frames that more bytes add.
  struct Addition {
    /// The reader after the last complete frame; `nil` if there is no more frame.
    fileprivate var reader: PNGFrameReader?
    /// The offset of the end of the last complete frame.
    fileprivate var end: Int
    fileprivate var isFinished = false
  }

  var frameCount: Int { reader?.layouts.count ?? 0 }

  /// The number of bytes of the tables of all frames.
  var tableBytes: Int { PNGAnimation.tableBytes(frameCount: frameCount) }

  /// Returns the number of bytes of all tables after `addition` is taken.
  func tableBytes(with addition: Addition) -> Int {
    PNGAnimation.tableBytes(frameCount: addition.reader?.layouts.count ?? frameCount)
  }

  /// Reads the complete frames that are not collected yet. O(chunks after the last collected frame).
  ///
  /// - Parameters:
  ///   - data: All bytes received so far.
  ///   - beginning: The chunks before the pixels in `data`. Ignored after the second frame.
  func addition(of data: [UInt8], beginning: PNGStructure, limits: DecodeLimits) -> Addition {
    var addition = Addition(reader: nil, end: bytes.count)
    var reader = reader ?? PNGFrameReader(beginning, limits)
    var chunks = PNGChunks(data, at: max(8, bytes.count))
    var count = frameCount
    while !reader.isFinished {
      if chunks.nextType == PNGChunk.fctl || chunks.nextType == PNGChunk.iend {
        reader.endFrame()
        if reader.layouts.count > count {
          count = reader.layouts.count
          (addition.reader, addition.end) = (reader, chunks.offset)
        }
        if reader.isFinished { break }
      }
      let start = chunks.offset
      guard let chunk = chunks.next() else { return addition }
      reader.take(chunk, at: start..<chunks.offset)
    }
    addition.isFinished = true
    return addition
  }

  /// Takes the frames of an addition to this value, if there are at least two frames then. Returns true if there are
  /// more frames.
  ///
  /// - Parameter data: The bytes from which the addition was made.
  mutating func take(_ addition: Addition, of data: [UInt8]) throws(ImageError) -> Bool {
    isFinished = addition.isFinished
    guard let reader = addition.reader, reader.layouts.count > 1 else { return false }
    bytes.append(data, upTo: addition.end)
    // Refers to the bytes that are kept, and not to `data`.
    let kept: PNGStructure? =
      if let structure { structure } else { try PNGStructure(beginningOf: bytes.beginning) }
    guard let kept else { throw .decoding(.png, message: "no pixels") }
    structure = kept
    self.reader = reader.over(kept)
    return true
  }

  /// Returns the collected frames; `nil` for fewer than two frames, and if the canvas exceeds the limits. O(frames).
  func frames(_ limits: DecodeLimits) -> PNGAnimation? {
    guard let structure, let reader else { return nil }
    return PNGAnimation(structure, reader, limits: limits)
  }
}
