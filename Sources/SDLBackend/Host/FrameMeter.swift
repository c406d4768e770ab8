import VitrineAnimation
import VitrineGraphics
import VitrineWidgets

/// The panel of `Window.showsDiagnostics`, which shows frame counts and times in a corner of the window, and the decoded
/// and dropped frames of animations while animations are shown. Drawn with frames that are due anyway; requests none, so
/// an idle window stays idle. The figures do not include the frame that shows them.
@MainActor
struct FrameMeter {
  private let title: String
  private static let width = 288.0
  private static let mostLines = 4
  static let padding = 10.0
  private static let lineHeight = 18.0

  init(driver: String, renderer: String) { title = "\(driver), \(renderer)" }

  /// Returns the rectangle of the panel with all lines: the bottom right corner, where windows have the fewest controls.
  func rect(in window: Window) -> Rect { rect(lineCount: Self.mostLines, in: window) }

  private func rect(lineCount: Int, in window: Window) -> Rect {
    let height = 2 * Self.padding + Self.lineHeight * Double(lineCount) + 2
    return Rect(
      x: window.frame.width - Self.width, y: window.frame.height - height, width: Self.width, height: height)
  }

  /// Returns the lines of the panel.
  func lines(_ frames: FrameStatistics, _ animations: PoolReport) -> [String] {
    func milliseconds(_ value: Double) -> String { "\((value * 100).rounded() / 100) ms" }
    var lines = [
      title, "\(frames.presented) frames, \(frames.late) late",
      "last \(milliseconds(frames.lastMilliseconds)), longest \(milliseconds(frames.maxMilliseconds))",
    ]
    if animations.animations > 0 {
      let mebibytes = (Double(animations.bytes) / 1_048_576 * 10).rounded() / 10
      lines.append(
        "\(animations.frames) decoded, \(mebibytes) MiB, \(animations.droppedFrames) dropped")
    }
    return lines
  }

  func draw(
    _ frames: FrameStatistics, _ animations: PoolReport, over window: Window, into list: inout DrawList
  ) {
    let lines = lines(frames, animations)
    let rect = rect(lineCount: lines.count, in: window)
    guard list.isVisible(rect) else { return }
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
