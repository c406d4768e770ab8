/// Where content goes that is narrower than its place.
public nonisolated enum TextAlignment: Hashable, Sendable {
  /// At the left edge, in the middle, at the right edge, whatever the language.
  case left, center, right

  /// Distance from the left edge, for something `width` wide in a place `room` wide.
  func offset(of width: Double, in room: Double) -> Double {
    switch self {
    case .left: 0
    case .center: (room - width) / 2
    case .right: room - width
    }
  }
}
