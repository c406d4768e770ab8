import VitrineGraphics

/// Selects the rectangle that is nearest to an origin rectangle in a direction.
///
/// - A rectangle lies in the direction if it begins beyond the middle of the origin and ends beyond the end of the
///   origin. Rectangles that contain the origin or lie within it are in no direction; overlapping ones may be.
/// - For left and right, rectangles that overlap the origin vertically (in the same row) come first. Other rectangles
///   count only if they lie at least as far ahead as aside.
/// - Otherwise the smallest distance wins: the gap ahead plus twice the gap aside. Among equal distances, the rectangle
///   whose middle is least aside wins, then the first one.
nonisolated struct FocusGeometry {
  let direction: FocusDirection

  /// Returns the index of the nearest candidate; `nil` if none lies in the direction. O(n).
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
    let distance: Double
    let middleAside: Double

    static func < (a: Cost, b: Cost) -> Bool {
      if a.isOutsideRow != b.isOutsideRow { return b.isOutsideRow }
      return (a.distance, a.middleAside) < (b.distance, b.middleAside)
    }
  }

  /// Returns the rectangle in coordinates in which the direction is towards increasing x.
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
      isOutsideRow: direction.isSideways && !overlaps, distance: ahead + 2 * aside,
      middleAside: abs(candidate.midY - from.midY))
  }
}
