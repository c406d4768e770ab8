/// The two places for a picture in a button.
public nonisolated enum ButtonSlot: Hashable, Sendable, CaseIterable {
  /// Beside or above the title.
  case image
  /// Behind everything, as large as the button.
  case background
}
