import VitrineGraphics

/// A line round a view that has the focus: a coloured band with a dark one inside it, so that it is seen on
/// any picture. It lies inside the bounds, where no clip can cut it off.
struct FocusRing {
  /// The colour of rings that nobody has chosen another for.
  static let standardColor = Color(hex: 0x4C9DFF)

  let color: Color
  let scale: Double

  /// Widths of the two bands in points, the outer first.
  static let bands = (outer: 2.0, inner: 1.0)
  private static let innerColor = Color.black.multiplyingAlpha(by: 0.4)

  func draw(in bounds: Rect, cornerRadius: Double, into list: inout DrawList) {
    let width = Self.bands.outer + Self.bands.inner
    guard min(bounds.width, bounds.height) > 2 * width else { return }
    // Whole pixels, so that one band begins where the other ends.
    let outer = (Self.bands.outer * scale).rounded() / scale
    let radius = cornerRadius > 0 ? max(cornerRadius, width) : 0
    list.border(
      bounds.inset(by: outer), width: Self.bands.inner, color: Self.innerColor,
      cornerRadius: max(0, radius - outer))
    list.border(bounds, width: Self.bands.outer, color: color, cornerRadius: radius)
  }
}
