/// A position in points, or in pixels where the name of a property or parameter says so. The y axis points down.
public struct Point: Hashable, Sendable {
  /// The distance from the left.
  public var x: Double
  /// The distance from the top.
  public var y: Double

  /// Creates a point from two coordinates.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The origin, (0, 0).
  public static let zero = Point(x: 0, y: 0)

  /// Adds coordinate by coordinate: moves a point by an offset.
  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  /// Subtracts coordinate by coordinate: returns the offset from `b` to `a`.
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
}

/// A width and a height in points, or in pixels where the name of a property or parameter says so.
public struct Size: Hashable, Sendable {
  /// The extent from left to right.
  public var width: Double
  /// The extent from top to bottom.
  public var height: Double

  /// Creates a size. Negative values and NaN are accepted.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size with a width and a height of 0.
  public static let zero = Size(width: 0, height: 0)

  /// True if the width or the height is zero, negative or NaN.
  public var isEmpty: Bool { !(width > 0 && height > 0) }

  /// Multiplies both sides by `factor`.
  public static func * (size: Size, factor: Double) -> Size {
    Size(width: size.width * factor, height: size.height * factor)
  }
}

/// Distances from the four edges of a rectangle. Positive distances point inwards.
public struct Insets: Hashable, Sendable {
  /// The distance from the top edge.
  public var top: Double
  /// The distance from the left edge.
  public var left: Double
  /// The distance from the bottom edge.
  public var bottom: Double
  /// The distance from the right edge.
  public var right: Double

  /// Creates insets from four distances, each 0 by default.
  public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// Creates insets with one distance for all edges.
  public init(all distance: Double) {
    self.init(top: distance, left: distance, bottom: distance, right: distance)
  }

  /// Insets of 0 on all edges.
  public static let zero = Insets()
}

/// A rectangle with a top left corner and a size.
public struct Rect: Hashable, Sendable {
  /// The top left corner.
  public var origin: Point
  /// The width and the height; may be empty.
  public var size: Size

  /// Creates a rectangle from a top left corner and a size.
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// Creates a rectangle from a left edge, a top edge, a width and a height.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  /// An empty rectangle at the origin.
  public static let zero = Rect(origin: .zero, size: .zero)

  /// The left edge.
  public var minX: Double { origin.x }
  /// The top edge.
  public var minY: Double { origin.y }
  /// The right edge. Points on it are outside the rectangle.
  public var maxX: Double { origin.x + size.width }
  /// The bottom edge. Points on it are outside the rectangle.
  public var maxY: Double { origin.y + size.height }
  /// The horizontal center.
  public var midX: Double { origin.x + size.width / 2 }
  /// The vertical center.
  public var midY: Double { origin.y + size.height / 2 }
  /// The extent from left to right.
  public var width: Double { size.width }
  /// The extent from top to bottom.
  public var height: Double { size.height }
  /// The center of the rectangle.
  public var center: Point { Point(x: midX, y: midY) }

  /// True if the rectangle has no area.
  public var isEmpty: Bool { size.isEmpty }

  /// Returns true if `point` lies inside the rectangle. Points on the right and bottom edges lie outside.
  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// Returns true if `other` lies completely inside the rectangle; shared edges are allowed.
  public func contains(_ other: Rect) -> Bool {
    other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
  }

  /// Returns true if the rectangles overlap in an area. An empty rectangle overlaps nothing.
  public func intersects(_ other: Rect) -> Bool {
    !isEmpty && !other.isEmpty && minX < other.maxX && other.minX < maxX && minY < other.maxY
      && other.minY < maxY
  }

  /// Returns the area that both rectangles cover; `zero` if there is none.
  public func intersection(_ other: Rect) -> Rect {
    guard intersects(other) else { return .zero }
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    let right = min(maxX, other.maxX)
    let bottom = min(maxY, other.maxY)
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Returns the smallest rectangle that contains both rectangles. Empty rectangles are ignored.
  public func union(_ other: Rect) -> Rect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let left = min(minX, other.minX)
    let top = min(minY, other.minY)
    return Rect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// Returns the rectangle moved by `offset`.
  public func offset(by offset: Point) -> Rect { Rect(origin: origin + offset, size: size) }

  /// Returns the rectangle reduced by `insets`. Negative insets enlarge the rectangle; the width and the height are at
  /// least 0.
  public func inset(by insets: Insets) -> Rect {
    Rect(
      x: minX + insets.left, y: minY + insets.top,
      width: max(0, width - insets.left - insets.right),
      height: max(0, height - insets.top - insets.bottom))
  }

  /// Returns the rectangle with all edges moved inwards by `distance`.
  public func inset(by distance: Double) -> Rect { inset(by: Insets(all: distance)) }

  /// The smallest rectangle with integral edges that contains the rectangle.
  package var roundedOut: Rect {
    let left = minX.rounded(.down)
    let top = minY.rounded(.down)
    return Rect(x: left, y: top, width: maxX.rounded(.up) - left, height: maxY.rounded(.up) - top)
  }

  /// Multiplies the corner and the size by `factor`, as for a conversion from points to pixels or back.
  public static func * (rect: Rect, factor: Double) -> Rect {
    Rect(origin: Point(x: rect.minX * factor, y: rect.minY * factor), size: rect.size * factor)
  }
}
