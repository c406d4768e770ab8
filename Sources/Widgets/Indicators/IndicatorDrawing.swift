public import VitrineGraphics

/// The appearance of an indicator: a spinner, a bar, a ring, or an application's own drawing.
///
/// The drawing keeps no time. It is asked what to draw at a moment and when the appearance changes next:
///
/// ```swift
/// struct Pulse: IndicatorDrawing {
///   func size(in availableSize: Size, scale: Double) -> Size { Size(width: 16, height: 16) }
///
///   func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
///     let isLit = Int(moment.time * 2) % 2 == 0
///     list.fill(rect, color: isLit ? .white : .black, cornerRadius: 8)
///   }
///
///   func nextChange(after moment: IndicatorMoment) -> Double? { (moment.time * 2).rounded(.down) / 2 + 0.5 }
/// }
/// ```
///
/// A drawing is asked for a change once per frame at most, and less often if it is slow. It must draw within its
/// rectangle and must not affect the commands that follow.
@MainActor
public protocol IndicatorDrawing: Sendable {
  /// Returns the size of the indicator in points. The indicator is centered in the available space, and not drawn if a
  /// side is not above 0.
  ///
  /// - Parameters:
  ///   - availableSize: The size of the slot or view.
  ///   - scale: Pixels per point, for sizes in whole pixels.
  func size(in availableSize: Size, scale: Double) -> Size

  /// Draws the indicator at a moment, in the coordinates of `rect`, which has the requested size, limited to the
  /// available space.
  func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList)

  /// Returns the time of the next change of the appearance if the progress stays the same, later than `moment.time` and
  /// on the same clock. By default `nil`: the drawing does not change with time.
  func nextChange(after moment: IndicatorMoment) -> Double?
}

extension IndicatorDrawing {
  /// Returns `nil`: the drawing does not change with time.
  public func nextChange(after moment: IndicatorMoment) -> Double? { nil }
}

/// The time and the progress for which an indicator is drawn.
public nonisolated struct IndicatorMoment: Hashable, Sendable {
  /// The time of the window in seconds. All indicators of a window use the same time, so that they move in step.
  public var time: Double
  /// The progress from 0 to 1; `nil` while unknown.
  public var progress: Double?
  /// Pixels per point.
  public var scale: Double

  /// Creates a moment, for tests of a drawing; by default with unknown progress and one pixel per point.
  public init(time: Double, progress: Double? = nil, scale: Double = 1) {
    self.time = time
    self.progress = progress
    self.scale = scale
  }
}
