public import VitrineGraphics

extension Window {
  /// Returns an image drawn by a function at the scale of the window, for small artwork such as a placeholder.
  ///
  /// ```swift
  /// let dot = window.image(size: Size(width: 16, height: 16)) { point in
  ///   let (x, y) = (point.x - 8, point.y - 8)
  ///   return x * x + y * y < 64 ? .white : Color(red: 0, green: 0, blue: 0, alpha: 0)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - size: The size in points; the image has at least one pixel and at most 4,096 in each direction.
  ///   - color: Returns the color at the center of each pixel, in points from the top left. A color that is not opaque
  ///     is not premultiplied.
  public func image(size: Size, color: (Point) -> Color) -> Image {
    let scale = scale
    func pixels(_ length: Double) -> Int { Int((length * scale).rounded().clamped(to: 1...4096)) }
    return Image(width: pixels(size.width), height: pixels(size.height), scale: scale) { x, y in
      color(Point(x: (Double(x) + 0.5) / scale, y: (Double(y) + 0.5) / scale))
    }
  }
}
