package import VitrineGraphics

/// A progress bar. While the progress is unknown, a piece of the bar moves from left to right.
package struct ProgressBarDrawing: IndicatorDrawing {
  package var color: Color
  package var track: Color
  /// True if the bar fills the available width. False uses 60 % of it, at most 160 points, for a bar over an image.
  package var fillsWidth: Bool

  /// The height of the bar in points.
  package static let thickness = 4.0
  /// The duration in seconds of one pass of the piece, and the length of the piece as a fraction of the bar.
  static let passDuration = 1.5
  static let pieceFraction = 0.3
  /// The steps per second of the moving piece.
  static let stepsPerSecond = 30.0
  private static let minimumWidth = 24.0
  private static let maximumWidth = 160.0

  package init(color: Color, track: Color? = nil, fillsWidth: Bool = false) {
    self.color = color
    self.track = track ?? color.multiplyingAlpha(by: 0.25)
    self.fillsWidth = fillsWidth
  }

  package func size(in availableSize: Size, scale: Double) -> Size {
    let thickness = max(1, (Self.thickness * scale).rounded()) / scale
    if fillsWidth { return Size(width: availableSize.width, height: thickness) }
    let width = (min(availableSize.width * 0.6, Self.maximumWidth) * scale).rounded() / scale
    guard width >= Self.minimumWidth, availableSize.height >= 3 * thickness else {
      return Size(width: 0, height: 0)
    }
    return Size(width: width, height: thickness)
  }

  package func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
    let radius = rect.height / 2
    list.fill(rect, color: track, cornerRadius: radius)
    let (start, end) = moment.progress.map { (0, $0) } ?? piece(at: moment.time)
    guard end > start else { return }
    // The width of the round ends is the minimum.
    let width = max(rect.height, (end - start) * rect.width)
    let x = min(rect.minX + start * rect.width, rect.maxX - width)
    list.fill(Rect(x: x, y: rect.minY, width: width, height: rect.height), color: color, cornerRadius: radius)
  }

  package func nextChange(after moment: IndicatorMoment) -> Double? {
    guard moment.progress == nil else { return nil }
    return ((moment.time * Self.stepsPerSecond + 1e-6).rounded(.down) + 1) / Self.stepsPerSecond
  }

  /// Returns the ends of the moving piece as fractions of the bar. The piece enters on the left and leaves on the
  /// right.
  private func piece(at time: Double) -> (start: Double, end: Double) {
    let step = (time * Self.stepsPerSecond + 1e-6).rounded(.down) / Self.stepsPerSecond
    let fraction = TimingCurve.easeInOut.value(
      at: (step / Self.passDuration).truncatingRemainder(dividingBy: 1))
    let start = fraction * (1 + Self.pieceFraction) - Self.pieceFraction
    return (max(0, start), min(1, start + Self.pieceFraction))
  }
}
