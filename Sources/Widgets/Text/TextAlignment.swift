/// The horizontal alignment of content that is narrower than the available width.
public nonisolated enum TextAlignment: Hashable, Sendable {
  /// Left, center and right, independent of the language.
  case left, center, right

  /// Returns the distance from the left edge for content of a given width in `availableWidth`.
  func offset(of width: Double, in availableWidth: Double) -> Double {
    switch self {
    case .left: 0
    case .center: (availableWidth - width) / 2
    case .right: availableWidth - width
    }
  }
}
