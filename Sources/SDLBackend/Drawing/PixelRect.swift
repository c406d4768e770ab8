import VitrineGraphics

/// A rectangle of whole pixels. The right and bottom edges are exclusive.
struct PixelRect: Hashable {
  var left, top, right, bottom: Int

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

  /// Converts a rectangle from points to pixels. Each edge is rounded to the nearest pixel on its own, so that
  /// rectangles that share an edge in points also share it in pixels, without a gap or an overlap.
  init(_ rect: Rect, scale: Double) {
    self.init(
      left: Self.nearest(rect.minX * scale), top: Self.nearest(rect.minY * scale),
      right: Self.nearest(rect.maxX * scale), bottom: Self.nearest(rect.maxY * scale))
  }

  /// Creates the smallest rectangle that contains every pixel touched by a rectangle in points.
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

  /// Returns the smallest rectangle that contains both rectangles.
  func union(_ other: PixelRect) -> PixelRect {
    PixelRect(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// Returns the parts of this rectangle outside `other`, at most four rectangles.
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

  /// Converts the rectangle to points.
  func rect(scale: Double) -> Rect {
    Rect(
      x: Double(left) / scale, y: Double(top) / scale, width: Double(width) / scale,
      height: Double(height) / scale)
  }

  /// Rounds to the nearest integer. Halves are rounded up, also below zero, so that a scrolled view keeps its size in
  /// pixels. Values that are just below a half due to rounding errors are rounded up too; otherwise an image in the
  /// middle of a view would not have the size of its pixels.
  static func nearest(_ value: Double) -> Int { whole((value + 0.5 + 1e-6).rounded(.down)) }

  /// Clamps to a range in which sums and products do not overflow. Converts NaN to 0.
  private static func whole(_ value: Double) -> Int {
    value.isNaN ? 0 : Int(min(10_000_000, max(-10_000_000, value)))
  }
}
