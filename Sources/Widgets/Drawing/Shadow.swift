public import VitrineGraphics

/// A soft shadow that a rounded rectangle throws on what lies behind it.
///
/// ```swift
/// card.cornerRadius = 12
/// card.shadow = Shadow(color: .black.multiplyingAlpha(by: 0.3), radius: 6, offset: Point(x: 0, y: 2))
/// ```
///
/// It is blurred once for each look and stretched to the views that have it, so that a frame with fifty costs little
/// more than one without.
public nonisolated struct Shadow: Hashable, Sendable {
  /// Its alpha says how dark it gets (CALayer's shadowOpacity).
  public var color: Color
  /// How far it is blurred, in points: the standard deviation, as CALayer's shadowRadius; half of what CSS calls the
  /// blur. It is seen up to three times as far. 0 or less is sharp; more than 100 points, or pixels, count as 100.
  public var radius: Double
  /// How far it lies from what throws it, in points; nothing is drawn where it is not finite.
  public var offset: Point

  /// A shadow of black at a third, blurred by 3 points and 1 point farther down, unless said otherwise.
  public init(
    color: Color = Color(red: 0, green: 0, blue: 0, alpha: 85), radius: Double = 3,
    offset: Point = Point(x: 0, y: 1)
  ) {
    self.color = color
    self.radius = radius
    self.offset = offset
  }

  /// `radius` as it is drawn.
  package var blur: Double { radius > 0 ? min(radius, 100) : 0 }

  /// Whether there is anything to be seen of it.
  package var isVisible: Bool { color.alpha > 0 && offset.x.isFinite && offset.y.isFinite }

  /// What the shadow of a rectangle draws on; empty where nothing is seen.
  package func extent(of rect: Rect) -> Rect {
    guard isVisible, !rect.isEmpty else { return .zero }
    // A point more for what is rounded to whole pixels.
    return rect.offset(by: offset).inset(by: -(blur * 3).rounded(.up) - 1)
  }
}
