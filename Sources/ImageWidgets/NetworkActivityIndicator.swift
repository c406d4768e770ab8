public import VitrineLoading
public import VitrineWidgets

/// A spinner that turns while the network is busy. Can be put anywhere in a window.
///
/// Like the former network indicator of the iOS status bar, it appears 1.0 s after the first request has begun and
/// disappears 0.17 s after the last request has ended. It requests no frames otherwise.
public final class NetworkActivityIndicator: ActivityIndicator {
  /// The object that decides when the spinner turns; `nil` while the indicator is in no window.
  public private(set) var watch: NetworkActivityWatch?
  private let network: NetworkActivity

  /// Creates a spinner that stands still while in no window or while the network is idle.
  public init(_ network: NetworkActivity = .shared, style: Style = .medium) {
    self.network = network
    super.init(style: style)
  }

  /// Starts to watch the network in a window, and stops when the indicator leaves the window.
  public override func didMoveToWindow() {
    super.didMoveToWindow()
    watch = window.map { NetworkActivityWatch(network, in: $0) }
    setAnimating(withStateOf: watch)
    if watch == nil { stopAnimating() }
  }
}
