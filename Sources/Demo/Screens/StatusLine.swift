import Vitrine

/// The line at the bottom: the sources of the images and the memory use, with a spinner while the network is busy.
final class StatusLine: View, FrameObserver {
  private let label = Label("", font: Theme.caption, color: Theme.secondaryText)
  private let network = NetworkActivityIndicator()
  private let text: () -> String
  private var isScheduled = false

  /// Creates a status line.
  ///
  /// - Parameter text: Returns the text. Called at most four times a second, and only after `scheduleUpdate()` or when
  ///   the line is added to a window.
  init(text: @escaping () -> String) {
    self.text = text
    super.init()
    backgroundColor = Theme.bar
    network.color = Theme.accent
    network.accessibilityLabel = network.scriptTitle
    addSubview(label)
    addSubview(network)
  }

  /// Schedules an update of the text. Called when a value shown in the text has changed.
  func scheduleUpdate() {
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
    let size = network.sizeThatFits(bounds.size)
    network.frame = Rect(
      origin: Point(x: bounds.width - 24 - size.width, y: ((bounds.height - size.height) / 2).rounded()),
      size: size)
    label.frame = Rect(x: 24, y: 0, width: max(0, network.frame.minX - 40), height: bounds.height)
  }
}

/// Scripts find the indicator by the name “Network”. Its state is `loading` while it spins.
extension NetworkActivityIndicator: ScriptNamed {
  var scriptTitle: String { "Network" }
  var scriptStates: Set<ScriptState> { [isAnimating ? .loading : .normal] }
}
