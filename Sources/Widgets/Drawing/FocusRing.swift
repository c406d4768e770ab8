import VitrineGraphics

/// A line round a view that has the focus: a coloured band with a dark one inside it, so that it is seen on
/// any picture. It lies inside the bounds, where no clip can cut it off.
///
/// The straight parts are fills, the corners pieces of a small picture that is drawn once.
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
    // Whole pixels, so that corners and lines meet.
    let wanted = min(max(cornerRadius, width), min(bounds.width, bounds.height) / 2)
    let pixels = cornerRadius > 0 ? Int((wanted * scale).rounded()) : 0
    let radius = Double(pixels) / scale
    band(bounds, width: Self.bands.outer, radius: radius, color: color, into: &list)
    band(
      bounds.inset(by: Self.bands.outer), width: Self.bands.inner,
      radius: radius > 0 ? radius - Self.bands.outer : 0, color: Self.innerColor, into: &list)
    if pixels > 0 { corners(bounds, radius: radius, pixels: pixels, into: &list) }
  }

  /// Four lines along the edges that leave the corners out.
  private func band(
    _ rect: Rect, width: Double, radius: Double, color: Color, into list: inout DrawList
  ) {
    let span = rect.width - 2 * radius
    if span > 0 {
      let top = Rect(x: rect.minX + radius, y: rect.minY, width: span, height: width)
      list.fill(top, color: color)
      list.fill(top.offset(by: Point(x: 0, y: rect.height - width)), color: color)
    }
    let upper = max(radius, width)
    let rise = rect.height - 2 * (radius > 0 ? radius : upper)
    if rise > 0 {
      let left = Rect(x: rect.minX, y: rect.midY - rise / 2, width: width, height: rise)
      list.fill(left, color: color)
      list.fill(left.offset(by: Point(x: rect.width - width, y: 0)), color: color)
    }
  }

  private func corners(_ bounds: Rect, radius: Double, pixels: Int, into list: inout DrawList) {
    let image = Artwork.disc(pixels: pixels, color: color, scale: scale)
    let side = Double(pixels)
    for (right, bottom) in [(false, false), (true, false), (false, true), (true, true)] {
      let origin = Point(
        x: right ? bounds.maxX - radius : bounds.minX, y: bottom ? bounds.maxY - radius : bounds.minY)
      list.draw(
        DrawList.Picture(
          image: image,
          source: Rect(x: right ? side : 0, y: bottom ? side : 0, width: side, height: side),
          destination: Rect(origin: origin, size: Size(width: radius, height: radius))))
    }
  }

  /// Rings of 2 x `pixels` in diameter, kept since there are few radii in a program.
  private enum Artwork {
    private struct Key: Hashable {
      let pixels: Int
      let color: Color
      let scale: Double
    }
    private static var cache: [Key: Image] = [:]

    static func disc(pixels: Int, color: Color, scale: Double) -> Image {
      let key = Key(pixels: pixels, color: color, scale: scale)
      if let image = cache[key] { return image }
      if cache.count >= 32 { cache.removeAll() }
      let radius = Double(pixels)
      let middle = radius - FocusRing.bands.outer * scale
      let inner = middle - FocusRing.bands.inner * scale
      let image = Image(
        Bitmap(drawingWidth: 2 * pixels, height: 2 * pixels) { x, y in
          let distance = ((x - radius) * (x - radius) + (y - radius) * (y - radius)).squareRoot()
          func covered(_ radius: Double) -> Double { min(1, max(0, radius - distance + 0.5)) }
          let accent = covered(radius) - covered(middle)
          let dark = (covered(middle) - covered(inner)) * Double(innerColor.alpha) / 255
          let alpha = accent * Double(color.alpha) / 255 + dark
          guard alpha > 0 else { return .clear }
          // Black takes its share of the colour away.
          let share = (alpha - dark) / alpha
          func channel(_ value: UInt8) -> UInt8 { UInt8((Double(value) * share).rounded()) }
          return Color(
            red: channel(color.red), green: channel(color.green), blue: channel(color.blue),
            alpha: UInt8((min(1, alpha) * 255).rounded()))
        }, scale: scale)
      cache[key] = image
      return image
    }
  }
}
