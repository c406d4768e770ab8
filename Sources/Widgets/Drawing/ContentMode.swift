public import VitrineGraphics

/// How a picture is laid into a view. Nothing is ever drawn outside the view's bounds.
public nonisolated enum ContentMode: Hashable, Sendable, CaseIterable {
  /// Covers the bounds, aspect ratio kept, what is too much cut off evenly (UIKit's scaleAspectFill, clipped).
  case fill
  /// Whole inside the bounds, aspect ratio kept, centred (scaleAspectFit).
  case fit
  /// Covers the bounds, aspect ratio not kept (scaleToFill).
  case stretch
  /// As `stretch`. UIKit's redraw asks the view to draw itself again when its size changes, which every view does here.
  case redraw
  /// In its natural size, in the middle, cut off at the bounds.
  case center
  /// In its natural size, in the middle of an edge, cut off at the others.
  case top, bottom, left, right
  /// In its natural size, in a corner, cut off at the edges opposite.
  case topLeft, topRight, bottomLeft, bottomRight

  /// Whether a picture is only placed, never scaled: a slot needs it in its natural size then, whatever the view's.
  public var keepsNaturalSize: Bool {
    switch self {
    case .fill, .fit, .stretch, .redraw: false
    case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight: true
    }
  }

  /// Which part of a bitmap goes where.
  ///
  /// - Parameters:
  ///   - pixelWidth: of the bitmap.
  ///   - pixelHeight: of the bitmap.
  ///   - size: its natural size in points.
  ///   - bounds: where it is laid out, in points.
  /// - Returns: the part in pixels and its place in points; both empty when nothing is to be seen, or where a measure is
  ///   not finite.
  public func layout(pixelWidth: Int, pixelHeight: Int, size: Size, in bounds: Rect) -> (
    source: Rect, destination: Rect
  ) {
    let whole = Rect(x: 0, y: 0, width: Double(pixelWidth), height: Double(pixelHeight))
    guard !size.isEmpty, !bounds.isEmpty, !whole.isEmpty, size.isFinite, bounds.isFinite else {
      return (.zero, .zero)
    }
    let placed: Size
    switch self {
    case .stretch, .redraw: return (whole, bounds)
    case .fill: placed = size * max(bounds.width / size.width, bounds.height / size.height)
    case .fit: placed = size * min(bounds.width / size.width, bounds.height / size.height)
    default: placed = size
    }
    let anchor = anchor
    let destination = Rect(
      x: bounds.minX + (bounds.width - placed.width) * anchor.x,
      y: bounds.minY + (bounds.height - placed.height) * anchor.y, width: placed.width,
      height: placed.height)
    let visible = destination.intersection(bounds)
    guard !visible.isEmpty else { return (.zero, .zero) }
    // The share of the picture that is visible.
    let source = Rect(
      x: (visible.minX - destination.minX) / placed.width * whole.width,
      y: (visible.minY - destination.minY) / placed.height * whole.height,
      width: visible.width / placed.width * whole.width,
      height: visible.height / placed.height * whole.height)
    return (source, visible)
  }
  /// Which point of the picture lies on the same point of the bounds, both as shares of their sides.
  private var anchor: Point {
    let x =
      switch self {
      case .left, .topLeft, .bottomLeft: 0.0
      case .right, .topRight, .bottomRight: 1.0
      default: 0.5
      }
    let y =
      switch self {
      case .top, .topLeft, .topRight: 0.0
      case .bottom, .bottomLeft, .bottomRight: 1.0
      default: 0.5
      }
    return Point(x: x, y: y)
  }
}

extension Size {
  fileprivate nonisolated var isFinite: Bool { width.isFinite && height.isFinite }
}

extension Rect {
  fileprivate nonisolated var isFinite: Bool { minX.isFinite && minY.isFinite && size.isFinite }
}
