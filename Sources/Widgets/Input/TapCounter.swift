import VitrineGraphics

/// Tells whether a touch repeats the tap before it: soon after it, at the same place, on the same view, by a finger as
/// well or by the mouse as well.
struct TapCounter {
  private struct Tap {
    weak var view: View?
    let isMouse: Bool
    let location: Point
    let end: Double
    let count: Int
  }

  private var last: Tap?

  /// How many taps in a row a touch that begins makes.
  func count(of touch: Touch) -> Int {
    guard let last, last.view === touch.view, last.isMouse == (touch.id == InputEvent.mouse),
      touch.startTime - last.end <= Window.tapInterval,
      touch.location.distance(to: last.location) <= Window.tapDistance
    else { return 1 }
    return last.count + 1
  }

  /// Remembers a touch that has ended; one that went astray, or was taken away, is no tap.
  mutating func end(_ touch: Touch) {
    let isTap =
      touch.phase == .ended && touch.location.distance(to: touch.startLocation) <= Window.tapDistance
    last =
      isTap
      ? Tap(
        view: touch.view, isMouse: touch.id == InputEvent.mouse, location: touch.startLocation,
        end: touch.time,
        count: touch.tapCount) : nil
  }
}

extension Point {
  fileprivate func distance(to other: Point) -> Double {
    let way = self - other
    return (way.x * way.x + way.y * way.y).squareRoot()
  }
}
