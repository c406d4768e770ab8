public import VitrineGraphics

extension View {
  /// Marks the whole view to be redrawn with the next frame.
  public func setNeedsDisplay() { setNeedsDisplay(bounds) }

  /// Marks a part, in the view's coordinates, to be redrawn with the next frame. O(depth of the tree).
  public func setNeedsDisplay(_ rect: Rect) {
    guard alpha >= 0.01 else { return }
    invalidate(rect)
  }

  /// Marks everything that the view draws on to be redrawn, shadow and subviews included.
  func setAllNeedsDisplay() {
    guard alpha >= 0.01 else { return }
    invalidate(coveredArea, isClipped: false)
  }

  /// Marks a part to be redrawn, also in a view that has just become transparent.
  ///
  /// - Parameter isClipped: False if the view's own `clipsToBounds` does not apply, as for its shadow.
  func invalidate(_ rect: Rect, isClipped: Bool = true) {
    guard let window, !isHidden else { return }
    var rect = rect
    var view = self
    while let parent = view.superview {
      if view.clipsToBounds, isClipped || view !== self { rect = rect.intersection(view.bounds) }
      rect = rect.offset(by: view.frame.origin - view.boundsOrigin)
      view = parent
      if rect.isEmpty || view.isHidden || view.alpha < 0.01 { return }
    }
    window.invalidateWindow(rect)
  }

  /// The area in the view's coordinates that the view and all descendants draw on. Shadows lie outside the bounds, and
  /// subviews may.
  var coveredArea: Rect {
    let ownArea = shadow.map { bounds.union($0.extent(of: bounds)) } ?? bounds
    if clipsToBounds { return ownArea }
    return subviews.reduce(ownArea) { $1.isHidden ? $0 : $0.union($1.coveredArea(in: $1.frame)) }
  }

  /// Returns the covered area in the superview's coordinates, computed for a given frame of the view.
  func coveredArea(in frame: Rect) -> Rect {
    let ownArea = shadow.map { frame.union($0.extent(of: frame)) } ?? frame
    if clipsToBounds { return ownArea }
    return coveredArea.offset(by: frame.origin - boundsOrigin).union(ownArea)
  }

  /// Converts a point from window coordinates to the view's coordinates. O(depth of the tree).
  public func convertFromWindow(_ point: Point) -> Point {
    let inParent = superview?.convertFromWindow(point) ?? point
    return inParent - frame.origin + boundsOrigin
  }

  /// Converts a point from the view's coordinates to window coordinates. O(depth of the tree).
  public func convertToWindow(_ point: Point) -> Point {
    let inParent = point + frame.origin - boundsOrigin
    return superview?.convertToWindow(inParent) ?? inParent
  }

  /// The frame of the view in window coordinates. O(depth of the tree).
  public var frameInWindow: Rect { Rect(origin: convertToWindow(bounds.origin), size: frame.size) }

  /// True if the view is in no window, or the view or a superview is hidden or transparent.
  var isHiddenInTree: Bool {
    guard window != nil else { return true }
    var view: View? = self
    while let current = view {
      if current.isHidden || current.alpha < 0.01 { return true }
      view = current.superview
    }
    return false
  }

  /// Draws the view and all descendants.
  func render(into list: inout DrawList) {
    guard !isHidden, alpha >= 0.01 else { return }
    drawShadow(into: &list)
    if clipsToBounds {
      guard list.isVisible(frame) else { return }
    }
    list.enter(
      origin: frame.origin - boundsOrigin, opacity: alpha, clip: clipsToBounds ? frame : nil)
    if list.isVisible(bounds) {
      if borderWidth > 0, borderColor.alpha > 0 {
        list.border(bounds, width: borderWidth, color: borderColor, cornerRadius: cornerRadius) { list in
          drawBackground(into: &list)
          draw(into: &list)
        }
      } else {
        drawBackground(into: &list)
        draw(into: &list)
      }
    }
    for child in subviews { child.render(into: &list) }
    if list.isVisible(bounds) {
      drawOverlay(into: &list)
      attachment?.drawOverlay(of: self, into: &list)
    }
    list.leave()
  }

  /// Draws the shadow in the coordinates of the superview, where the view's own clip does not apply.
  private func drawShadow(into list: inout DrawList) {
    guard var shadow else { return }
    shadow.color = shadow.color.multiplyingAlpha(by: alpha)
    list.shadow(
      shadow, of: frame, cornerRadius: cornerRadius,
      isHiddenInside: alpha >= 1 && backgroundColor?.alpha == 255)
  }

  private func drawBackground(into list: inout DrawList) {
    guard let backgroundColor else { return }
    list.fill(bounds, color: backgroundColor, cornerRadius: cornerRadius)
  }
}
