package import VitrineGraphics

/// A spinner with twelve teeth that turns once per second.
package struct SpinnerDrawing: IndicatorDrawing {
  package var color: Color
  /// The diameter in points; `nil` chooses a diameter that suits the slot.
  package var diameter: Double?

  package init(color: Color, diameter: Double? = nil) {
    self.color = color
    self.diameter = diameter
  }

  /// Returns the size of the spinner in whole pixels; zero if the slot is too small for a spinner.
  package func size(in availableSize: Size, scale: Double) -> Size {
    guard let diameter = diameter ?? ActivityIndicator.Style.suiting(availableSize)?.diameter else {
      return Size(width: 0, height: 0)
    }
    let side = Double(pixels(diameter, scale)) / scale
    return Size(width: side, height: side)
  }

  package func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
    let image = SpinnerArtwork.frame(
      index: SpinnerArtwork.index(at: moment.time), diameter: pixels(rect.width, moment.scale), color: color)
    list.draw(DrawList.ImageCommand(image: image, destination: rect))
  }

  package func nextChange(after moment: IndicatorMoment) -> Double? {
    SpinnerArtwork.time(ofStepAfter: SpinnerArtwork.index(at: moment.time))
  }

  private func pixels(_ diameter: Double, _ scale: Double) -> Int {
    max(4, Int((diameter * scale).rounded()))
  }
}
