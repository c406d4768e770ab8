/// The role of a view for assistive technology.
public nonisolated enum AccessibilityRole: String, Hashable, Sendable, CaseIterable {
  /// A container without a meaning of its own.
  case group
  /// The root of the tree.
  case window
  /// A text, or an image.
  case text, image
  /// A button, or a button that switches between on and off.
  case button, toggle
  /// Any other control.
  case control
  /// A scrolling view, a list, and a row of a list.
  case scrollArea, list, row
  /// Pages side by side.
  case pages
  /// Progress, known or unknown.
  case progress
}
