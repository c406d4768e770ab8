extension View {
  /// True while an image slot of this view waits for an image or a failure, and between `beginLoading()` and
  /// `endLoading()`. For a progress display, or for a screenshot of complete views. Subviews do not count.
  public var isLoading: Bool { pendingSlots > 0 }

  /// Counts the view as loading until `endLoading()`, for contents that an application loads without an image slot,
  /// such as a list of URLs.
  ///
  /// Meanwhile `Window.isLoaded` is false if the view is visible, and the accessibility states contain `busy`. Each
  /// call needs a call of `endLoading()`.
  public func beginLoading() { pendingSlots += 1 }

  /// Balances one call of `beginLoading()`. Does nothing without such a call.
  public func endLoading() { pendingSlots = max(0, pendingSlots - 1) }
}
