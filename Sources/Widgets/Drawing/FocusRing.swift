import VitrineGraphics

/// The outline of a view that has the focus: a colored band with a dark band inside it, so that the outline is visible
/// on any image. It lies inside the bounds, where no clip cuts it off.
struct FocusRing {
  /// The default color, a light blue.
  static let standardColor = Color(hex: 0x4C9DFF)

  let color: Color
  let scale: Double

  /// The widths of the outer and the inner band, in points.
  static let bands = (outer: 2.0, inner: 1.0)
  private static let innerColor = Color.black.multiplyingAlpha(by: 0.4)

  func draw(in bounds: Rect, cornerRadius: Double, into list: inout DrawList) {
    let width = Self.bands.outer + Self.bands.inner
    guard min(bounds.width, bounds.height) > 2 * width else { return }
    // Rounded to whole pixels, so that one band begins where the other ends.
    let outer = (Self.bands.outer * scale).rounded() / scale
    let radius = cornerRadius > 0 ? max(cornerRadius, width) : 0
    list.border(
      bounds.inset(by: outer), width: Self.bands.inner, color: Self.innerColor,
      cornerRadius: max(0, radius - outer))
    list.border(bounds, width: Self.bands.outer, color: color, cornerRadius: radius)
  }
}
