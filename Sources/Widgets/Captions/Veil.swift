import VitrineGraphics

/// A dark gradient over the lower part of an image, so that light text stays legible on it.
///
/// White text below the gradient has a contrast of at least 4.5 on any image (WCAG 2.2, 1.4.3).
enum Veil {
  private static let color = Color.black.multiplyingAlpha(by: 0.6)

  /// One column of black pixels, transparent at the top. Stretched where it is drawn.
  private static let image = Image(width: 1, height: 64) { _, y in
    let fraction = (Double(y) + 0.5) / 64
    // Slow at both ends, so that no edge is visible.
    return color.multiplyingAlpha(by: fraction * fraction * (3 - 2 * fraction))
  }

  /// Draws the gradient over the upper part of a rectangle, and its darkest color below.
  ///
  /// - Parameter height: The height of the gradient in points, at most that of the rectangle.
  static func draw(in rect: Rect, height: Double, into list: inout DrawList) {
    var upper = rect
    upper.size.height = max(0, min(height, rect.height).rounded(.down))
    var lower = rect
    lower.origin.y = upper.maxY
    lower.size.height = rect.maxY - upper.maxY
    if !upper.isEmpty { list.draw(DrawList.ImageCommand(image: image, destination: upper)) }
    if !lower.isEmpty { list.fill(lower, color: color) }
  }
}
