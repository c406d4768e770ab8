import VitrineGraphics

extension Window {
  /// Announces that a slot on the screen has begun to load an image. The host may wait a moment for an image from disk
  /// before it draws the next frame.
  package func loadDidBegin() { hasNewLoads = true }

  /// Returns true if `loadDidBegin()` has been called since the last call of this method.
  package func takeNewLoads() -> Bool {
    defer { hasNewLoads = false }
    return hasNewLoads
  }

  /// True if no visible view waits for an image or a failure, so that a screenshot shows the whole content. O(views).
  public var isLoaded: Bool { !containsVisibleView { $0.isLoading } }

  /// True if no view of the tree waits for an image or a failure, invisible views included. O(views).
  package var isLoadedThroughout: Bool {
    func waits(_ view: View) -> Bool { view.isLoading || view.subviews.contains(where: waits) }
    return !waits(self)
  }

  /// True if a visible view is between `beginLoading()` and `endLoading()`. O(views).
  package var hasApplicationLoads: Bool { containsVisibleView { $0.applicationLoads > 0 } }

  private func containsVisibleView(where predicate: (View) -> Bool) -> Bool {
    containsVisibleView(below: self, offset: .zero, factor: 1, visible: bounds, where: predicate)
  }

  /// - Parameters:
  ///   - offset: The position in the window of the origin of the superview's coordinates.
  ///   - factor: The magnification of the superview's coordinates.
  ///   - visible: The part of the window to which the superviews clip.
  private func containsVisibleView(
    below view: View, offset: Point, factor: Double, visible: Rect, where predicate: (View) -> Bool
  ) -> Bool {
    guard view.isDrawn else { return false }
    let isMatch = predicate(view)
    let subviews = view.subviews
    // Most views neither match nor have subviews; their frames are not needed.
    guard isMatch || !subviews.isEmpty else { return false }
    var frame = Rect(origin: offset + view.frame.origin * factor, size: view.frame.size * factor)
    var innerFactor = factor
    if let magnifier = view.magnifier {
      frame = Magnifier(factor: magnifier.factor, center: frame.center).magnified(frame)
      innerFactor *= magnifier.factor
    }
    let visibleFrame = frame.intersection(visible)
    if isMatch, !visibleFrame.isEmpty { return true }
    let inner = view.clipsToBounds ? visibleFrame : visible
    if inner.isEmpty { return false }
    let innerOffset = frame.origin - view.boundsOrigin * innerFactor
    return subviews.contains {
      containsVisibleView(
        below: $0, offset: innerOffset, factor: innerFactor, visible: inner, where: predicate)
    }
  }
}
