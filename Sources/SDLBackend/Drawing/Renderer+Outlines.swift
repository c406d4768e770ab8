import VitrineGraphics
import VitrineWidgets

/// Rounded rectangles: fills, borders and shadows.
extension Renderer {
  /// Fills a rectangle whose corners are shaped by a mask.
  func fill(_ rect: PixelRect, color: Color, corners: CornerMask, clip: PixelRect) {
    let radius = corners.radius
    let (left, right) = (rect.left + radius, rect.right - radius)
    let (top, bottom) = (rect.top + radius, rect.bottom - radius)
    fill(PixelRect(left: rect.left, top: top, right: rect.right, bottom: bottom), color: color, clip: clip)
    guard radius > 0 else { return }
    fill(PixelRect(left: left, top: rect.top, right: right, bottom: top), color: color, clip: clip)
    fill(PixelRect(left: left, top: bottom, right: right, bottom: rect.bottom), color: color, clip: clip)
    fillCorners(of: rect, color: color, corners: corners, clip: clip)
  }

  /// Draws a border along the inside of a rectangle's edges. Draws each pixel at most once.
  func border(_ rect: PixelRect, width: Int, color: Color, radius: Int, clip: PixelRect) {
    guard 2 * width < min(rect.width, rect.height) else {
      return fill(rect, color: color, corners: corners[CornerShape(radius: radius)], clip: clip)
    }
    let (left, right) = (rect.left + radius, rect.right - radius)
    let (top, bottom) = (rect.top + radius, rect.bottom - radius)
    func strip(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) {
      self.fill(PixelRect(left: left, top: top, right: right, bottom: bottom), color: color, clip: clip)
    }
    strip(left, rect.top, right, rect.top + width)
    strip(left, rect.bottom - width, right, rect.bottom)
    // Where the border is wider than the corner radius, the horizontal lines cover parts of the sides.
    let inset = max(radius, width)
    for (start, end) in [(rect.left, rect.left + width), (rect.right - width, rect.right)] {
      strip(start, rect.top + inset, end, rect.bottom - inset)
    }
    if inset > radius, radius > 0 {
      for (start, end) in [(rect.left, left), (right, rect.right)] {
        strip(start, top, end, rect.top + inset)
        strip(start, rect.bottom - inset, end, bottom)
      }
    }
    if radius > 0 {
      fillCorners(
        of: rect, color: color, corners: corners[CornerShape(radius: radius, part: .border(width))],
        clip: clip)
    }
  }

  /// Draws the shadow of a rectangle, in points.
  func draw(
    _ shadow: Shadow, of area: Rect, cornerRadius: Double, isHiddenInside: Bool, clip: PixelRect,
    scale: Double
  ) {
    let owner = PixelRect(area, scale: scale)
    let rect = PixelRect(area.offset(by: shadow.offset), scale: scale)
    guard !owner.isEmpty, !rect.isEmpty else { return }
    let radius = CornerMasks.radius(cornerRadius, scale: scale, in: rect)
    let shape = ShadowShape(of: rect, deviation: shadow.blur * scale, radius: radius)
    // Leaves out only the rows between the corners, for simplicity: they are nearly the whole area.
    let hidden = PixelRect(
      left: owner.left, top: owner.top + radius, right: owner.right, bottom: owner.bottom - radius)
    for part in isHiddenInside ? clip.without(hidden) : [clip] {
      if shape.isSharp {
        fill(rect, color: shadow.color, corners: corners[CornerShape(radius: radius)], clip: part)
      } else {
        draw(shape, of: rect, color: shadow.color, clip: part)
      }
    }
  }
}
