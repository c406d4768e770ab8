import VitrineGraphics

extension View {
  /// True if a part of the view lies within the window, is not clipped by its superviews, and neither the view nor a
  /// superview is hidden or transparent. False in a window that is not visible. Views in front of it are ignored.
  /// O(depth of the tree).
  package var isOnScreen: Bool {
    guard let window, window.isVisible, isDrawn else { return false }
    var visibleRect = bounds
    var view = self
    while let parent = view.superview {
      if view.clipsToBounds { visibleRect = visibleRect.intersection(view.bounds) }
      visibleRect = view.convertToSuperview(visibleRect)
      view = parent
      if visibleRect.isEmpty || !view.isDrawn { return false }
    }
    return !visibleRect.intersection(window.bounds).isEmpty
  }

  /// Tells the attachments of the view and of its subviews that the view has been scrolled off the screen, and stops their
  /// animations.
  func didLeaveScreen() {
    players?.suspend(in: window)
    attachment?.didLeaveScreen(self)
    for child in subviews { child.didLeaveScreen() }
  }
}
