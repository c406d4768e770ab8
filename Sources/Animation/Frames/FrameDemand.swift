/// The frames of an animation that a view needs.
package struct FrameDemand: Hashable, Sendable {
  /// The frame to show now.
  package var current: Int
  /// The frames to show after it, in order.
  package var upcoming: [Int]
  /// The time in seconds at which the first of `upcoming` is to be shown. Compared with the times of other views.
  package var time: Double

  package init(current: Int, upcoming: [Int] = [], time: Double = 0) {
    (self.current, self.upcoming, self.time) = (current, upcoming, time)
  }

  /// True if a frame is to be shown now or soon.
  func needs(_ frame: Int) -> Bool { frame == current || upcoming.contains(frame) }
}
