/// A direction in which an arrow key moves the focus.
public nonisolated enum FocusDirection: Hashable, Sendable, CaseIterable {
  /// Towards the edge of the window with this name.
  case up, down, left, right

  /// Creates the direction of an arrow key; fails for any other key.
  package init?(_ key: Key) {
    switch key {
    case .up: self = .up
    case .down: self = .down
    case .left: self = .left
    case .right: self = .right
    default: return nil
    }
  }

  var isSideways: Bool { self == .left || self == .right }
}
