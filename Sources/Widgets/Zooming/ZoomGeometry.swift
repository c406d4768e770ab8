import Glibc
import VitrineGraphics

/// The limits of a zoom: the scales and offsets that an image may have in a view.
nonisolated struct ZoomGeometry: Hashable {
  /// The largest scale by default.
  static let standardMaximum = 8.0
  /// The scale of a double tap for an image that fills the view already.
  static let closeScale = 2.5

  /// The size of the view in points.
  let viewSize: Size
  /// The size of the image at scale 1, in points: the largest that fits the view; zero without an image.
  let fittedSize: Size
  /// The largest scale; at least 1. Larger than the given one for an image that is much longer than wide, or wider than
  /// long.
  let maximumScale: Double

  /// The largest side of a pixel of such an image, in points: lines of one pixel are then wide enough to be seen.
  private static let largestPixel = 8.0
  /// The largest scale of such an image.
  private static let largestScale = 1000.0

  /// - Parameters:
  ///   - imageSize: The size of the image in pixels.
  ///   - maximumScale: The largest scale; below 1 counts as 1. From `standardMaximum` on, an image may also be enlarged
  ///     until it covers the view, or until its pixels are 8 points wide.
  init(viewSize: Size, imageSize: Size, maximumScale: Double = Self.standardMaximum) {
    self.viewSize = viewSize
    let fittedSize =
      viewSize.isEmpty || imageSize.isEmpty
      ? .zero : imageSize * min(viewSize.width / imageSize.width, viewSize.height / imageSize.height)
    self.fittedSize = fittedSize
    let isLimited = !(maximumScale >= Self.standardMaximum)
    let largest = isLimited ? 1 : Self.largestScale(viewSize, imageSize, fittedSize)
    self.maximumScale = max(maximumScale > 1 ? maximumScale : 1, largest)
  }

  /// Returns the largest useful scale: the image covers the view, or its pixels are large. 1 without an image.
  private static func largestScale(_ view: Size, _ image: Size, _ fitted: Size) -> Double {
    guard isUsable(fitted) else { return 1 }
    let fill = max(view.width / fitted.width, view.height / fitted.height)
    return min(
      fill, largestPixel * max(image.width / fitted.width, image.height / fitted.height), largestScale)
  }

  /// True if there is an image and room for it.
  var isUsable: Bool { Self.isUsable(fittedSize) }

  private static func isUsable(_ size: Size) -> Bool {
    !size.isEmpty && size.width.isFinite && size.height.isFinite
  }

  /// The smallest scale at which the image covers the view, at most the largest scale.
  var fillScale: Double {
    guard isUsable else { return 1 }
    return min(maximumScale, max(viewSize.width / fittedSize.width, viewSize.height / fittedSize.height))
  }

  /// The scale to which a double tap enlarges a fitted image: until it fills the view, or closer if that would hardly
  /// change it.
  var toggleScale: Double {
    let fill = fillScale
    return fill > 1.2 ? fill : min(maximumScale, Self.closeScale)
  }

  /// Returns the rectangle of the image in the view's bounds.
  func frame(at position: ZoomPosition) -> Rect {
    let size = fittedSize * position.scale
    return Rect(
      x: viewSize.width / 2 + position.offset.x - size.width / 2,
      y: viewSize.height / 2 + position.offset.y - size.height / 2, width: size.width, height: size.height)
  }

  /// The range of horizontal offsets at a scale.
  func horizontalRange(at scale: Double) -> ClosedRange<Double> {
    Self.range(content: fittedSize.width * scale, view: viewSize.width)
  }

  /// The range of vertical offsets at a scale.
  func verticalRange(at scale: Double) -> ClosedRange<Double> {
    Self.range(content: fittedSize.height * scale, view: viewSize.height)
  }

  /// An image that is smaller than the view stays in the middle.
  private static func range(content: Double, view: Double) -> ClosedRange<Double> {
    let excess = max(0, (content - view) / 2)
    return -excess...excess
  }

  /// Returns the nearest position within the limits.
  ///
  /// - Parameter anchor: The point that stays in its place if the scale changes, as a distance from the center of the
  ///   view.
  func limited(_ position: ZoomPosition, about anchor: Point = .zero) -> ZoomPosition {
    let scale = position.scale.clamped(to: 1...maximumScale)
    var limited = position.scaled(by: scale / position.scale, about: anchor)
    limited.scale = scale
    limited.offset.x = limited.offset.x.clamped(to: horizontalRange(at: scale))
    limited.offset.y = limited.offset.y.clamped(to: verticalRange(at: scale))
    return limited
  }

  /// Returns the position that is shown for the position that fingers hold: beyond the limits, the image follows ever
  /// more slowly.
  func stretched(_ held: ZoomPosition, about anchor: Point) -> ZoomPosition {
    let scale = stretched(scale: held.scale)
    var shown = held.scaled(by: scale / held.scale, about: anchor)
    shown.offset.x = RubberBand.shown(
      for: shown.offset.x, range: horizontalRange(at: scale), length: viewSize.width)
    shown.offset.y = RubberBand.shown(
      for: shown.offset.y, range: verticalRange(at: scale), length: viewSize.height)
    return shown
  }

  /// Returns the position that fingers hold for the position that is shown, the inverse of `stretched(_:about:)`.
  func held(_ shown: ZoomPosition, about anchor: Point) -> ZoomPosition {
    var position = shown
    position.offset.x = RubberBand.pulled(
      to: shown.offset.x, range: horizontalRange(at: shown.scale), length: viewSize.width)
    position.offset.y = RubberBand.pulled(
      to: shown.offset.y, range: verticalRange(at: shown.scale), length: viewSize.height)
    return position.scaled(by: held(scale: shown.scale) / shown.scale, about: anchor)
  }

  /// The scale at which stretching ends, relative to a limit.
  private static let stretch = 2.0

  /// Beyond a limit, the logarithm of the scale follows as a rubber band.
  private func stretched(scale: Double) -> Double {
    let range = 0...log(maximumScale)
    return exp(RubberBand.shown(for: log(scale), range: range, length: log(Self.stretch)))
  }

  private func held(scale: Double) -> Double {
    let range = 0...log(maximumScale)
    return exp(RubberBand.pulled(to: log(scale), range: range, length: log(Self.stretch)))
  }

  /// Returns true if the image can move further in a direction.
  ///
  /// - Parameter distance: The movement of a finger; the image would follow it.
  func canMove(_ position: ZoomPosition, by distance: Point) -> Bool {
    func canMove(_ offset: Double, _ range: ClosedRange<Double>, _ distance: Double) -> Bool {
      distance > 0 ? offset < range.upperBound - 0.5 : distance < 0 && offset > range.lowerBound + 0.5
    }
    // The axis along which the finger moves further decides.
    return abs(distance.x) >= abs(distance.y)
      ? canMove(position.offset.x, horizontalRange(at: position.scale), distance.x)
      : canMove(position.offset.y, verticalRange(at: position.scale), distance.y)
  }
}
