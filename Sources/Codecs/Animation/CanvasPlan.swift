import VitrineGraphics

/// The decisions about saved canvases: from which canvas a frame is composed, and which canvases are saved on the way.
///
/// Canvases are saved while playing goes back. Their positions are those of binomial checkpoints (Griewank and Walther,
/// "Revolve", 2000): 8 canvases are enough to show 219 frames in reverse order with at most 3 decodes of each frame, and
/// 2,001 frames with at most 5.
struct CanvasPlan {
  /// The maximum number of saved canvases of an animation.
  static let largestCount = 8
  /// The maximum number of bytes of the saved canvases of an animation.
  static let byteLimit = 64 << 20
  /// The number of frames after a keyframe that are composed without saved canvases.
  static let shortestRun = 4

  /// The start of composing a frame, and the canvases to save and to release.
  struct Pass: Equatable {
    enum Start: Equatable {
      /// The canvas that is shown.
      case shown
      /// The saved canvas with this frame.
      case saved(Int)
      /// A transparent canvas, below the keyframe.
      case clear
    }

    var start: Start
    /// The frames after which the canvas is saved, in order. If there is no canvas to save at one of them, the next one
    /// takes its place.
    var saves: [Int] = []
    /// The saved canvases to release once the start is on the canvas.
    var releases: [Int] = []
  }

  /// The maximum number of saved canvases; 0 unless canvases may be saved.
  private(set) var capacity = 0
  private let frameCount: Int
  /// True after a step back, until a whole loop was played forward.
  private var isGoingBack = false
  /// The number of frames that were played forward since the last step back.
  private var framesForward = 0
  /// The last frame that was wanted.
  private var position = 0

  /// Creates a plan without saved canvases.
  init(frameCount: Int) { self.frameCount = frameCount }

  /// Allows saved canvases: one for each √n frames of the longest run between keyframes, up to both limits.
  ///
  /// - Parameters:
  ///   - run: The number of frames from a keyframe to the last frame that depends on it, at most.
  ///   - bytes: The number of bytes of a canvas, more than 0.
  mutating func allowCanvases(longestRun run: Int, canvasBytes bytes: Int) {
    let count = min(Self.largestCount, Int(Double(run).squareRoot()), Self.byteLimit / max(1, bytes))
    capacity = run < Self.shortestRun ? 0 : count
  }

  /// Decides how a frame is composed, and remembers the frame.
  ///
  /// - Parameters:
  ///   - keyframe: The latest frame, at `wanted` or before, that can be drawn on a transparent canvas.
  ///   - shown: The frame on the canvas; `nil` for none.
  ///   - saved: The frames whose canvases are saved, in ascending order.
  mutating func pass(to wanted: Int, keyframe: Int, shown: Int?, saved: [Int]) -> Pass {
    let isEarlier = wanted < position
    note(wanted, keyframe: keyframe)
    var (pass, from) = start(wanted, keyframe: keyframe, shown: shown, saved: saved)
    guard isGoingBack else {
      pass.releases = saved
      return pass
    }
    guard isEarlier else { return pass }
    guard wanted - keyframe >= Self.shortestRun else {
      // Playing goes on at another keyframe, for which other canvases are needed.
      pass.releases = saved
      return pass
    }
    let useful = saved.filter { $0 <= wanted }
    var free = capacity - useful.count
    if free <= 0, let crowded = Self.mostCrowded(useful, keyframe: keyframe, within: wanted - from) {
      pass.releases.append(crowded)
      free += 1
    }
    while free > 0, wanted - from > 1 {
      from += Self.distance(over: wanted - from, free: free)
      pass.saves.append(from)
      free -= 1
    }
    let excess = saved.count - pass.releases.count + pass.saves.count - capacity
    pass.releases += saved.dropFirst(useful.count).suffix(max(0, excess))
    return pass
  }

  private mutating func note(_ wanted: Int, keyframe: Int) {
    if wanted >= position {
      framesForward = min(frameCount, framesForward + wanted - position)
    } else if position - wanted < wanted - keyframe {
      // A step back, and neither the next loop nor a jump to a frame that is near its keyframe.
      (isGoingBack, framesForward) = (true, 0)
    }
    if framesForward >= frameCount { isGoingBack = false }
    position = wanted
  }

  /// Returns the start that is nearest to a frame, and the number of the frame on the canvas then.
  private func start(
    _ wanted: Int, keyframe: Int, shown: Int?, saved: [Int]
  ) -> (pass: Pass, frame: Int) {
    let run = keyframe...wanted
    let nearest = saved.last { run.contains($0) }
    if let shown, run.contains(shown), shown >= nearest ?? shown { return (Pass(start: .shown), shown) }
    return nearest.map { (Pass(start: .saved($0)), $0) } ?? (Pass(start: .clear), keyframe - 1)
  }

  /// Returns the saved canvas whose neighbors are nearest to each other; `nil` if they are `length` frames apart or
  /// more. The last canvas, from which composing starts, is needed.
  private static func mostCrowded(_ saved: [Int], keyframe: Int, within length: Int) -> Int? {
    var best: (frame: Int, gap: Int)?
    for (index, frame) in saved.enumerated().dropLast() {
      let gap = saved[index + 1] - (index > 0 ? saved[index - 1] : keyframe - 1)
      if gap < best?.gap ?? length { best = (frame, gap) }
    }
    return best?.frame
  }

  /// Returns the number of frames until the first of `free` canvases is saved, on the way over `length` frames, of which
  /// there are more than 1.
  private static func distance(over length: Int, free: Int) -> Int {
    // With the canvas at the start. The frames that can be shown with at most `draws` decodes of each are one less than
    // the binomial coefficient of `count + draws` and `draws`.
    let count = free + 1
    var (draws, reach) = (0, 1)
    while reach <= length {
      draws += 1
      reach = reach * (count + draws) / draws
    }
    return (length * draws + count + draws - 1) / (count + draws)
  }
}
