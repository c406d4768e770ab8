/// The clockwise rotation of the user interface on a panel that is mounted on its side or upside down.
///
/// Views, scripts and input use upright coordinates only. The renderer rotates what it presents, and the host converts
/// positions of touches back to upright coordinates. The direction is that of the kernel's `fbcon=rotate`.
public enum Rotation: Int, Hashable, Sendable, CaseIterable {
  /// No rotation.
  case none = 0
  /// A quarter turn clockwise: the top of the interface is at the panel's right.
  case quarter = 90
  /// A half turn: the interface is upside down.
  case half = 180
  /// Three quarter turns clockwise: the top of the interface is at the panel's left.
  case threeQuarters = 270

  /// True if the rotation exchanges width and height.
  package var swapsSides: Bool { self == .quarter || self == .threeQuarters }

  /// Converts a size from upright to panel coordinates, or from panel to upright coordinates.
  package func turned(_ size: Size) -> Size {
    swapsSides ? Size(width: size.height, height: size.width) : size
  }

  /// Converts a point from upright to panel coordinates. `size` is the size of the upright interface.
  package func onPanel(_ point: Point, of size: Size) -> Point {
    switch self {
    case .none: point
    case .quarter: Point(x: size.height - point.y, y: point.x)
    case .half: Point(x: size.width - point.x, y: size.height - point.y)
    case .threeQuarters: Point(x: point.y, y: size.width - point.x)
    }
  }

  /// Converts a point from panel to upright coordinates. `size` is the size of the upright interface.
  package func upright(_ point: Point, of size: Size) -> Point {
    switch self {
    case .none: point
    case .quarter: Point(x: point.y, y: size.height - point.x)
    case .half: Point(x: size.width - point.x, y: size.height - point.y)
    case .threeQuarters: Point(x: size.width - point.y, y: point.x)
    }
  }
}
