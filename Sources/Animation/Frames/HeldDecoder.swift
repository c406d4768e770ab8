import VitrineGraphics

/// The decoder of an animation, which the pool keeps between two frames.
struct HeldDecoder {
  /// The numbers of frames of a turn while few animations wait: a second or a loop of the animation, whichever is
  /// shorter, within these limits. A decoder that is made again draws the frames again that the next frame depends on, so
  /// that short turns take more time than long ones.
  static let framesPerTurn = 8...32
  /// The number of seconds for which an animation waits, about, if it waits for longer with the turns above. Turns are then
  /// shorter.
  static let secondsToWait = 2

  let decoder: FrameDecoder
  /// The number of the job for which the decoder was made.
  let number: UInt64
  /// The number of frames that were decoded since then.
  private(set) var decodedFrames = 0
  /// The number of frames of the first second or loop, at most a turn.
  private let framesOfSecond: Int

  init(_ decoder: FrameDecoder, number: UInt64) {
    (self.decoder, self.number) = (decoder, number)
    framesOfSecond = Self.framesOfSecond(decoder.animation.durations)
  }

  /// Returns the number of frames in the first second or loop of an animation with these durations, at most a turn.
  static func framesOfSecond(_ durations: [Double]) -> Int {
    var seconds = 0.0
    let frames = durations.prefix(framesPerTurn.upperBound).prefix { duration in
      seconds += duration
      return seconds < 1.001
    }
    return max(1, frames.count)
  }

  /// Returns the same turn with a decoder of more frames.
  func continued(by decoder: FrameDecoder) -> HeldDecoder {
    var copy = HeldDecoder(decoder, number: number)
    copy.decodedFrames = decodedFrames
    return copy
  }

  mutating func countFrame() { decodedFrames += 1 }

  /// Returns true if animations without a decoder may take the memory of this one, although frames are still needed.
  ///
  /// - Parameters:
  ///   - decoderCount: The number of decoders in memory.
  ///   - waitingCount: The number of animations without memory.
  func isTurnOver(decoderCount: Int, waitingCount: Int) -> Bool {
    let longest = max(framesOfSecond, Self.framesPerTurn.lowerBound)
    let framesToWait = Self.secondsToWait * framesOfSecond
    return decodedFrames >= max(1, min(longest, framesToWait * decoderCount / max(1, waitingCount)))
  }
}

/// The decoders that may be released to make room, in the order in which they are. Makes decisions only.
struct ReleasableDecoders {
  /// The use of a decoder. Decoders are released in the order of the cases.
  enum Use: Int, Comparable {
    /// No view needs a frame, or all frames are decoded.
    case unneeded
    /// Views need frames, but have not changed their frames while others have changed theirs several times.
    case rare
    /// The animation is played, and the decoder has had its turn.
    case turnOver
    /// The animation is played.
    case inTurn

    static func < (a: Use, b: Use) -> Bool { a.rawValue < b.rawValue }
  }

  struct Candidate: Hashable {
    /// The number of the track.
    let track: UInt64
    let byteCount: Int
    let use: Use
    /// The order in which decoders with equal `use` are released, least first. For decoders with the use `.unneeded` or
    /// `.rare`, the number of the last demand; for the others, the number of the decoder's first job.
    let age: UInt64
  }

  private let candidates: [Candidate]

  init(_ candidates: some Sequence<Candidate>) {
    self.candidates = candidates.filter { $0.byteCount > 0 }
      .sorted { ($0.use, $0.age, $0.track) < ($1.use, $1.age, $1.track) }
  }

  /// Returns the decoders to release for `bytes` bytes: as many as necessary, or all if these are fewer.
  ///
  /// - Parameters:
  ///   - use: The last use of decoders that may be released.
  ///   - onlyIfEnough: True to return no decoders if their bytes are not enough.
  func chosen(toFree bytes: Int, upTo use: Use, onlyIfEnough: Bool = false) -> [Candidate] {
    var chosen: [Candidate] = []
    var missing = bytes
    for candidate in candidates where candidate.use <= use && missing > 0 {
      chosen.append(candidate)
      missing -= candidate.byteCount
    }
    return onlyIfEnough && missing > 0 ? [] : chosen
  }
}
