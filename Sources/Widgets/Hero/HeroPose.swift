public import VitrineGraphics

/// A tile from which an image grows to the whole window, and into which it returns.
public nonisolated struct HeroTile: Hashable, Sendable {
  /// The frame of the tile in window coordinates, in points.
  public var frame: Rect
  /// The radius of the tile's corners in points.
  public var cornerRadius: Double
  /// True if other views lie on the tile, such as a caption. The image then fades in when it leaves the tile, and fades
  /// out when it returns, so that these views do not vanish and appear at once. The tile itself must keep its image.
  public var isOverlaid: Bool

  /// Creates a tile, by default with square corners and not overlaid.
  public init(frame: Rect, cornerRadius: Double = 0, isOverlaid: Bool = false) {
    self.frame = frame
    self.cornerRadius = cornerRadius
    self.isOverlaid = isOverlaid
  }
}

/// The appearance of an image at a moment of its way between a tile and the whole window.
nonisolated struct HeroPose: Hashable {
  /// The frame of the image in the view's coordinates. The image fills it, and the excess is cropped, as in a tile.
  var frame: Rect
  var cornerRadius = 0.0
  /// The opacity of the background that hides the rest of the window, 0…1.
  var veil: Double
  /// The opacity of the image, 0…1.
  var opacity = 1.0

  /// The image as it lies in its tile.
  init(_ tile: HeroTile, in window: Rect) {
    frame = tile.frame
    cornerRadius = tile.cornerRadius
    veil = 0
    opacity = tile.isOverlaid ? 0 : 1
  }

  /// The whole image, as large as it fits. A thin image is at least a point wide and high, so that it does not vanish.
  init(fitting imageSize: Size, in bounds: Rect) {
    var size = ZoomGeometry(viewSize: bounds.size, imageSize: imageSize).fittedSize
    if !size.isEmpty { size = Size(width: max(1, size.width), height: max(1, size.height)) }
    frame = Rect(
      x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2, width: size.width,
      height: size.height)
    veil = 1
  }

  private init(frame: Rect, cornerRadius: Double, veil: Double, opacity: Double) {
    (self.frame, self.cornerRadius, self.veil, self.opacity) = (frame, cornerRadius, veil, opacity)
  }

  /// The part of the way on which an image fades in or out, at the end that lies at an overlaid tile. Short, so that the
  /// background does not show through the image.
  private static let fadingPart = 1.0 / 3

  /// Returns the appearance at a fraction of the way to another one. A spring may go beyond the end, where the corners
  /// and the background stay as they are.
  func moved(to goal: HeroPose, fraction: Double) -> HeroPose {
    func value(_ from: Double, _ to: Double, _ fraction: Double) -> Double { from + (to - from) * fraction }
    let limited = min(1, max(0, fraction))
    return HeroPose(
      frame: Rect(
        x: value(frame.minX, goal.frame.minX, fraction), y: value(frame.minY, goal.frame.minY, fraction),
        width: max(1, value(frame.width, goal.frame.width, fraction)),
        height: max(1, value(frame.height, goal.frame.height, fraction))),
      cornerRadius: value(cornerRadius, goal.cornerRadius, limited),
      veil: value(veil, goal.veil, limited), opacity: opacity(on: limited, to: goal.opacity))
  }

  private func opacity(on fraction: Double, to goal: Double) -> Double {
    goal >= opacity
      ? min(goal, opacity + fraction / Self.fadingPart)
      : max(goal, min(opacity, goal + (1 - fraction) / Self.fadingPart))
  }

  /// Returns the appearance of the image while a finger pulls it away: the image follows the finger, becomes smaller,
  /// and the background fades.
  ///
  /// - Parameters:
  ///   - distance: The distance from the place where the finger came down, in points.
  ///   - start: The place where the finger came down.
  ///   - height: The height of the view in points.
  func pulled(by distance: Point, from start: Point, height: Double) -> HeroPose {
    let fraction = height > 0 ? min(1, max(0, distance.y) / height) : 0
    let scale = 1 - 0.5 * fraction
    return HeroPose(
      frame: Rect(
        x: start.x - (start.x - frame.minX) * scale + distance.x,
        y: start.y - (start.y - frame.minY) * scale + distance.y, width: max(1, frame.width * scale),
        height: max(1, frame.height * scale)),
      cornerRadius: cornerRadius, veil: veil * (1 - min(1, fraction * 1.5)), opacity: opacity)
  }

  /// The smallest distance in points by which an image is pulled down to be put back.
  static let closingDistance = 100.0
  /// The smallest velocity in points per second with which an image is thrown down to be put back.
  static let closingVelocity = 500.0

  /// Returns true if an image that is released is put back.
  static func closes(pulledBy distance: Double, velocity: Double) -> Bool {
    if velocity < -closingVelocity { return false }
    return distance >= closingDistance || distance > 0 && velocity >= closingVelocity
  }
}
