import VitrineGraphics

/// A dark gradient over the lower edge of an image, so that light text stays legible on it.
enum Veil {
  /// The opacity of the gradient at its lower edge.
  private static let opacity = 0.7

  /// One column of black pixels, transparent at the top. Stretched where it is drawn.
  private static let image = Image(width: 1, height: 64) { _, y in
    let fraction = (Double(y) + 0.5) / 64
    // Slow at both ends, so that no edge is visible.
    let smooth = fraction * fraction * (3 - 2 * fraction)
    return Color.black.multiplyingAlpha(by: opacity * smooth)
  }

  /// Draws the gradient from the top of a rectangle to its lower edge.
  static func draw(in rect: Rect, into list: inout DrawList) {
    list.draw(DrawList.ImageCommand(image: image, destination: rect))
  }
}
