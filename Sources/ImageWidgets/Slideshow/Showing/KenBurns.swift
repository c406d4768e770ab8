import VitrineGraphics

/// A slow pan and zoom over an image: the part of the image that is shown at each moment.
///
/// Each part has the aspect ratio of the view and lies within the image. Even numbers zoom in and odd numbers zoom out,
/// in several directions.
nonisolated struct KenBurns: Hashable {
  /// The number of times by which the image is enlarged at the closest.
  static let zoom = 1.15

  /// The parts at the start and at the end, in pixels of the image.
  let start, end: Rect

  /// The positions of the wide part and of the close part within the image, as fractions of the space around them.
  private static let paths: [(wide: Point, close: Point)] = [
    (Point(x: 0.4, y: 0.45), Point(x: 0.7, y: 0.35)),
    (Point(x: 0.6, y: 0.55), Point(x: 0.3, y: 0.4)),
    (Point(x: 0.45, y: 0.35), Point(x: 0.6, y: 0.65)),
    (Point(x: 0.55, y: 0.6), Point(x: 0.35, y: 0.3)),
  ]

  /// - Parameters:
  ///   - image: The size of the image in pixels.
  ///   - view: The size of the view, in any unit.
  ///   - number: The number of the slide, which chooses the path.
  init(image: Size, view: Size, number: Int) {
    guard !image.isEmpty, !view.isEmpty else {
      start = Rect(origin: .zero, size: image)
      end = start
      return
    }
    let widest = view * min(image.width / view.width, image.height / view.height)
    func part(_ size: Size, at position: Point) -> Rect {
      Rect(
        x: max(0, image.width - size.width) * position.x, y: max(0, image.height - size.height) * position.y,
        width: size.width, height: size.height)
    }
    let path = Self.paths[Int((UInt(bitPattern: number) / 2) % UInt(Self.paths.count))]
    let wide = part(widest, at: path.wide)
    let close = part(widest * (1 / Self.zoom), at: path.close)
    (start, end) = number.isMultiple(of: 2) ? (wide, close) : (close, wide)
  }

  /// Returns the part at a fraction of the duration, which is clamped to 0…1. The speed is constant, because a slide
  /// moves before it is visible and until it is no longer visible.
  func part(at fraction: Double) -> Rect {
    let fraction = fraction > 0 ? min(1, fraction) : 0
    func between(_ start: Double, _ end: Double) -> Double { start + (end - start) * fraction }
    return Rect(
      x: between(start.minX, end.minX), y: between(start.minY, end.minY),
      width: between(start.width, end.width), height: between(start.height, end.height))
  }
}
