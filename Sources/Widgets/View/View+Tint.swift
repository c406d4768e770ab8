public import VitrineGraphics

extension View {
  /// The tint colour of views around which nobody has chosen another: a light blue.
  public static let standardTintColor = FocusRing.standardColor

  /// The tint colour that holds: the view's own, or else that of the nearest view around it with one. Costs the depth
  /// of the tree.
  public var currentTintColor: Color { tintColor ?? inheritedTintColor }

  var inheritedTintColor: Color { superview?.currentTintColor ?? Self.standardTintColor }

  /// Tells the view, and those below that have its tint colour from it.
  func tintDidChange() {
    tintColorDidChange()
    for child in subviews where child.tintColor == nil { child.tintDidChange() }
  }
}

extension Image {
  /// Whether it is drawn in the tint colour, where a picture that says nothing is drawn so.
  nonisolated func isTemplate(whereUsual usual: RenderingMode) -> Bool {
    (renderingMode == .automatic ? usual : renderingMode) == .alwaysTemplate
  }
}
