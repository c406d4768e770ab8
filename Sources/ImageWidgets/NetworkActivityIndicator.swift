public import VitrineLoading
public import VitrineWidgets

/// A spinner that turns while the network is busy; put it anywhere in a window.
///
/// As iOS once had one in its status bar: shown 1.0 s after the first request has begun, until 0.17 s after the last one
/// has ended. It takes no frames otherwise.
public final class NetworkActivityIndicator: ActivityIndicator {
  /// Who decides when it turns; nil while it is in no window.
  public private(set) var watch: NetworkActivityWatch?
  private let network: NetworkActivity

  /// A spinner that is still until it is in a window and the network is busy.
  public init(_ network: NetworkActivity = .shared, style: Style = .medium) {
    self.network = network
    super.init(style: style)
  }

  /// Begins to watch in a window, and ends with it.
  public override func didMoveToWindow() {
    super.didMoveToWindow()
    watch = window.map { NetworkActivityWatch(network, in: $0) }
    setAnimating(withStateOf: watch)
    if watch == nil { stopAnimating() }
  }
}
