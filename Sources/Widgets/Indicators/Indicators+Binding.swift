extension ActivityIndicator {
  /// Animates the indicator while an activity is running, and stops it when the activity is suspended or finished.
  /// `nil` ends the binding and leaves the indicator as it is.
  ///
  /// The source is not retained. A second call replaces the source.
  public func setAnimating(withStateOf source: (any ActivitySource)?) {
    binding = source.map { source in
      ActivityBinding(to: source) { [weak self] activity in
        if activity.isRunning { self?.startAnimating() } else { self?.stopAnimating() }
      }
    }
  }
}

extension ProgressView {
  /// Shows the progress of an activity. While the progress is unknown, the value stays and the view is indeterminate. A
  /// successful end sets the value to 1. `nil` ends the binding and leaves the view as it is.
  ///
  /// - Parameters:
  ///   - source: The activity, not retained. A second call replaces the source.
  ///   - animated: True to animate each change for 0.25 s.
  public func setProgress(withProgressOf source: (any ActivitySource)?, animated: Bool = true) {
    binding = source.map { source in
      ActivityBinding(to: source) { [weak self] activity in self?.show(activity, animated: animated) }
    }
  }

  private func show(_ activity: Activity, animated: Bool) {
    if case .running(nil) = activity {
      isIndeterminate = true
      return
    }
    // There is no value from which to animate.
    let animated = animated && !isIndeterminate
    isIndeterminate = false
    switch activity {
    case .running(let progress?): setProgress(progress, animated: animated)
    case .ended(success: true): setProgress(1, animated: animated)
    case .running(nil), .paused, .ended(success: false): break
    }
  }
}

extension RefreshControl {
  /// Shows the control as refreshing while an activity is running, and ends the refreshing when the activity is
  /// suspended or finished; at once if it is not running now. No event is sent. `nil` ends the binding and leaves the
  /// control as it is.
  ///
  /// The source is not retained. A second call replaces the source.
  public func setRefreshing(withStateOf source: (any ActivitySource)?) {
    binding = source.map { source in
      ActivityBinding(to: source) { [weak self] activity in
        if activity.isRunning { self?.beginRefreshing() } else { self?.endRefreshing() }
      }
    }
  }
}
