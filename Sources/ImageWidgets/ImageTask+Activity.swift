public import VitrineLoading
public import VitrineWidgets

extension ImageTask: @MainActor ActivitySource {
  /// The state of the load: `.paused` while `isPaused`, otherwise `.running` until the result is known, even while the
  /// load waits in the queue. Has a progress if the server has declared the length.
  @MainActor public var activity: Activity {
    if let hasSucceeded { return .ended(success: hasSucceeded) }
    return isPaused ? .paused : .running(progress: progress.fraction)
  }

  /// Calls `change` when more bytes have arrived, when the load is paused or resumed, and when it ends, until the
  /// returned object is released.
  @MainActor
  public func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    let number = observe(change)
    return ActivityObservation { [weak self] in self?.endObserving(number) }
  }
}
