import VitrineGraphics

/// The scroll distances of keys.
nonisolated enum ScrollKey {
  /// Returns the distance that a key adds to the offset, in points; `nil` for a key that does not scroll.
  ///
  /// - Parameter page: The distance of a page key in points.
  static func distance(of key: Key, modifiers: KeyModifiers, page: Double) -> Point? {
    guard modifiers.isSubset(of: .shift) else { return nil }
    switch key {
    case .up: return Point(x: 0, y: -ScrollView.step)
    case .down: return Point(x: 0, y: ScrollView.step)
    case .left: return Point(x: -ScrollView.step, y: 0)
    case .right: return Point(x: ScrollView.step, y: 0)
    case .pageUp: return Point(x: 0, y: -page)
    case .pageDown: return Point(x: 0, y: page)
    case .space: return Point(x: 0, y: modifiers.contains(.shift) ? -page : page)
    // Longer than any content; the motion is limited to the end.
    case .home: return Point(x: 0, y: -1e15)
    case .end: return Point(x: 0, y: 1e15)
    default: return nil
    }
  }
}
