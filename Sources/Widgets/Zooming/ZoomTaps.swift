import VitrineGraphics

/// Tells a single tap from a double tap: a single tap is known once no second tap can follow.
struct ZoomTaps {
  enum Event: Equatable {
    /// A first tap has ended. It is a single tap unless another one begins before the deadline, in window time.
    case first(deadline: Double)
    /// A double tap, at a location in window coordinates.
    case double(at: Point)
  }

  private var deadline: Double?

  /// Returns the event of a touch; `nil` if there is none.
  ///
  /// - Parameter isHeld: True if the touch moves or enlarges the image.
  mutating func receive(_ touch: Touch, isHeld: Bool) -> Event? {
    switch touch.phase {
    case .began:
      deadline = nil
      return nil
    case .ended where !isHeld && isTap(touch):
      if touch.tapCount % 2 == 0 { return .double(at: touch.location) }
      let deadline = touch.time + Window.tapInterval
      self.deadline = deadline
      return .first(deadline: deadline)
    default: return nil
    }
  }

  private func isTap(_ touch: Touch) -> Bool {
    let distance = touch.location - touch.startLocation
    return abs(distance.x) < ScrollView.dragSlop && abs(distance.y) < ScrollView.dragSlop
      && touch.time - touch.startTime < 0.5
  }

  /// Returns true once the deadline of a single tap has passed.
  mutating func takeSingle(at now: Double) -> Bool {
    guard let deadline, now >= deadline else { return false }
    self.deadline = nil
    return true
  }
}
