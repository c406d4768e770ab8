package import VitrineGraphics

/// The parts of a window that must be redrawn: a few rectangles, joined where that redraws no larger area.
package nonisolated struct DirtyRegion: Hashable, Sendable {
  /// The maximum number of rectangles. A further rectangle is joined with the rectangle that grows least.
  package static let capacity = 12

  /// The rectangles in window points. They may overlap.
  package private(set) var rects: [Rect] = []

  /// Creates an empty region.
  package init() {}

  /// True if nothing must be redrawn.
  package var isEmpty: Bool { rects.isEmpty }

  /// Adds a rectangle; an empty one is ignored. Two rectangles are joined if their union is no larger than the sum of
  /// their areas.
  package mutating func insert(_ rect: Rect) {
    guard !rect.isEmpty else { return }
    var rect = rect
    // A join can make further joins possible, so the search starts over after each.
    var index = 0
    while index < rects.count {
      let joined = rects[index].union(rect)
      if Self.area(joined) <= Self.area(rects[index]) + Self.area(rect) {
        rects.remove(at: index)
        rect = joined
        index = 0
      } else {
        index += 1
      }
    }
    if rects.count < Self.capacity {
      rects.append(rect)
    } else {
      let nearest = rects.indices.min { Self.growth(rects[$0], rect) < Self.growth(rects[$1], rect) }
      let joined = rects.remove(at: nearest ?? 0).union(rect)
      insert(joined)
    }
  }

  /// Removes all rectangles and returns them, clipped to `bounds`.
  package mutating func takeRects(within bounds: Rect) -> [Rect] {
    defer { rects.removeAll(keepingCapacity: true) }
    return rects.map { $0.intersection(bounds) }.filter { !$0.isEmpty }
  }

  private static func area(_ rect: Rect) -> Double { rect.width * rect.height }
  private static func growth(_ a: Rect, _ b: Rect) -> Double { area(a.union(b)) - area(a) }
}
