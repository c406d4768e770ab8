import VitrineGraphics

/// Something that lives with a view without being a subview: the slots that load its pictures.
package protocol ViewAttachment: AnyObject {
  /// The size of the view has changed, in points or in pixels, or how a picture is laid out in it.
  func boundsDidChange(of view: View)
  /// The view has come into a window, or left one.
  func didMoveToWindow(_ view: View)
  /// Called when a list has scrolled the view off the screen.
  func didLeaveScreen(_ view: View)
  /// Draws over the view and its subviews, in its coordinates: a spinner.
  func drawOverlay(of view: View, into list: inout DrawList)
}

extension ViewAttachment {
  package func didLeaveScreen(_ view: View) {}
}
