import VitrineWidgets

/// Repeats an arrow key that a gamepad holds down, as keyboards do. Requests no frames while no key is held down.
@MainActor
final class KeyRepeat: FrameObserver {
  /// The number of seconds until the first repetition.
  static let delay = 0.4
  /// The number of seconds between repetitions.
  static let interval = 0.1

  private weak var window: Window?
  private var stroke: GamepadKeys.Stroke?

  init(window: Window) { self.window = window }

  /// Sets the key that is held down. Setting the same key again changes nothing.
  func setStroke(_ new: GamepadKeys.Stroke?) {
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
