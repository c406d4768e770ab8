import Testing
import VitrineAnimation
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

/// The panel of frame counts.
struct FrameMeterTests {
  private let meter = FrameMeter(driver: "kmsdrm", renderer: "software")

  private func lines(_ report: PoolReport) -> [String] {
    meter.lines(FrameStatistics(), report)
  }

  @Test func panelShowsTheFramesOfAnimations() {
    let report = PoolReport(animations: 2, frames: 40, bytes: 2_700_000, droppedFrames: 3)
    #expect(lines(report).last == "40 decoded, 2.6 MiB, 3 dropped")
    #expect(lines(report).count == 4)
  }

  @Test func panelHasNoLineForAnimationsWhileNoneIsShown() {
    let report = PoolReport(droppedFrames: 3)
    #expect(lines(report).count == 3 && lines(report)[1] == "0 frames, 0 late")
  }

  @Test func panelIsAsHighAsItsLines() throws {
    let window = Window(size: Size(width: 400, height: 300))
    func fill(_ report: PoolReport) throws -> Rect {
      var list = DrawList(visibleRect: window.bounds)
      meter.draw(FrameStatistics(), report, over: window, into: &list)
      let fills = list.commands.compactMap { command -> Rect? in
        guard case .fill(let rect, _, _) = command else { return nil }
        return rect
      }
      return try #require(fills.first)
    }
    let (low, high) = (try fill(PoolReport()), try fill(PoolReport(animations: 1)))

    #expect(high.height > low.height && high.maxY == 300 && low.maxY == 300)
    #expect(meter.rect(in: window) == high, "the area that is drawn again holds both")
  }
}

extension SDLTests {
  struct FrameMeterTextTests {
    @Test func longLinesFitThePanel() throws {
      let meter = FrameMeter(driver: "offscreen", renderer: "opengles2")
      var frames = FrameStatistics()
      for _ in 0..<10_000 { frames.record(work: 12.34567, at: 0) }
      let report = PoolReport(animations: 1, frames: 9999, bytes: 999_900_000, droppedFrames: 999_999)
      let fonts = try FontLibrary(fonts: .dejaVu, scale: 1)
      let window = Window(size: Size(width: 400, height: 300))
      let width = meter.rect(in: window).width - 2 * FrameMeter.padding
      for (index, line) in meter.lines(frames, report).enumerated() {
        let font = index == 0 ? Font.bold(12) : .regular(12)
        #expect(fonts.size(of: line, font: font).width <= width, "\(line)")
      }
    }
  }
}
