package import VitrineGraphics

/// A progress ring, filled clockwise from the top. While the progress is unknown, a piece of the ring rotates once per
/// second.
package struct ProgressRingDrawing: IndicatorDrawing {
  package var color: Color
  package var track: Color
  /// The diameter in points; `nil` chooses a diameter that suits the slot.
  package var diameter: Double?

  /// The steps per second of the rotating piece.
  static let stepsPerSecond = 24.0
  static let pieceFraction = 0.25
  /// The maximum side of the bitmap in pixels. The bitmap is scaled for larger rings.
  static let largestImage = 1024.0

  package init(color: Color, track: Color? = nil, diameter: Double? = nil) {
    self.color = color
    self.track = track ?? color.multiplyingAlpha(by: 0.25)
    self.diameter = diameter
  }

  package func size(in availableSize: Size, scale: Double) -> Size {
    guard let diameter = diameter ?? ActivityIndicator.Style.suiting(availableSize)?.diameter else {
      return Size(width: 0, height: 0)
    }
    let side = max(4, (min(diameter, availableSize.width, availableSize.height) * scale).rounded()) / scale
    return Size(width: side, height: side)
  }

  package func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
    // The available space may be smaller than the requested size.
    let pixels = Int(max(4, min((rect.width * moment.scale).rounded(), Self.largestImage)))
    let image: Image
    if let progress = moment.progress {
      image = RingArtwork.ring(filled: progress, diameter: pixels, color: color, track: track)
    } else {
      let turn = step(at: moment.time).truncatingRemainder(dividingBy: Self.stepsPerSecond)
      image = RingArtwork.ring(
        from: turn / Self.stepsPerSecond, fraction: Self.pieceFraction, diameter: pixels, color: color,
        track: track)
    }
    list.draw(DrawList.ImageCommand(image: image, destination: rect))
  }

  package func nextChange(after moment: IndicatorMoment) -> Double? {
    moment.progress == nil ? (step(at: moment.time) + 1) / Self.stepsPerSecond : nil
  }

  private func step(at time: Double) -> Double { (time * Self.stepsPerSecond + 1e-6).rounded(.down) }
}
