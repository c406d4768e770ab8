import Vitrine

/// The line at the bottom: the sources of the images and the memory use, with a spinner while the network is busy. A
/// narrow line leaves out the less important parts.
final class StatusLine: View, FrameObserver {
  private let label = Label("", font: Theme.caption, color: Theme.secondaryText)
  private let network = NetworkActivityIndicator()
  private let makeTexts: () -> [String]
  private var texts: [String] = []
  private var isScheduled = false

  /// Creates a status line.
  ///
  /// - Parameter texts: Returns the text, and then shorter ones for lines that are too narrow. Called at most four
  ///   times a second, and only after `scheduleUpdate()` or when the line is added to a window.
  init(texts: @escaping () -> [String]) {
    makeTexts = texts
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
    let old = texts
    texts = makeTexts()
    if texts != old { showText() }
    return .never
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    texts = makeTexts()
    showText()
  }

  /// Shows the first text that fits; if none does, the last one, truncated with an ellipsis.
  private func showText() {
    for text in texts {
      label.text = text
      if label.lines == [text] { return }
    }
  }

  override func layoutSubviews() {
    let size = network.sizeThatFits(bounds.size)
    let margin = Theme.barMargin(inWidth: bounds.width)
    network.frame = Rect(
      origin: Point(
        x: bounds.width - margin - size.width, y: ((bounds.height - size.height) / 2).rounded()),
      size: size)
    label.frame = Rect(
      x: margin, y: 0, width: max(0, network.frame.minX - 16 - margin), height: bounds.height)
    showText()
  }
}

/// Scripts find the indicator by the name “Network”. Its state is `loading` while it spins.
extension NetworkActivityIndicator: ScriptNamed {
  var scriptTitle: String { "Network" }
  var scriptStates: Set<ScriptState> { [isAnimating ? .loading : .normal] }
}
