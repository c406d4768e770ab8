import VitrineGraphics

/// The steps of one loop of an animation: the frame of each step, and the time at which the step ends. O(frames) memory.
struct PlaybackOrder: Hashable {
  /// The tolerance in seconds for rounding errors in sums of durations.
  static let tolerance = 1e-6
  /// The longest duration of a frame in seconds, so that sums stay finite: about 30 years.
  static let longestDuration = 1e9

  /// The frame of each step.
  let frames: [Int]
  /// The seconds from the start of the loop to the end of each step.
  private let ends: [Double]

  /// - Parameter durations: The seconds for which each frame is shown: at least one number. Numbers below
  ///   `ImageAnimation.shortestDuration` are replaced, and those above `longestDuration` are clamped.
  init(_ mode: PlaybackMode, durations: [Double]) {
    let forward = Array(durations.indices)
    let inner = forward.dropFirst().dropLast()
    frames =
      switch mode {
      case .forward: forward
      case .reverse: forward.reversed()
      case .bounce: forward + inner.reversed()
      case .reverseBounce: forward.reversed() + inner
      }
    var end = 0.0
    ends = frames.map {
      let duration = durations[$0]
      end +=
        duration >= ImageAnimation.shortestDuration
        ? min(duration, Self.longestDuration) : ImageAnimation.defaultDuration
      return end
    }
  }

  /// The seconds of one loop.
  var duration: Double { ends[ends.count - 1] }

  /// Returns the seconds from the start of the loop to the start of a step.
  func start(ofStep step: Int) -> Double { step == 0 ? 0 : ends[step - 1] }

  /// Returns the seconds from the start of the loop to the end of a step.
  func end(ofStep step: Int) -> Double { ends[step] }

  /// Returns the step at a time within the loop; the last step for later times. O(log n).
  func step(at time: Double) -> Int {
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > time + Self.tolerance { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the first step that shows a frame. O(n).
  func step(showing frame: Int) -> Int { frames.firstIndex(of: frame) ?? 0 }
}
