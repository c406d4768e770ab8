import VitrineGraphics

extension View {
  /// Scrolls all enclosing scroll views, and turns the pages of all enclosing page views, so that the view becomes visible.
  /// O(depth of the tree).
  public func scrollIntoView(animated: Bool) {
    var ancestor = superview
    while let current = ancestor {
      if let scrollView = current as? ScrollView {
        scrollView.scrollRectToVisible(scrollView.convertFromWindow(frameInWindow), animated: animated)
      } else if let pageView = current as? PageView {
        pageView.showPage(containing: self, animated: animated)
      }
      ancestor = current.superview
    }
  }
}

extension Touch {
  /// True if `container` may take over the touch for a drag: no view between the touched one and the container that has
  /// received the touch keeps its touches.
  func yields(to container: View) -> Bool {
    guard isDelivered else { return true }
    var view = self.view
    while let current = view, current !== container {
      if !current.yieldsTouchesToScrolling { return false }
      view = current.superview
    }
    return true
  }
}
