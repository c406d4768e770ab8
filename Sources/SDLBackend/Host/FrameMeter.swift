import VitrineGraphics
import VitrineWidgets

/// The panel of `Window.showsDiagnostics`, which shows frame counts and times in a corner of the window. Drawn with
/// frames that are due anyway; requests none, so an idle window stays idle. The figures do not include the frame that
/// shows them.
@MainActor
struct FrameMeter {
  private let title: String
  private static let size = Size(width: 216, height: 76)
  private static let padding = 10.0
  private static let lineHeight = 18.0

  init(driver: String, renderer: String) { title = "\(driver), \(renderer)" }

  /// Returns the panel's rectangle: the bottom right corner, where windows have the fewest controls.
  func rect(in window: Window) -> Rect {
    Rect(
      x: window.frame.width - Self.size.width, y: window.frame.height - Self.size.height,
      width: Self.size.width, height: Self.size.height)
  }

  func draw(_ frames: FrameStatistics, over window: Window, into list: inout DrawList) {
    let rect = rect(in: window)
    guard list.isVisible(rect) else { return }
    func milliseconds(_ value: Double) -> String { "\((value * 100).rounded() / 100) ms" }
    let lines = [
      title, "\(frames.presented) frames, \(frames.late) late",
      "last \(milliseconds(frames.lastMilliseconds)), longest \(milliseconds(frames.maxMilliseconds))",
    ]
    list.enter(origin: .zero, opacity: 1, clip: rect)
    list.fill(rect, color: Color(red: 0, green: 0, blue: 0, alpha: 208))
    for (index, line) in lines.enumerated() {
      let font = index == 0 ? Font.bold(12) : .regular(12)
      let origin = Point(
        x: rect.minX + Self.padding, y: rect.minY + Self.padding + Self.lineHeight * Double(index))
      list.text(
        line, font: font, color: .white, at: origin, size: window.textMeasuring.size(of: line, font: font))
    }
    list.leave()
  }
}
