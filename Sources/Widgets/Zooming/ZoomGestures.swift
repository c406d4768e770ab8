import VitrineGraphics

/// The gestures on an image that can be enlarged, and the touches that belong to them.
struct ZoomGestures {
  enum Event {
    /// The touch belongs to this gesture from now on.
    case claim(Touch)
    /// Points are in window coordinates.
    case transform(TransformRecognizer.Event)
    case tap(TapRecognizer.Event)
  }

  private var transform = TransformRecognizer()
  private var taps = TapRecognizer(recognizesDoubleTaps: true)
  /// The touches that are down and not claimed.
  private var unclaimed: [Touch] = []

  /// The time at which `advance(to:)` may return a tap; `nil` if none waits.
  var deadline: Double? { taps.deadline }

  /// Returns the events of a touch that has changed.
  ///
  /// - Parameter canClaim: Returns true if one finger that has moved by a distance takes hold of the image.
  mutating func receive(_ touch: Touch, canClaim: (_ distance: Point) -> Bool) -> [Event] {
    let sample = TouchSample(touch)
    if touch.phase == .began { unclaimed.append(touch) }
    transform.beginsWithOneFinger =
      touch.phase == .moved && canClaim(touch.location - touch.startLocation)
    let changes = transform.handle(sample)
    var events: [Event] = []
    if transform.isActive {
      events += unclaimed.map { .claim($0) }
      unclaimed = []
    }
    if touch.phase == .ended || touch.phase == .cancelled { unclaimed.removeAll { $0 === touch } }
    events += changes.map { .transform($0) }
    events += taps.handle(sample).map { .tap($0) }
    if transform.isActive, let tap = taps.cancel() { events.append(.tap(tap)) }
    return events
  }

  /// Returns the single tap that no second one can follow any more; `nil` if there is none.
  mutating func advance(to now: Double) -> TapRecognizer.Event? { taps.advance(to: now) }
}
