import VitrineWidgets

/// Lets an arrow that a gamepad holds down come again, as a keyboard's does; asks for no frames while none is held.
final class KeyRepeat: FrameObserver {
  /// Seconds until it comes again for the first time, and from then on.
  static let delay = 0.4
  static let interval = 0.1

  private weak var window: Window?
  private var stroke: GamepadKeys.Stroke?

  init(window: Window) { self.window = window }

  /// What is held now; the same as before changes nothing.
  func hold(_ new: GamepadKeys.Stroke?) {
    guard new != stroke else { return }
    stroke = new
    window?.cancelFrames(for: self)
    guard let window, new != nil else { return }
    window.requestFrames(for: self, at: window.now + Self.delay, keepsBusy: false)
  }

  func frame(at now: Double) -> NextFrame {
    guard let window, let stroke else { return .never }
    window.handle(.keyDown(stroke.key, modifiers: stroke.modifiers))
    return .at(now + Self.interval)
  }
}
