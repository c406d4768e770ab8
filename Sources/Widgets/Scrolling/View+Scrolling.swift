import VitrineGraphics

extension View {
  /// Scrolls all enclosing scroll views so that the view becomes visible. O(depth of the tree).
  public func scrollIntoView(animated: Bool) {
    var ancestor = superview
    while let current = ancestor {
      if let scrollView = current as? ScrollView {
        scrollView.scrollRectToVisible(scrollView.convertFromWindow(frameInWindow), animated: animated)
      }
      ancestor = current.superview
    }
  }
}
