public import VitrineGraphics

/// The way in which an image is scaled and aligned within a view's bounds. Nothing is drawn outside the bounds.
public nonisolated enum ContentMode: Hashable, Sendable, CaseIterable {
  /// Covers the bounds with the aspect ratio kept; the excess is cropped evenly on both sides (UIKit's scaleAspectFill,
  /// clipped).
  case fill
  /// Fits wholly inside the bounds with the aspect ratio kept, centered (UIKit's scaleAspectFit).
  case fit
  /// Covers the bounds without keeping the aspect ratio (UIKit's scaleToFill).
  case stretch
  /// An alias of `stretch` for UIKit code. UIKit's redraw redraws the view when its size changes, which every view does
  /// here.
  case redraw
  /// Natural size, centered, cropped at the bounds.
  case center
  /// Natural size, centered along one edge, cropped at the remaining edges.
  case top, bottom, left, right
  /// Natural size, in one corner, cropped at the opposite edges.
  case topLeft, topRight, bottomLeft, bottomRight

  /// True if the mode places an image without scaling. A slot then loads the image in its natural size, regardless
  /// of the size of the view.
  package var keepsNaturalSize: Bool {
    switch self {
    case .fill, .fit, .stretch, .redraw: false
    case .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight: true
    }
  }

  /// Returns the visible part of a bitmap and the frame into which that part is drawn, for a view that draws an image
  /// itself with `DrawList.draw(_:)`.
  ///
  /// - Parameters:
  ///   - pixelWidth: The width of the bitmap in pixels.
  ///   - pixelHeight: The height of the bitmap in pixels.
  ///   - size: The natural size of the image in points.
  ///   - bounds: The rectangle in which the image is laid out, in points.
  /// - Returns: The source in pixels and the destination in points. Both are empty if nothing is visible or an argument
  ///   is empty or not finite.
  public func layout(pixelWidth: Int, pixelHeight: Int, size: Size, in bounds: Rect) -> (
    source: Rect, destination: Rect
  ) {
    let bitmapRect = Rect(x: 0, y: 0, width: Double(pixelWidth), height: Double(pixelHeight))
    guard !size.isEmpty, !bounds.isEmpty, !bitmapRect.isEmpty, size.isFinite, bounds.isFinite else {
      return (.zero, .zero)
    }
    let scaledSize: Size
    switch self {
    case .stretch, .redraw: return (bitmapRect, bounds)
    case .fill: scaledSize = size * max(bounds.width / size.width, bounds.height / size.height)
    case .fit: scaledSize = size * min(bounds.width / size.width, bounds.height / size.height)
    default: scaledSize = size
    }
    let anchor = anchor
    let destination = Rect(
      x: bounds.minX + (bounds.width - scaledSize.width) * anchor.x,
      y: bounds.minY + (bounds.height - scaledSize.height) * anchor.y, width: scaledSize.width,
      height: scaledSize.height)
    let visible = destination.intersection(bounds)
    guard !visible.isEmpty else { return (.zero, .zero) }
    // Only the visible fraction of the bitmap is drawn.
    let source = Rect(
      x: (visible.minX - destination.minX) / scaledSize.width * bitmapRect.width,
      y: (visible.minY - destination.minY) / scaledSize.height * bitmapRect.height,
      width: visible.width / scaledSize.width * bitmapRect.width,
      height: visible.height / scaledSize.height * bitmapRect.height)
    return (source, visible)
  }
  /// The anchor of the alignment as fractions of width and height: this point of the image lies on the same point of
  /// the bounds.
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

extension Size { fileprivate nonisolated var isFinite: Bool { width.isFinite && height.isFinite } }

extension Rect {
  fileprivate nonisolated var isFinite: Bool { minX.isFinite && minY.isFinite && size.isFinite }
}
