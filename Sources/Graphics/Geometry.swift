/// A position in points, or in pixels where the name says so; the y axis points down.
public struct Point: Hashable, Sendable {
  /// Distance from the left.
  public var x: Double
  /// Distance from the top.
  public var y: Double

  /// The point at these distances.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The origin, (0, 0).
  public static let zero = Point(x: 0, y: 0)

  /// The sum, side by side: a point moved by an offset.
  public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  /// The difference: the offset from `b` to `a`.
  public static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
}

/// A width and a height in points, or in pixels where the name says so.
public struct Size: Hashable, Sendable {
  /// Extent from left to right.
  public var width: Double
  /// Extent from top to bottom.
  public var height: Double

  /// The size of these extents; not checked.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// No width and no height.
  public static let zero = Size(width: 0, height: 0)

  /// Whether nothing fits in: a side is zero, negative or not a number.
  public var isEmpty: Bool { !(width > 0 && height > 0) }

  /// Both sides multiplied.
  public static func * (size: Size, factor: Double) -> Size {
    Size(width: size.width * factor, height: size.height * factor)
  }
}

/// Distances from the four edges of a rectangle, inwards where positive.
public struct Insets: Hashable, Sendable {
  /// From the top edge.
  public var top: Double
  /// From the left edge.
  public var left: Double
  /// From the bottom edge.
  public var bottom: Double
  /// From the right edge.
  public var right: Double

  /// The given distances, zero where none is given.
  public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// The same distance from each edge.
  public init(all distance: Double) {
    self.init(top: distance, left: distance, bottom: distance, right: distance)
  }

  /// No distance from any edge.
  public static let zero = Insets()
}

/// A rectangle by its top left corner and its size.
public struct Rect: Hashable, Sendable {
  /// The top left corner.
  public var origin: Point
  /// Width and height; may be empty.
  public var size: Size

  /// The rectangle of this corner and size.
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// The rectangle of this corner and these extents.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  /// An empty rectangle at the origin.
  public static let zero = Rect(origin: .zero, size: .zero)

  /// The left edge.
  public var minX: Double { origin.x }
  /// The top edge.
  public var minY: Double { origin.y }
  /// The right edge, which does not belong to the rectangle.
  public var maxX: Double { origin.x + size.width }
  /// The bottom edge, which does not belong to the rectangle.
  public var maxY: Double { origin.y + size.height }
  /// Halfway between the left and the right edge.
  public var midX: Double { origin.x + size.width / 2 }
  /// Halfway between the top and the bottom edge.
  public var midY: Double { origin.y + size.height / 2 }
  /// Extent from left to right.
  public var width: Double { size.width }
  /// Extent from top to bottom.
  public var height: Double { size.height }
  /// The point in the middle.
  public var center: Point { Point(x: midX, y: midY) }

  /// Whether it covers no area.
  public var isEmpty: Bool { size.isEmpty }

  /// Whether `point` lies inside; the right and the bottom edge do not belong to the rectangle.
  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
  }

  /// Whether all of `other` lies inside.
  public func contains(_ other: Rect) -> Bool {
    other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
  }

  /// Whether the two share some area; an empty one shares none.
  public func intersects(_ other: Rect) -> Bool {
    !isEmpty && !other.isEmpty && minX < other.maxX && other.minX < maxX && minY < other.maxY
      && other.minY < maxY
  }

  /// The shared area; empty (`zero`) when there is none.
  public func intersection(_ other: Rect) -> Rect {
    guard intersects(other) else { return .zero }
    let left = max(minX, other.minX)
    let top = max(minY, other.minY)
    let right = min(maxX, other.maxX)
    let bottom = min(maxY, other.maxY)
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The smallest rectangle around both; an empty one takes no part.
  public func union(_ other: Rect) -> Rect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    let left = min(minX, other.minX)
    let top = min(minY, other.minY)
    return Rect(
      x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// The rectangle moved by `offset`.
  public func offset(by offset: Point) -> Rect { Rect(origin: origin + offset, size: size) }

  /// The rectangle without `insets`; negative insets let it grow, and no side becomes negative.
  public func inset(by insets: Insets) -> Rect {
    Rect(
      x: minX + insets.left, y: minY + insets.top,
      width: max(0, width - insets.left - insets.right),
      height: max(0, height - insets.top - insets.bottom))
  }

  /// The rectangle with all edges moved inwards by `distance`.
  public func inset(by distance: Double) -> Rect { inset(by: Insets(all: distance)) }

  /// The smallest rectangle of whole numbers around this one.
  public var roundedOut: Rect {
    let left = minX.rounded(.down)
    let top = minY.rounded(.down)
    return Rect(
      x: left, y: top, width: maxX.rounded(.up) - left, height: maxY.rounded(.up) - top)
  }

  /// Corner and size multiplied: from points to pixels, or back.
  public static func * (rect: Rect, factor: Double) -> Rect {
    Rect(
      origin: Point(x: rect.minX * factor, y: rect.minY * factor), size: rect.size * factor)
  }
}
