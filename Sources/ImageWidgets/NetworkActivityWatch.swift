public import VitrineLoading
public import VitrineWidgets

/// Says whether the network is busy, in a way that is fit to be seen: 1.0 s after the first request has begun, until
/// 0.17 s after the last one has ended (AFNetworkActivityIndicatorManager).
///
/// ```swift
/// let watch = NetworkActivityWatch(in: window)
/// watch.onChange = { isVisible in lamp.isHidden = !isVisible }
/// ```
///
/// It goes by the window's time, and is an `ActivitySource`: any indicator can be bound to it. `NetworkActivityIndicator`
/// has one of its own.
public final class NetworkActivityWatch: FrameObserver, ActivitySource {
  /// Seconds that the network has to be busy before it shows; 1.0 by default (AF-F53).
  public var activationDelay: Double {
    get { timing.activationDelay }
    set { timing.activationDelay = max(0, newValue) }
  }
  /// Seconds that it shows after the last request; 0.17 by default (AF-F53).
  public var completionDelay: Double {
    get { timing.completionDelay }
    set { timing.completionDelay = max(0, newValue) }
  }
  /// Whether it shows anything at all; true by default. Set to false, it is not visible from this moment on.
  public var isEnabled = true {
    didSet { if isEnabled != oldValue { update() } }
  }
  /// Called with the new `isVisible`, once for each change (AF-F57).
  public var onChange: ((Bool) -> Void)?
  /// Whether the network's activity is to be seen.
  public private(set) var isVisible = false

  private let network: NetworkActivity
  private weak var window: Window?
  private var timing = NetworkActivityTiming(activationDelay: 1.0, completionDelay: 0.17)
  private var observation: ActivityObservation?
  private let observers = ActivityObservers()

  /// Watches a counter, by the time of a window; what is under way already counts as beginning now.
  public init(_ network: NetworkActivity = .shared, in window: Window) {
    self.network = network
    self.window = window
    let number = network.observe { [weak self] in self?.update() }
    observation = ActivityObservation { network.endObserving(number) }
    update()
  }

  /// The time of a delay has come.
  public func frame(at now: Double) -> NextFrame {
    timing.advance(to: now)
    tell()
    return .never
  }

  private func update() {
    guard let window else { return }
    if isEnabled { timing.change(isBusy: network.count > 0, at: window.now) } else { timing.stop() }
    if let deadline = timing.deadline {
      // What is still seen of requests that are over is soon gone; that others are under way may last.
      window.requestFrames(for: self, at: deadline, keepsBusy: timing.isVisible)
    } else {
      window.cancelFrames(for: self)
    }
    tell()
  }

  private func tell() {
    guard timing.isVisible != isVisible else { return }
    isVisible = timing.isVisible
    onChange?(isVisible)
    observers.notify()
  }

  /// Running, of unknown length, while it is visible.
  public var activity: Activity { isVisible ? .running(progress: nil) : .paused }

  /// Calls `change` when `isVisible` has changed, until what is returned is let go.
  public func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    observers.add(change)
  }
}
