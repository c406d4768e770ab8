public import VitrineLoading
public import VitrineWidgets

extension ImageTask: @MainActor ActivitySource {
  /// Running until its outcome is known, also while it waits for its turn; with progress where the server has told how
  /// much there is.
  @MainActor public var activity: Activity {
    hasSucceeded.map { .ended(success: $0) } ?? .running(progress: progress.fraction)
  }

  /// Calls `change` when more has come and when it is over, until what is returned is let go.
  @MainActor
  public func observeActivity(_ change: @escaping @MainActor () -> Void) -> ActivityObservation {
    let number = observe(change)
    return ActivityObservation { [weak self] in self?.endObserving(number) }
  }
}
