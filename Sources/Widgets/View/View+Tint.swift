public import VitrineGraphics

extension View {
  /// The tint color of views that have none and inherit none, a light blue.
  public static let standardTintColor = FocusRing.standardColor

  /// The effective tint color: the view's own, or else the nearest superview's, or else `standardTintColor`. O(depth of
  /// the tree).
  public var currentTintColor: Color { tintColor ?? inheritedTintColor }

  var inheritedTintColor: Color { superview?.currentTintColor ?? Self.standardTintColor }

  /// Notifies the view, and the descendants that inherit the tint color, of a change.
  func tintDidChange() {
    tintColorDidChange()
    for child in subviews where child.tintColor == nil { child.tintDidChange() }
  }
}

extension Image {
  /// True if the image is drawn in the tint color. `defaultMode` applies to images whose rendering mode is `automatic`.
  nonisolated func isTemplate(defaultMode: RenderingMode) -> Bool {
    (renderingMode == .automatic ? defaultMode : renderingMode) == .alwaysTemplate
  }
}
