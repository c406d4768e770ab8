public import VitrineLoading
public import VitrineWidgets

/// Reports whether the network is busy, smoothed for display: from 1.0 s after the first request has begun until 0.17 s
/// after the last one has ended (AFNetworking's AFNetworkActivityIndicatorManager).
///
/// ```swift
/// let watch = NetworkActivityWatch(in: window)
/// watch.onChange = { isVisible in lamp.isHidden = !isVisible }
/// ```
///
/// Uses the time of the window. As an `ActivitySource`, it can be bound to any indicator; `NetworkActivityIndicator`
/// creates a watch of its own.
public final class NetworkActivityWatch: FrameObserver, ActivitySource {
  /// The time in seconds that the network has to be busy before activity is shown; 1.0 by default.
  public var activationDelay: Double {
    get { timing.activationDelay }
    set { timing.activationDelay = max(0, newValue) }
  }
  /// The time in seconds that activity stays visible after the last request; 0.17 by default.
  public var completionDelay: Double {
    get { timing.completionDelay }
    set { timing.completionDelay = max(0, newValue) }
  }
  /// True, the default, if activity is shown. Setting false hides it at once.
  public var isEnabled = true { didSet { if isEnabled != oldValue { update() } } }
  /// Called with the new value of `isVisible`, once for each change.
  public var onChange: ((Bool) -> Void)?
  /// True while network activity is to be shown.
  public private(set) var isVisible = false

  private let network: NetworkActivity
  private weak var window: Window?
  private var timing = NetworkActivityTiming(activationDelay: 1.0, completionDelay: 0.17)
  private var observation: ActivityObservation?
  private let observers = ActivityObservers()

  /// Creates a watch of a counter that uses the time of a window. Requests in progress count as beginning now.
  public init(_ network: NetworkActivity = .shared, in window: Window) {
    self.network = network
    self.window = window
    let number = network.observe { [weak self] in self?.update() }
    observation = ActivityObservation { network.endObserving(number) }
    update()
  }

  /// Ends a delay that is over. Called by the window.
  public func frame(at now: Double) -> NextFrame {
    timing.advance(to: now)
    tell()
    return .never
  }

  private func update() {
    guard let window else { return }
    if isEnabled { timing.change(isBusy: network.count > 0, at: window.now) } else { timing.stop() }
    if let deadline = timing.deadline {
      // The completion delay is short, so it may keep the window busy. Running requests may not: they can last long.
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

  /// The activity for bound indicators: running with unknown progress while `isVisible`, otherwise paused.
  public var activity: Activity { isVisible ? .running(progress: nil) : .paused }

  /// Calls `change` when `isVisible` has changed, until the returned object is released.
  public func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    observers.add(change)
  }
}
