public import VitrineGraphics

extension View {
  /// Marks the whole view to be redrawn with the next frame.
  public func setNeedsDisplay() { setNeedsDisplay(bounds) }

  /// Marks a part, in the view's coordinates, to be redrawn with the next frame. O(depth of the tree).
  public func setNeedsDisplay(_ rect: Rect) {
    guard isDrawn else { return }
    invalidate(rect)
  }

  /// Marks everything that the view draws on to be redrawn, shadow and subviews included.
  func setAllNeedsDisplay() {
    guard isDrawn else { return }
    invalidate(coveredArea, isClipped: false)
  }

  /// Marks a part to be redrawn, also in a view that has just become transparent.
  ///
  /// - Parameter isClipped: False if the view's own `clipsToBounds` does not apply, as for its shadow.
  func invalidate(_ rect: Rect, isClipped: Bool = true) {
    guard let window, !isHidden, extras?.isShrunkAway != true else { return }
    var rect = rect
    var view = self
    while let parent = view.superview {
      if view.clipsToBounds, isClipped || view !== self { rect = rect.intersection(view.bounds) }
      rect = view.convertToSuperview(rect)
      // Shadows end within a point of their extent, and no magnification may take this point away.
      if view.magnifier != nil { rect = rect.inset(by: -1) }
      view = parent
      if rect.isEmpty || !view.isDrawn { return }
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

  /// Returns the covered area in the superview's coordinates, as it is drawn, for a given frame of the view.
  func coveredArea(in frame: Rect) -> Rect {
    let area = unmagnifiedArea(in: frame)
    guard let extras, let magnifier else { return area }
    guard !extras.isShrunkAway else { return .zero }
    return Magnifier(factor: magnifier.factor, center: frame.center).magnified(area).inset(by: -1)
  }

  /// Returns the covered area in the superview's coordinates, without the magnification of the view.
  private func unmagnifiedArea(in frame: Rect) -> Rect {
    let ownArea = shadow.map { frame.union($0.extent(of: frame)) } ?? frame
    if clipsToBounds { return ownArea }
    return coveredArea.offset(by: frame.origin - boundsOrigin).union(ownArea)
  }

  /// True if the view is in no window, or the view or a superview is hidden, transparent or too small to be seen.
  var isHiddenInTree: Bool {
    guard window != nil else { return true }
    var view: View? = self
    while let current = view {
      if !current.isDrawn { return true }
      view = current.superview
    }
    return false
  }

  /// Draws the view and all descendants.
  func render(into list: inout DrawList) {
    guard isDrawn else { return }
    guard let extras else {
      // Most views of a full screen lie outside of the part that is drawn.
      if !list.isVisible(frame), subviews.isEmpty, shadow == nil { return }
      return render(into: &list, opacity: alpha)
    }
    let magnifier = self.magnifier
    let isResizing = extras.isResizing
    let isGroup = alpha < 1 && extras.fadesAsGroup && !drawsOneCommand
    if magnifier != nil || isResizing { list.enter(magnifier, isMoving: isResizing) }
    if isGroup { list.enterGroup(in: unmagnifiedArea(in: frame), opacity: alpha) }
    render(into: &list, opacity: isGroup ? 1 : alpha)
    if isGroup { list.leave() }
    if magnifier != nil || isResizing { list.leave() }
  }

  /// True if the view draws a color or an image at most, which fades alike alone and as a group. Must not depend on the
  /// redrawn part, because blending a group rounds differently.
  private var drawsOneCommand: Bool {
    guard type(of: self) == View.self || type(of: self) == ImageView.self else { return false }
    guard subviews.isEmpty, shadow == nil, borderWidth <= 0, attachment == nil || !isLoading else {
      return false
    }
    return transitions.isEmpty && (backgroundColor == nil || heldImages.isEmpty)
  }

  /// Draws the view and all descendants, not magnified.
  private func render(into list: inout DrawList, opacity: Double) {
    drawShadow(into: &list, opacity: opacity)
    if clipsToBounds {
      guard list.isVisible(frame) else { return }
    }
    list.enter(
      origin: frame.origin - boundsOrigin, opacity: opacity, clip: clipsToBounds ? frame : nil)
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
  private func drawShadow(into list: inout DrawList, opacity: Double) {
    guard var shadow else { return }
    shadow.color = shadow.color.multiplyingAlpha(by: opacity)
    list.shadow(
      shadow, of: frame, cornerRadius: cornerRadius,
      isHiddenInside: opacity >= 1 && backgroundColor?.alpha == 255)
  }

  private func drawBackground(into list: inout DrawList) {
    guard let backgroundColor else { return }
    list.fill(bounds, color: backgroundColor, cornerRadius: cornerRadius)
  }
}
