import VitrineGraphics

/// A cross-fade between two pictures of a view.
///
/// Its time starts with the first frame that it is given, so that a picture which arrives while the window
/// sleeps still gets its whole fade.
final class ContentsFade: FrameObserver {
  private weak var view: View?
  let previous: Image?
  private let transition: Transition
  private var start: Double?
  /// 0 at the beginning, 1 at the end, after the timing curve.
  private(set) var progress = 0.0

  init(view: View, previous: Image?, transition: Transition) {
    self.view = view
    self.previous = previous
    self.transition = transition
  }

  func frame(at now: Double) -> NextFrame {
    let start = start ?? now
    self.start = start
    let share = (now - start) / transition.duration
    progress = transition.curve.value(at: share)
    view?.setNeedsDisplay()
    guard share >= 1 else { return .soon }
    if view?.contentsFade === self { view?.contentsFade = nil }
    return .never
  }
}
