public import VitrineGraphics

/// A soft shadow that a rounded rectangle casts on its background.
///
/// ```swift
/// card.cornerRadius = 12
/// card.shadow = Shadow(color: .black.multiplyingAlpha(by: 0.3), radius: 6, offset: Point(x: 0, y: 2))
/// ```
///
/// Each appearance is blurred once and stretched to all views that use it, so that a frame with fifty shadows costs
/// little more than a frame without.
public nonisolated struct Shadow: Hashable, Sendable {
  /// The color of the shadow; its alpha is the darkness (CALayer's shadowOpacity).
  public var color: Color
  /// The standard deviation of the blur in points, as CALayer's shadowRadius; half of CSS's blur radius. The shadow
  /// reaches up to three times as far. 0 or less is sharp; the maximum is 100 points or pixels, larger values count as
  /// 100.
  public var radius: Double
  /// The distance of the shadow from the rectangle that casts it, in points. An offset that is not finite draws
  /// nothing.
  public var offset: Point

  /// Creates a shadow; by default black at a third of full opacity, blurred by 3 points, 1 point further down.
  public init(
    color: Color = Color(red: 0, green: 0, blue: 0, alpha: 85), radius: Double = 3,
    offset: Point = Point(x: 0, y: 1)
  ) {
    self.color = color
    self.radius = radius
    self.offset = offset
  }

  /// The radius that is drawn: `radius` limited to 0…100 points.
  package var blur: Double { radius > 0 ? min(radius, 100) : 0 }

  /// True if the shadow can be visible: the color is not transparent and the offset is finite.
  package var isVisible: Bool { color.alpha > 0 && offset.x.isFinite && offset.y.isFinite }

  /// Returns the area that the shadow of a rectangle may cover; empty if the shadow is invisible.
  package func extent(of rect: Rect) -> Rect {
    guard isVisible, !rect.isEmpty else { return .zero }
    // One extra point for coordinates that are rounded to whole pixels.
    return rect.offset(by: offset).inset(by: -(blur * 3).rounded(.up) - 1)
  }
}
