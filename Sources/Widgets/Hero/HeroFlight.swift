import VitrineGraphics

/// The movement of an image to a tile or to the whole window, as a spring without overshoot.
nonisolated struct HeroFlight {
  /// The pose at the end. It may change during the movement, when the window is resized.
  var goal: HeroPose
  private let from: HeroPose
  private let spring: Spring
  private let start: Double

  init(from: HeroPose, to goal: HeroPose, at now: Double) {
    self.from = from
    self.goal = goal
    spring = Spring(target: 1, displacement: -1, velocity: 0)
    start = now
  }

  /// True if the image stays in its place and fades together with the background.
  var isFading: Bool { from.frame == goal.frame && goal.opacity == 1 }

  /// Returns the pose at a time, and true if the movement has ended there.
  func step(at now: Double) -> (pose: HeroPose, isOver: Bool) {
    let fraction = spring.position(after: max(0, now - start))
    guard 1 - fraction > 0.002 else { return (goal, true) }
    return (from.moved(to: goal, fraction: fraction), false)
  }
}

/// A finger that may pull an image away.
struct HeroDrag {
  private let id: Int64
  private let origin: Point
  private(set) var distance = Point.zero
  private var tracker = VelocityTracker()
  /// The pose from which the image is pulled; `nil` until the finger has moved far enough.
  private(set) var start: HeroPose?

  init(_ touch: Touch) {
    id = touch.id
    origin = touch.location
    tracker.add(touch.location, at: touch.time)
  }

  var isPulling: Bool { start != nil }
  var velocity: Point { tracker.velocity }

  func isOf(_ touch: Touch) -> Bool { touch.id == id }

  mutating func move(_ touch: Touch) {
    distance = touch.location - origin
    tracker.add(touch.location, at: touch.time)
  }

  /// True if the finger has moved down far enough, and more down than sideways.
  var beginsToPull: Bool { distance.y >= ScrollView.dragSlop && distance.y > abs(distance.x) }

  mutating func beginPulling(_ pose: HeroPose) { start = pose }
}
