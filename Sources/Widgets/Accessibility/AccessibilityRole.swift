/// What a view is to somebody who does not see it.
public nonisolated enum AccessibilityRole: String, Hashable, Sendable, CaseIterable {
  /// Nothing by itself; it holds others.
  case group
  /// The top of the tree.
  case window
  /// Something to read, or to look at.
  case text, image
  /// Something to press; a toggle stays on.
  case button, toggle
  /// Something else that takes touches and keys.
  case control
  /// Something that scrolls; a list has rows.
  case scrollArea, list, row
  /// How far something has come, or only that something is going on.
  case progress
}
