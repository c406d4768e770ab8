import VitrineGraphics

/// An object attached to a view that is not a subview, for example the slots that load the view's images.
package protocol ViewAttachment: AnyObject {
  /// Called when the size of the view, in points or in pixels, or the layout of an image in the view has changed.
  func boundsDidChange(of view: View)
  /// Called when the view has entered or left a window.
  func didMoveToWindow(_ view: View)
  /// Called when a list has scrolled the view off the screen.
  func didLeaveScreen(_ view: View)
  /// Returns a source of the regions of the image that the view shows; `nil` if the image is decoded only as a whole.
  func tileSource(for view: View) -> (any TileSource)?
  /// Draws over the view and all subviews, in the view's coordinates, for example a spinner.
  func drawOverlay(of view: View, into list: inout DrawList)
}

extension ViewAttachment {
  package func didLeaveScreen(_ view: View) {}
  package func tileSource(for view: View) -> (any TileSource)? { nil }
}
