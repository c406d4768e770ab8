import VitrineGraphics

/// A cross-fade between two pictures in the same place.
///
/// Its time starts with the first frame that it is given, so that a picture which arrives while the window
/// sleeps still gets its whole fade.
final class ContentsFade: FrameObserver {
  let previous: Image?
  private let transition: Transition
  private let changed: (ContentsFade) -> Void
  private weak var window: Window?
  private var start: Double?
  /// 0 at the beginning, 1 at the end, after the timing curve.
  private(set) var progress = 0.0
  /// Whether the new picture is fully shown.
  private(set) var isOver = false

  /// Starts in `window`. `changed` is called for each step, the last included; it marks what is dirty.
  init(
    from previous: Image?, transition: Transition, in window: Window,
    changed: @escaping (ContentsFade) -> Void
  ) {
    self.previous = previous
    self.transition = transition
    self.changed = changed
    self.window = window
    window.requestFrames(for: self, at: window.now)
  }

  /// Ends it without a further step.
  func stop() {
    isOver = true
    window?.cancelFrames(for: self)
  }

  func frame(at now: Double) -> NextFrame {
    let start = start ?? now
    self.start = start
    let share = (now - start) / transition.duration
    progress = transition.curve.value(at: share)
    // A difference of times may fall short of the end by a rounding error.
    isOver = share >= 1 - 1e-9
    changed(self)
    return isOver ? .never : .soon
  }
}
