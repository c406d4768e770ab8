import VitrineGraphics

extension View {
  /// The factor by which the view and all subviews are drawn larger or smaller, about the center of the frame; 1 by
  /// default. Below 0.01 the view is not drawn and receives no touches. Values that are not finite are ignored.
  ///
  /// Corners, borders, shadows, images and texts are scaled, and touches reach the view where it is drawn. `frame` and
  /// `bounds` do not change, nor does the layout; `frameInWindow` is the frame as it is drawn. Images are loaded for the
  /// size of the frame. Without effect on a window.
  ///
  /// ```swift
  /// tile.animate(spring: SpringTiming(response: 0.3)) { $0.magnification = 1.1 }
  /// ```
  public var magnification: Double {
    get { extras?.magnification ?? 1 }
    set {
      propertyWasSet(.magnification)
      guard newValue.isFinite, newValue != magnification else { return }
      invalidateMagnifiedArea()
      addedExtras.magnification = newValue
      invalidateMagnifiedArea()
      guard newValue < 0.01 else { return }
      suspendAnimations()
      window?.cancelInteraction(below: self)
    }
  }

  /// True if the view and all subviews are faded by `alpha` as one image, so that views do not shine through each other.
  /// False by default; a running animation of `alpha` fades in this way in any case.
  ///
  /// A group costs a copy of its area in each frame in which it is drawn, except with an `alpha` of 1, or if a plain view
  /// or an image view draws only a color or an image.
  public var groupsOpacity: Bool {
    get { extras?.groupsOpacity ?? false }
    set {
      guard newValue != groupsOpacity else { return }
      addedExtras.groupsOpacity = newValue
      setAllNeedsDisplay()
    }
  }

  /// The extras of the view, added if there are none.
  var addedExtras: AppearanceExtras {
    if let extras { return extras }
    let new = AppearanceExtras()
    extras = new
    return new
  }

  /// True if neither the view itself is hidden, transparent nor too small to be seen. Superviews are ignored.
  var isDrawn: Bool { !isHidden && alpha >= 0.01 && extras?.isShrunkAway != true }

  /// The mapping from the superview's coordinates to the coordinates at which the view is drawn there; `nil` if it
  /// changes nothing.
  var magnifier: Magnifier? {
    guard let extras, extras.magnification != 1, window !== self else { return nil }
    return Magnifier(factor: max(0.01, extras.magnification), center: frame.center)
  }

  private func invalidateMagnifiedArea() {
    if isDrawn { superview?.setNeedsDisplay(coveredArea(in: frame)) }
  }
}
