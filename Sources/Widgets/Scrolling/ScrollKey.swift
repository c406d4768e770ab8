import VitrineGraphics

/// How far a key scrolls.
nonisolated enum ScrollKey {
  /// The way that a key adds to the offset, in points; nil for a key that does not scroll.
  ///
  /// - Parameter page: the way of a page key.
  static func way(of key: Key, modifiers: KeyModifiers, page: Double) -> Point? {
    guard modifiers.isSubset(of: .shift) else { return nil }
    switch key {
    case .up: return Point(x: 0, y: -ScrollView.step)
    case .down: return Point(x: 0, y: ScrollView.step)
    case .left: return Point(x: -ScrollView.step, y: 0)
    case .right: return Point(x: ScrollView.step, y: 0)
    case .pageUp: return Point(x: 0, y: -page)
    case .pageDown: return Point(x: 0, y: page)
    case .space: return Point(x: 0, y: modifiers.contains(.shift) ? -page : page)
    // Further than any content; the end stops it.
    case .home: return Point(x: 0, y: -1e15)
    case .end: return Point(x: 0, y: 1e15)
    default: return nil
    }
  }
}
