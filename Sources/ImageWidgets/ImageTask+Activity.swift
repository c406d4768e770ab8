public import VitrineLoading
public import VitrineWidgets

extension ImageTask: @MainActor ActivitySource {
  /// Paused while `isPaused`, else running until the outcome is known, also while the load waits for its turn; with progress
  /// where the server has told how much there is.
  @MainActor public var activity: Activity {
    if let hasSucceeded { return .ended(success: hasSucceeded) }
    return isPaused ? .paused : .running(progress: progress.fraction)
  }

  /// Calls `change` when more has come, when the load is paused or resumed, and when it is over, until what is returned is let go.
  @MainActor
  public func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    let number = observe(change)
    return ActivityObservation { [weak self] in self?.endObserving(number) }
  }
}
