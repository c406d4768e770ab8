import VitrineGraphics

/// The thin bars that show the scroll position. They appear when scrolling starts and fade out shortly after it ends.
final class ScrollIndicator: FrameObserver {
  /// The delay before the fade, and the duration of the fade, in seconds.
  static let fadeDelay = 0.3
  static let fadeDuration = 0.25

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
    let start = window.now + Self.fadeDelay
    fadeStart = start
    window.requestFrames(for: self, at: start)
  }

  /// Hides the bars without a fade, for a scroll view that changes its window.
  func hideAtOnce() {
    opacity = 0
    fadeStart = nil
  }

  func frame(at now: Double) -> NextFrame {
    guard let fadeStart else { return .never }
    opacity = min(1, max(0, 1 - (now - fadeStart) / Self.fadeDuration))
    redraw()
    if opacity > 0 { return .soon }
    self.fadeStart = nil
    return .never
  }

  private func redraw() { for bar in bars() { scrollView?.setNeedsDisplay(bar) } }

  func draw(into list: inout DrawList) {
    guard opacity > 0 else { return }
    let color = color.multiplyingAlpha(by: opacity)
    for bar in bars() { list.fill(bar, color: color, cornerRadius: ScrollBar.thickness / 2) }
  }

  /// Returns the frames of the bars in the coordinates of the scroll view. An axis that does not scroll has no bar.
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

/// The position and length of a bar along the edge of a scroll view, in points from the beginning of the view.
nonisolated struct ScrollBar: Hashable {
  static let thickness = 3.0
  /// The distance from the edges of the view, in points.
  static let margin = 3.0
  /// The minimum length of a bar that is not shortened by overscrolling, in points.
  static let minimumLength = 36.0

  let start, length: Double

  /// Computes the bar for a scroll offset. Beyond an end the bar is shortened. Fails if there is nothing to scroll, or
  /// no room for a bar.
  init?(offset: Double, length: Double, range: ClosedRange<Double>) {
    let scrollableLength = range.upperBound - range.lowerBound
    let track = length - 2 * Self.margin
    guard scrollableLength > 0, track > Self.minimumLength else { return nil }
    let overscroll = max(0, range.lowerBound - offset, offset - range.upperBound)
    let naturalLength = max(Self.minimumLength, track * length / (length + scrollableLength))
    self.length = max(2 * Self.thickness, naturalLength - overscroll)
    let fraction = (offset.clamped(to: range) - range.lowerBound) / scrollableLength
    start = Self.margin + (track - self.length) * fraction
  }
}
