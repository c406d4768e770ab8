import VitrineGraphics

/// A rectangle of whole pixels; the right and the bottom edge do not belong to it.
nonisolated struct PixelRect: Hashable {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int

  var width: Int { right - left }
  var height: Int { bottom - top }
  var isEmpty: Bool { right <= left || bottom <= top }

  init(left: Int, top: Int, right: Int, bottom: Int) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  init(width: Int, height: Int) { self.init(left: 0, top: 0, right: width, bottom: height) }

  /// A rectangle in points on the grid of pixels. Each edge goes to the nearest one by itself, so that
  /// neighbours that share an edge in points share it in pixels too: no gap, no overlap.
  init(_ rect: Rect, scale: Double) {
    self.init(
      left: Self.nearest(rect.minX * scale), top: Self.nearest(rect.minY * scale),
      right: Self.nearest(rect.maxX * scale), bottom: Self.nearest(rect.maxY * scale))
  }

  /// The smallest one that holds every pixel which a rectangle in points touches.
  init(covering rect: Rect, scale: Double) {
    self.init(
      left: Self.whole((rect.minX * scale).rounded(.down)),
      top: Self.whole((rect.minY * scale).rounded(.down)),
      right: Self.whole((rect.maxX * scale).rounded(.up)),
      bottom: Self.whole((rect.maxY * scale).rounded(.up)))
  }

  func intersection(_ other: PixelRect) -> PixelRect {
    PixelRect(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom))
  }

  /// The smallest one that holds both.
  func union(_ other: PixelRect) -> PixelRect {
    PixelRect(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// The rectangles that are left of it without another one, at most four.
  func without(_ other: PixelRect) -> [PixelRect] {
    let hole = intersection(other)
    guard !hole.isEmpty else { return [self] }
    return [
      PixelRect(left: left, top: top, right: right, bottom: hole.top),
      PixelRect(left: left, top: hole.top, right: hole.left, bottom: hole.bottom),
      PixelRect(left: hole.right, top: hole.top, right: right, bottom: hole.bottom),
      PixelRect(left: left, top: hole.bottom, right: right, bottom: bottom),
    ].filter { !$0.isEmpty }
  }

  func contains(_ other: PixelRect) -> Bool {
    other.left >= left && other.right <= right && other.top >= top && other.bottom <= bottom
  }

  /// In points.
  func rect(scale: Double) -> Rect {
    Rect(
      x: Double(left) / scale, y: Double(top) / scale, width: Double(width) / scale,
      height: Double(height) / scale)
  }

  /// Halves go up, also below zero, so that a scrolled view keeps its size in pixels; so does what is a half but for a
  /// rounding error, or a picture in the middle of a view would have another size than its pixels.
  static func nearest(_ value: Double) -> Int { whole((value + 0.5 + 1e-6).rounded(.down)) }

  /// Pinned to a range in which sums and products stay valid; not a number counts as 0.
  private static func whole(_ value: Double) -> Int {
    value.isNaN ? 0 : Int(min(10_000_000, max(-10_000_000, value)))
  }
}
