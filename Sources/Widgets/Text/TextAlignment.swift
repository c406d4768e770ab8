/// Where content goes that is narrower than its place.
public nonisolated enum TextAlignment: Hashable, Sendable {
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
