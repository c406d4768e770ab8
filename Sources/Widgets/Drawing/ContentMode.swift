public import VitrineGraphics

/// How a picture is laid into a view. Nothing is ever drawn outside the view's bounds.
public nonisolated enum ContentMode: Hashable, Sendable, CaseIterable {
  /// Covers the bounds, aspect ratio kept, what is too much cut off evenly (UIKit's scaleAspectFill, clipped).
  case fill
  /// Whole inside the bounds, aspect ratio kept, centred (scaleAspectFit).
  case fit
  /// Covers the bounds, aspect ratio not kept (scaleToFill).
  case stretch
  /// In its natural size, centred, cut off at the bounds.
  case center

  /// Which part of a bitmap goes where.
  ///
  /// - Parameters:
  ///   - pixelWidth: of the bitmap.
  ///   - pixelHeight: of the bitmap.
  ///   - size: its natural size in points.
  ///   - bounds: where it is laid out, in points.
  /// - Returns: the part in pixels and its place in points; both empty when nothing is to be seen.
  public func layout(pixelWidth: Int, pixelHeight: Int, size: Size, in bounds: Rect) -> (
    source: Rect, destination: Rect
  ) {
    let whole = Rect(x: 0, y: 0, width: Double(pixelWidth), height: Double(pixelHeight))
    guard !size.isEmpty, !bounds.isEmpty, !whole.isEmpty else { return (.zero, .zero) }
    let placed: Size
    switch self {
    case .stretch: return (whole, bounds)
    case .fill: placed = size * max(bounds.width / size.width, bounds.height / size.height)
    case .fit: placed = size * min(bounds.width / size.width, bounds.height / size.height)
    case .center: placed = size
    }
    let destination = Rect(
      x: bounds.midX - placed.width / 2, y: bounds.midY - placed.height / 2, width: placed.width,
      height: placed.height)
    let visible = destination.intersection(bounds)
    // The share of the picture that is visible, taken off evenly on both sides.
    let source = Rect(
      x: (visible.minX - destination.minX) / placed.width * whole.width,
      y: (visible.minY - destination.minY) / placed.height * whole.height,
      width: visible.width / placed.width * whole.width,
      height: visible.height / placed.height * whole.height)
    return (source, visible)
  }
}
