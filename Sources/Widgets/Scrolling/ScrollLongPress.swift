import VitrineGraphics

/// The long press on a view in a scroll view: follows the touches on the scroll view and wakes the window when a finger
/// has rested long enough.
final class ScrollLongPress: FrameObserver {
  private weak var scrollView: ScrollView?
  private var recognizer = LongPressRecognizer()
  /// The touch that may become a long press, and the view that it presses.
  private weak var touch: Touch?
  private weak var target: View?

  init(in scrollView: ScrollView) { self.scrollView = scrollView }

  /// Called for each event of a touch on the scroll view, after the scroll view has handled the event.
  func observe(_ touch: Touch) {
    if touch.phase == .began {
      self.touch = touch
      target = scrollView?.longPressTarget(of: touch)
    }
    // A frame that comes late does not turn a long press into a tap.
    if recognizer.handle(TouchSample(touch)) != nil { press(with: touch) }
    if target == nil || scrollView?.isDragging == true { recognizer.cancel() }
    schedule()
  }

  /// Cancels the long press, because the content has scrolled.
  func cancel() {
    guard recognizer.deadline != nil else { return }
    recognizer.cancel()
    schedule()
  }

  /// Cancels the long press on a view that will show something else.
  func cancel(on view: View) { if view === target { cancel() } }

  func frame(at now: Double) -> NextFrame {
    if recognizer.advance(to: now) != nil, let touch { press(with: touch) }
    return .never
  }

  private func schedule() {
    guard let window = scrollView?.window else { return }
    if let deadline = recognizer.deadline {
      window.requestFrames(for: self, at: deadline, keepsBusy: false)
    } else {
      window.cancelFrames(for: self)
    }
  }

  private func press(with touch: Touch) {
    guard let scrollView, let target, target.isDescendant(of: scrollView) else { return }
    self.target = nil
    scrollView.press(target, with: touch)
  }
}
