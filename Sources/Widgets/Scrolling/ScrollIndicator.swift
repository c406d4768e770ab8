import VitrineGraphics

/// The thin bars that show where a scroll view is in its content: there at once when it scrolls, gone a
/// moment after it has come to rest.
final class ScrollIndicator: FrameObserver {
  /// Seconds that it stays after the end of a scroll, and that it fades.
  static let hold = 0.3
  static let fade = 0.25

  var color = Color(hex: 0x9098A6, alpha: 190)
  private weak var scrollView: ScrollView?
  private var opacity = 0.0
  private var fadeStart: Double?

  init(scrollView: ScrollView) { self.scrollView = scrollView }

  func show() {
    fadeStart = nil
    guard opacity < 1 else { return }
    opacity = 1
    redraw()
  }

  func hide() {
    guard opacity > 0, fadeStart == nil, let window = scrollView?.window else { return }
    let start = window.now + Self.hold
    fadeStart = start
    window.requestFrames(for: self, at: start)
  }

  /// Without the fade, for a scroll view that changes its window.
  func hideAtOnce() {
    opacity = 0
    fadeStart = nil
  }

  func frame(at now: Double) -> NextFrame {
    guard let fadeStart else { return .never }
    opacity = min(1, max(0, 1 - (now - fadeStart) / Self.fade))
    redraw()
    if opacity > 0 { return .soon }
    self.fadeStart = nil
    return .never
  }

  private func redraw() {
    for bar in bars() { scrollView?.setNeedsDisplay(bar) }
  }

  func draw(into list: inout DrawList) {
    guard opacity > 0 else { return }
    let color = color.multiplyingAlpha(by: opacity)
    for bar in bars() { list.fill(bar, color: color, cornerRadius: ScrollBar.thickness / 2) }
  }

  /// In the coordinates of the scroll view; none on an axis that does not scroll.
  private func bars() -> [Rect] {
    guard let scrollView else { return [] }
    let bounds = scrollView.bounds
    let across = ScrollBar.margin + ScrollBar.thickness
    var bars: [Rect] = []
    if let bar = ScrollBar(offset: bounds.minY, length: bounds.height, range: scrollView.verticalRange) {
      bars.append(
        Rect(
          x: bounds.maxX - across, y: bounds.minY + bar.start, width: ScrollBar.thickness,
          height: bar.length))
    }
    if let bar = ScrollBar(offset: bounds.minX, length: bounds.width, range: scrollView.horizontalRange) {
      bars.append(
        Rect(
          x: bounds.minX + bar.start, y: bounds.maxY - across, width: bar.length,
          height: ScrollBar.thickness))
    }
    return bars
  }
}

/// Where a bar lies along its edge, in points from the beginning of the view.
nonisolated struct ScrollBar: Hashable {
  static let thickness = 3.0
  /// From the edges of the view.
  static let margin = 3.0
  static let shortest = 36.0

  let start: Double
  let length: Double

  /// Beyond an end the bar is squeezed. Nil where there is nothing to scroll, or no room for a bar.
  init?(offset: Double, length: Double, range: ClosedRange<Double>) {
    let way = range.upperBound - range.lowerBound
    let track = length - 2 * Self.margin
    guard way > 0, track > Self.shortest else { return nil }
    let beyond = max(0, range.lowerBound - offset, offset - range.upperBound)
    let natural = max(Self.shortest, track * length / (length + way))
    self.length = max(2 * Self.thickness, natural - beyond)
    let share = (offset.clamped(to: range) - range.lowerBound) / way
    start = Self.margin + (track - self.length) * share
  }
}
