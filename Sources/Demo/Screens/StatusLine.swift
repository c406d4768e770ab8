import Vitrine

/// The line at the bottom: where the pictures came from, and what they take.
final class StatusLine: View, FrameObserver {
  private let label = Label("", font: Theme.caption, color: Theme.secondaryText)
  private let text: () -> String
  private var isScheduled = false

  /// - Parameter text: asked for at most four times a second, and only after `change()`.
  init(text: @escaping () -> String) {
    self.text = text
    super.init()
    backgroundColor = Theme.bar
    addSubview(label)
  }

  /// Something that the line tells has changed.
  func change() {
    guard !isScheduled, let window else { return }
    isScheduled = true
    window.requestFrames(for: self, at: window.now + 0.25, keepsBusy: true)
  }

  func frame(at now: Double) -> NextFrame {
    isScheduled = false
    label.text = text()
    return .never
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    label.text = text()
  }

  override func layoutSubviews() {
    label.frame = Rect(x: 24, y: 0, width: bounds.width - 48, height: bounds.height)
  }
}
