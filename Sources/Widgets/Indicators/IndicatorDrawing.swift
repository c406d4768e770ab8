public import VitrineGraphics

/// What an indicator looks like: a spinner, a bar, a ring, or one of your own.
///
/// It is asked what to draw at a moment and when that changes, and keeps no time itself:
///
/// ```swift
/// struct Pulse: IndicatorDrawing {
///   func size(in room: Size, scale: Double) -> Size { Size(width: 16, height: 16) }
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
/// One that is slow is asked less often, one that never looks the same once a frame; it draws within its rectangle
/// and leaves nothing behind that would disturb what is drawn after it.
@MainActor
public protocol IndicatorDrawing: Sendable {
  /// How much of a room it takes, in points; it is put in the middle. Nothing is drawn where a side is not above 0.
  ///
  /// - Parameters:
  ///   - room: of the slot, or of the view.
  ///   - scale: pixels to a point, for whoever wants whole pixels.
  func size(in room: Size, scale: Double) -> Size

  /// Draws what is seen at a moment, in the coordinates of `rect`, which has the size that it asked for.
  func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList)

  /// When it looks different if nobody reports progress: a later time of the same clock. Nil, as by default, for what
  /// stands still.
  func nextChange(after moment: IndicatorMoment) -> Double?
}

extension IndicatorDrawing {
  /// It stands still.
  public func nextChange(after moment: IndicatorMoment) -> Double? { nil }
}

/// A moment in the life of an indicator.
public nonisolated struct IndicatorMoment: Hashable, Sendable {
  /// Time of the window, in seconds: the same for all indicators, so that they step together.
  public var time: Double
  /// From 0 to 1; nil as long as nobody knows.
  public var progress: Double?
  /// Pixels to a point.
  public var scale: Double

  /// A moment without a known progress, at one pixel to a point, unless said otherwise.
  public init(time: Double, progress: Double? = nil, scale: Double = 1) {
    self.time = time
    self.progress = progress
    self.scale = scale
  }
}
