public import VitrineGraphics

extension View {
  /// Converts a point from window coordinates to the view's coordinates. O(depth of the tree).
  public func convertFromWindow(_ point: Point) -> Point {
    convertFromSuperview(superview?.convertFromWindow(point) ?? point)
  }

  /// Converts a point from the view's coordinates to window coordinates. O(depth of the tree).
  public func convertToWindow(_ point: Point) -> Point {
    let inParent = convertToSuperview(point)
    return superview?.convertToWindow(inParent) ?? inParent
  }

  /// The frame of the view in window coordinates, as it is drawn: with the magnification of the view and of its
  /// superviews. O(depth of the tree).
  public var frameInWindow: Rect {
    Rect(origin: convertToWindow(bounds.origin), size: frame.size * magnificationInWindow)
  }

  /// Converts a rectangle from window coordinates to the view's coordinates.
  func convertFromWindow(_ rect: Rect) -> Rect {
    let magnification = magnificationInWindow
    let size = magnification == 1 ? rect.size : rect.size * (1 / magnification)
    return Rect(origin: convertFromWindow(rect.origin), size: size)
  }

  /// Converts a point from the superview's coordinates to the view's coordinates.
  func convertFromSuperview(_ point: Point) -> Point {
    let point = magnifier?.original(point) ?? point
    return point - frame.origin + boundsOrigin
  }

  /// Converts a point from the view's coordinates to the superview's coordinates.
  func convertToSuperview(_ point: Point) -> Point {
    let point = point + frame.origin - boundsOrigin
    return magnifier?.magnified(point) ?? point
  }

  /// Converts a rectangle from the view's coordinates to the superview's coordinates.
  func convertToSuperview(_ rect: Rect) -> Rect {
    let rect = rect.offset(by: frame.origin - boundsOrigin)
    return magnifier?.magnified(rect) ?? rect
  }

  /// The product of the magnifications of the view and of its superviews.
  private var magnificationInWindow: Double {
    var product = 1.0
    var view: View? = self
    while let current = view {
      if let magnifier = current.magnifier { product *= magnifier.factor }
      view = current.superview
    }
    return product
  }
}
