/// The times at which the frames of an animation end when they are shown in order. All players of the animation share
/// them. O(frames) memory.
package struct FrameTimes: Sendable {
  /// The longest duration of a frame in seconds, so that sums stay finite: about 30 years.
  private static let longestDuration = 1e9

  private let ends: [Double]

  /// - Parameter durations: The seconds for which each frame is shown: at least one number. Numbers below
  ///   `ImageAnimation.shortestDuration` are replaced, and those above 30 years are clamped.
  package init(_ durations: [Double]) {
    var end = 0.0
    ends = durations.map { duration in
      end +=
        duration >= ImageAnimation.shortestDuration
        ? min(duration, Self.longestDuration) : ImageAnimation.defaultDuration
      return end
    }
  }

  /// The number of frames, at least 1.
  package var frameCount: Int { ends.count }

  /// Returns the seconds from the start of the first frame to the start of a frame.
  package func start(of frame: Int) -> Double { frame == 0 ? 0 : ends[frame - 1] }

  /// Returns the seconds from the start of the first frame to the end of a frame.
  package func end(of frame: Int) -> Double { ends[frame] }
}
