extension View {
  /// True while an image slot of this view waits for an image or a failure, and between `beginLoading()` and
  /// `endLoading()`. For a progress display, or for a screenshot of complete views. Subviews do not count.
  public var isLoading: Bool { pendingSlots > 0 || applicationLoads > 0 }

  /// Counts the view as loading until `endLoading()`, for contents that an application loads without an image slot,
  /// such as a list of URLs.
  ///
  /// Meanwhile `Window.isLoaded` is false if the view is visible, and the accessibility states contain `busy`. Each call
  /// needs a call of `endLoading()`.
  public func beginLoading() { applicationLoads += 1 }

  /// Ends what the last `beginLoading()` has begun. Does nothing without such a call; loads of slots are unaffected.
  public func endLoading() { applicationLoads = max(0, applicationLoads - 1) }
}
