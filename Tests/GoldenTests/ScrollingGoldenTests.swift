import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct ScrollingGoldenTests {
    @Test func contentFollowsTheFingerAndBarsShowThePosition() throws {
      let stage = try tiles()

      finger(.began, 120, 100, on: stage)
      finger(.moved, 100, 80, on: stage)
      finger(.moved, 75, 33, on: stage)
      try expect(stage.image(), looksLike: "scroll-view-dragged")

      // The finger rests before it is lifted, so that scrolling stops; the bars stay 0.3 s and fade for 0.25 s.
      stage.advance(by: 0.5)
      finger(.moved, 75, 33, on: stage)
      finger(.ended, 75, 33, on: stage)
      stage.advance(by: 0.3)
      stage.advance(by: 0.125 - 0.016)
      try expect(stage.image(), looksLike: "scroll-view-bars-half-faded")
    }

    /// Pulled beyond its start, the content follows less than the finger, and the bars get shorter.
    @Test func pulledContentResistsAndReturns() throws {
      let stage = try tiles()

      finger(.began, 20, 20, on: stage)
      finger(.moved, 60, 50, on: stage)
      finger(.moved, 107, 107, on: stage)
      try expect(stage.image(), looksLike: "scroll-view-pulled")

      finger(.ended, 107, 107, on: stage)
      for _ in 0..<120 { stage.advance(by: 1.0 / 60) }
      try expect(stage.image(), looksLike: "scroll-view-at-rest")
    }

    @Test func listMarksSelectedAndPressedRows() throws {
      let stage = try Stage(width: 176, height: 136)
      let rows = Rows()
      let list = rows.list(on: stage)
      list.selectedRow = 1
      stage.advance(by: 0)

      stage.touch(InputEvent.mouse, .began, 60, 90)
      stage.advance(by: 1)

      #expect(list.cell(at: 2)?.isHighlighted == true)
      try expect(stage.image(), looksLike: "list", tolerance: .text)
    }

    @Test func focusedListHasACursor() throws {
      let stage = try Stage(width: 176, height: 136)
      let rows = Rows()
      let list = rows.list(on: stage)
      stage.advance(by: 0)

      stage.window.focus(list)
      for _ in 0..<4 { stage.send(.keyDown(.down, modifiers: [])) }
      for _ in 0..<4 { stage.advance(by: 0.5) }

      #expect(list.selectedRow == 4)
      try expect(stage.image(), looksLike: "list-focused", tolerance: .text)
    }

    private func finger(_ phase: TouchPhase, _ x: Double, _ y: Double, on stage: Stage) {
      stage.touch(1, phase, x, y)
      stage.advance(by: 0.016)
    }

    private func tiles() throws -> Stage {
      let stage = try Stage(width: 160, height: 120)
      let scrollView = ScrollView()
      scrollView.backgroundColor = Color(hex: 0x2C3442)
      scrollView.contentSize = Size(width: 320, height: 360)
      for row in 0..<9 {
        for column in 0..<8 {
          let tile = View(
            frame: Rect(x: Double(column) * 40 + 2, y: Double(row) * 40 + 2, width: 36, height: 36))
          tile.backgroundColor = Color(red: UInt8(40 + 25 * row), green: UInt8(60 + 20 * column), blue: 120)
          tile.cornerRadius = 6
          scrollView.addSubview(tile)
        }
      }
      stage.add(scrollView, x: 8, y: 8, width: 144, height: 104)
      stage.advance(by: 0)
      return stage
    }
  }
}
