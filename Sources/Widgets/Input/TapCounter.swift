import VitrineGraphics

/// Counts consecutive taps. A tap repeats the previous one if it follows soon, at about the same point, on the same
/// view, and by the same kind of input (finger or mouse).
struct TapCounter {
  private struct Tap {
    weak var view: View?
    let isMouse: Bool
    let location: Point
    let end: Double
    let count: Int
  }

  private var last: Tap?

  /// Returns the number of consecutive taps, including the given touch that begins.
  func count(of touch: Touch) -> Int {
    guard let last, last.view === touch.view, last.isMouse == (touch.id == InputEvent.mouse),
      touch.startTime - last.end <= Window.tapInterval,
      touch.location.distance(to: last.location) <= Window.tapDistance
    else { return 1 }
    return last.count + 1
  }

  /// Records a touch that has ended. A touch that was cancelled or has moved too far is not a tap.
  mutating func end(_ touch: Touch) {
    let isTap =
      touch.phase == .ended && touch.location.distance(to: touch.startLocation) <= Window.tapDistance
    last =
      isTap
      ? Tap(
        view: touch.view, isMouse: touch.id == InputEvent.mouse, location: touch.startLocation,
        end: touch.time, count: touch.tapCount) : nil
  }
}
