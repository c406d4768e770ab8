/// Where an arrow key takes the focus.
public nonisolated enum FocusDirection: Hashable, Sendable, CaseIterable {
  /// Towards an edge of the window.
  case up, down, left, right

  /// The direction of an arrow key; nil for any other key.
  public init?(_ key: Key) {
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
