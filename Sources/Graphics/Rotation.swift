/// How far the picture is turned clockwise on a panel that is mounted on its side or upside down.
///
/// Views, scripts and input know only the upright picture; the renderer turns what it brings to the screen, and the
/// host turns back where it was touched. The same count as the kernel's `fbcon=rotate`.
public enum Rotation: Int, Hashable, Sendable, CaseIterable {
  /// Upright.
  case none = 0
  /// A quarter turn clockwise: the top of the picture is at the panel's right.
  case quarter = 90
  /// Upside down.
  case half = 180
  /// Three quarter turns clockwise: the top of the picture is at the panel's left.
  case threeQuarters = 270

  /// Whether the panel is as wide as the picture is high.
  public var swapsSides: Bool { self == .quarter || self == .threeQuarters }

  /// A size of the picture as it is on the panel, and the other way round.
  public func turned(_ size: Size) -> Size {
    swapsSides ? Size(width: size.height, height: size.width) : size
  }

  /// Where a point of the upright picture lies on the panel. `size` is the upright picture's.
  public func onPanel(_ point: Point, of size: Size) -> Point {
    switch self {
    case .none: point
    case .quarter: Point(x: size.height - point.y, y: point.x)
    case .half: Point(x: size.width - point.x, y: size.height - point.y)
    case .threeQuarters: Point(x: point.y, y: size.width - point.x)
    }
  }

  /// Which point of the upright picture lies at a point of the panel. `size` is the upright picture's.
  public func upright(_ point: Point, of size: Size) -> Point {
    switch self {
    case .none: point
    case .quarter: Point(x: point.y, y: size.height - point.x)
    case .half: Point(x: size.width - point.x, y: size.height - point.y)
    case .threeQuarters: Point(x: size.width - point.y, y: point.x)
    }
  }
}
