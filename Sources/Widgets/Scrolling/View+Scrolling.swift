import VitrineGraphics

extension View {
  /// Scrolls all enclosing scroll views so that the view becomes visible. O(depth of the tree).
  public func scrollIntoView(animated: Bool) {
    var ancestor = superview
    while let current = ancestor {
      if let scrollView = current as? ScrollView {
        let origin = scrollView.convertFromWindow(convertToWindow(bounds.origin))
        scrollView.scrollRectToVisible(Rect(origin: origin, size: frame.size), animated: animated)
      }
      ancestor = current.superview
    }
  }
}
