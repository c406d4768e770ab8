extension ActivityIndicator {
  /// Turns while something runs, and stops when it is suspended or over (AF-F58); binding to nil leaves it as it is.
  ///
  /// The source is not kept alive. One indicator has one source: a second call replaces the first.
  public func setAnimating(withStateOf source: (any ActivitySource)?) {
    binding = source.map { source in
      ActivityBinding(to: source) { [weak self] activity in
        if activity.isRunning { self?.startAnimating() } else { self?.stopAnimating() }
      }
    }
  }
}

extension ProgressView {
  /// Follows the progress of something (AF-F60): known, it is shown; unknown, the value stays and the view becomes
  /// indeterminate until there is one; at a good end it is 1. Binding to nil leaves it as it is.
  ///
  /// - Parameters:
  ///   - source: not kept alive; a second call replaces the first.
  ///   - animated: whether it goes from value to value in 0.25 s.
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
    // From the unknown there is no way to go.
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
  /// Refreshes while something runs, and ends when it is suspended or over (AF-F59); what is not running now ends it at
  /// once. No event is sent. Binding to nil leaves it as it is.
  ///
  /// The source is not kept alive. One control has one source: a second call replaces the first.
  public func setRefreshing(withStateOf source: (any ActivitySource)?) {
    binding = source.map { source in
      ActivityBinding(to: source) { [weak self] activity in
        if activity.isRunning { self?.beginRefreshing() } else { self?.endRefreshing() }
      }
    }
  }
}
