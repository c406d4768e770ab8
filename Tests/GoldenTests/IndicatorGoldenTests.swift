import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct IndicatorGoldenTests {
    /// A bar and rings in two sizes, at a progress; `nil` for an indeterminate one.
    @Test(arguments: zip(["0", "3", "10", "unknown"], [0, 0.3, 1, nil] as [Double?]))
    func progressIsDrawnAsBarAndRings(name: String, progress: Double?) throws {
      let stage = try Stage(width: 168, height: 80)
      let views = [ProgressView(style: .bar), ProgressView(style: .ring), ProgressView(style: .ring)]
      stage.add(views[0], x: 8, y: 4, width: 152, height: 20)
      stage.add(views[1], x: 8, y: 32, width: 37, height: 37)
      views[2].ringDiameter = 48
      views[2].color = Color(hex: 0x60D0FF)
      views[2].trackColor = Color(hex: 0x3A4458)
      stage.add(views[2], x: 104, y: 28, width: 48, height: 48)
      for view in views {
        view.progress = progress ?? 0.5
        view.isIndeterminate = progress == nil
      }
      stage.advance(by: 0)

      stage.advance(by: 0.65)

      try expect(stage.image(), looksLike: "progress-\(name)")
    }

    @Test func progressIsSharpAtAScaleOfOneAndAHalf() throws {
      let stage = try Stage(width: 112, height: 56, scale: 1.5)
      let bar = stage.add(ProgressView(style: .bar), x: 8, y: 8, width: 96, height: 4)
      let ring = stage.add(ProgressView(style: .ring), x: 8, y: 15, width: 37, height: 37)
      bar.progress = 0.3
      ring.progress = 0.3

      try expect(stage.image(), looksLike: "progress-scaled")
    }

    @Test func refreshControlFillsWhilePulledAndThenSpins() throws {
      let stage = try Stage(width: 120, height: 320)
      let scrollView = stage.add(ScrollView(), x: 0, y: 0, width: 120, height: 320)
      scrollView.contentSize = Size(width: 120, height: 400)
      scrollView.showsIndicators = false
      let content = View(frame: Rect(x: 0, y: 0, width: 120, height: 400))
      content.backgroundColor = Color(hex: 0x303848)
      scrollView.addSubview(content)
      scrollView.refreshControl = RefreshControl()
      stage.advance(by: 0)
      let top = Rect(x: 0, y: 0, width: 120, height: 96)

      stage.touch(1, .began, 60, 20)
      stage.touch(1, .moved, 60, 40)
      stage.touch(1, .moved, 60, 120)
      try expect(stage.image().cropped(to: top), looksLike: "refresh-pulled")
      stage.touch(1, .moved, 60, 240)
      try expect(stage.image().cropped(to: top), looksLike: "refresh-begun")
      stage.advance(by: 0.2)
      stage.touch(1, .ended, 60, 240)
      for _ in 0..<120 { stage.advance(by: 1.0 / 60) }

      try expect(stage.image().cropped(to: top), looksLike: "refresh-waiting")
    }
  }
}
