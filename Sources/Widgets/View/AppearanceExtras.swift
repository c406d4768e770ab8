/// The appearance that few views change, stored apart so that other views stay small.
final class AppearanceExtras {
  var magnification = 1.0
  var groupsOpacity = false
  /// The animations of the view; `nil` until the first one.
  var animations: ViewAnimations?

  /// True if the view is too small to be drawn.
  var isShrunkAway: Bool { magnification < 0.01 }

  /// True if the view and all subviews are faded as one image.
  var fadesAsGroup: Bool { groupsOpacity || animations?.running.contains(.alpha) == true }

  /// True while an animation changes the size with each frame.
  var isResizing: Bool { animations?.isResizing == true }
}
