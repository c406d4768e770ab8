/// The two slots for images in a button.
package nonisolated enum ButtonSlot: Hashable, Sendable, CaseIterable {
  /// The image next to the title.
  case image
  /// The image behind the content, as large as the button.
  case background
}
