import VitrineGraphics

/// Which of several rectangles lies nearest to another in a direction.
///
/// - What lies in the direction begins beyond the middle of the rectangle and ends beyond its end. So neither what
///   encloses it nor what lies within it is in any direction, and what overlaps it may be.
/// - Left and right keep to the row: what overlaps it in height goes before all else. Outside of the row only that
///   counts which lies at least as far ahead as aside.
/// - Otherwise that is nearest which takes the least way: the gap ahead, and the gap aside twice. Among equals it is
///   the one whose middle is less aside, and then the first.
nonisolated struct FocusGeometry {
  let direction: FocusDirection

  /// The index of the nearest; nil where none lies in the direction. O(n).
  func nearest(to origin: Rect, among candidates: [Rect]) -> Int? {
    let from = turned(origin)
    var best: (index: Int, cost: Cost)?
    for (index, candidate) in candidates.enumerated() {
      guard let cost = cost(of: turned(candidate), from: from) else { continue }
      if best.map({ cost < $0.cost }) ?? true { best = (index, cost) }
    }
    return best?.index
  }

  private struct Cost: Comparable {
    let isOutsideRow: Bool
    let way: Double
    let middleAside: Double

    static func < (a: Cost, b: Cost) -> Bool {
      if a.isOutsideRow != b.isOutsideRow { return b.isOutsideRow }
      return (a.way, a.middleAside) < (b.way, b.middleAside)
    }
  }

  /// A rectangle seen so that the direction goes towards growing x.
  private func turned(_ rect: Rect) -> Rect {
    switch direction {
    case .right: rect
    case .left: Rect(x: -rect.maxX, y: rect.minY, width: rect.width, height: rect.height)
    case .down: Rect(x: rect.minY, y: rect.minX, width: rect.height, height: rect.width)
    case .up: Rect(x: -rect.maxY, y: rect.minX, width: rect.height, height: rect.width)
    }
  }

  private func cost(of candidate: Rect, from: Rect) -> Cost? {
    guard candidate.minX >= from.midX, candidate.maxX > from.maxX else { return nil }
    let ahead = max(0, candidate.minX - from.maxX)
    let aside = max(0, candidate.minY - from.maxY, from.minY - candidate.maxY)
    let overlaps = candidate.minY < from.maxY && from.minY < candidate.maxY
    if direction.isSideways, !overlaps, aside > ahead { return nil }
    return Cost(
      isOutsideRow: direction.isSideways && !overlaps, way: ahead + 2 * aside,
      middleAside: abs(candidate.midY - from.midY))
  }
}
