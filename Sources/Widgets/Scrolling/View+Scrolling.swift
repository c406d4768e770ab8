import VitrineGraphics

extension View {
  /// Scrolls every scroll view around this view so that it can be seen.
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
