public import VitrineGraphics

/// What has to be drawn again: a few rectangles, joined where that costs little.
public nonisolated struct DirtyRegion: Hashable, Sendable {
  /// More rectangles than this are joined into those that grow least.
  public static let capacity = 12

  /// Rectangles in window points; they may overlap a little.
  public private(set) var rects: [Rect] = []

  /// A region in which nothing has to be drawn.
  public init() {}

  /// Whether nothing has to be drawn.
  public var isEmpty: Bool { rects.isEmpty }

  /// Adds a rectangle. Joined with another when both together cover little more than each by itself.
  public mutating func insert(_ rect: Rect) {
    guard !rect.isEmpty else { return }
    var rect = rect
    // A join may make further joins worth while, so start over after each.
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

  /// All rectangles, cut off at `bounds`; the region is empty afterwards.
  public mutating func take(within bounds: Rect) -> [Rect] {
    defer { rects.removeAll(keepingCapacity: true) }
    return rects.map { $0.intersection(bounds) }.filter { !$0.isEmpty }
  }

  private static func area(_ rect: Rect) -> Double { rect.width * rect.height }
  private static func growth(_ a: Rect, _ b: Rect) -> Double { area(a.union(b)) - area(a) }
}
