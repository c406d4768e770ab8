import VitrineGraphics

/// The fingers that move and enlarge an image: one moves it, two enlarge it as well, and a third is ignored. Fingers may
/// come and go in any order; the image stays under those that are left.
struct ZoomTouches {
  enum Event {
    /// The touch belongs to this gesture from now on.
    case claim(Touch)
    /// The fingers take hold of the image. Points are in window coordinates.
    case begin(center: Point)
    /// The fingers have moved since the previous event.
    ///
    /// - translation: The movement of the middle between the fingers.
    /// - factor: The factor by which the distance between the fingers has changed; positive.
    case change(translation: Point, factor: Double, center: Point)
    /// The last finger was lifted.
    case end(velocity: Point, center: Point)
  }

  /// The smallest distance between two fingers in points that counts: fingers that come closer do not make the image
  /// vanish.
  private static let closest = 20.0

  private var fingers: [Touch] = []
  private var isActive = false
  private var center = Point.zero
  private var spread = 0.0
  private var velocity = VelocityTracker()

  /// Returns the events of a touch that has changed.
  ///
  /// - Parameter canClaim: Returns true if one finger that has moved by a distance takes hold of the image.
  mutating func receive(_ touch: Touch, canClaim: (_ distance: Point) -> Bool) -> [Event] {
    switch touch.phase {
    case .began: return begin(touch)
    case .moved: return move(touch, canClaim)
    case .ended, .cancelled: return end(touch)
    }
  }

  private mutating func begin(_ touch: Touch) -> [Event] {
    guard fingers.count < 2 else { return [] }
    fingers.append(touch)
    guard fingers.count == 2 || isActive else { return [] }
    let claims = fingers.filter { $0 === touch || !isActive }.map { Event.claim($0) }
    anchor(at: touch.time)
    defer { isActive = true }
    return claims + (isActive ? [] : [.begin(center: center)])
  }

  private mutating func move(_ touch: Touch, _ canClaim: (Point) -> Bool) -> [Event] {
    guard fingers.contains(where: { $0 === touch }) else { return [] }
    guard isActive else {
      let distance = touch.location - touch.startLocation
      guard max(abs(distance.x), abs(distance.y)) >= ScrollView.dragSlop, canClaim(distance) else {
        return []
      }
      isActive = true
      anchor(at: touch.time)
      return [.claim(touch), .begin(center: center)]
    }
    let (oldCenter, oldSpread) = (center, spread)
    measure()
    velocity.add(center, at: touch.time)
    return [.change(translation: center - oldCenter, factor: spread / oldSpread, center: center)]
  }

  private mutating func end(_ touch: Touch) -> [Event] {
    guard let index = fingers.firstIndex(where: { $0 === touch }) else { return [] }
    fingers.remove(at: index)
    guard isActive else { return [] }
    guard fingers.isEmpty else {
      anchor(at: touch.time)
      return []
    }
    isActive = false
    let velocity = touch.phase == .ended ? velocity.velocity : .zero
    return [.end(velocity: velocity, center: center)]
  }

  /// Measures from the fingers that are down now, so that the image does not jump.
  private mutating func anchor(at time: Double) {
    measure()
    velocity = VelocityTracker()
    velocity.add(center, at: time)
  }

  private mutating func measure() {
    guard let first = fingers.first?.location, let last = fingers.last?.location else { return }
    center = Point(x: (first.x + last.x) / 2, y: (first.y + last.y) / 2)
    let distance = last - first
    spread = max(Self.closest, (distance.x * distance.x + distance.y * distance.y).squareRoot())
  }
}
