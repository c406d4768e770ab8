import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct ButtonGoldenTests {
    private static let states: [ControlState] = [
      .normal, .highlighted, .selected, [.selected, .highlighted], .disabled,
    ]

    /// A column for each state. Rows: an image per state; the image of `.normal` in all states; background, image and
    /// title; image above the title.
    @Test func buttonIsDrawnInItsState() throws {
      let stage = try Stage(width: 468, height: 244)
      for (column, state) in Self.states.enumerated() {
        let rows = [ownImages(), oneImage(), Samples.button(), vertical()]
        var y = 8.0
        for (row, button) in rows.enumerated() {
          button.isEnabled = !state.contains(.disabled)
          button.isSelected = state.contains(.selected)
          button.isHighlighted = state.contains(.highlighted)
          let height = row == 3 ? 72.0 : 44.0
          stage.add(button, x: 8 + 92 * Double(column), y: y, width: 84, height: height)
          y += height + 8
        }
      }

      try expect(stage.image(), looksLike: "buttons", tolerance: .text)
    }

    /// The focus line follows the corners of the bounds. The image of the focused state is shown as well.
    @Test(arguments: [0, 4, 12, 100] as [Double])
    func focusLineIsDrawnInsideTheBounds(cornerRadius: Double) throws {
      let stage = try Stage(width: 112, height: 60)
      let button = Samples.button()
      button.cornerRadius = cornerRadius
      button.setImage(Samples.disc(side: 16, color: Color(hex: 0x60FF90)), for: .focused)
      stage.add(button, x: 8, y: 8, width: 96, height: 44)

      stage.window.focus(button)

      try expect(stage.image(), looksLike: "button-focused-\(Int(cornerRadius))", tolerance: .text)
    }

    @Test func buttonContentIsAlignedAndClipped() throws {
      let stage = try Stage(width: 292, height: 164)
      func add(_ button: Button, _ column: Double, _ row: Double) {
        button.backgroundColor = Color(hex: 0x343C4C)
        stage.add(button, x: 8 + 94 * column, y: 8 + 52 * row, width: 88, height: 44)
      }
      for (column, alignment) in [HorizontalAlignment.left, .center, .right].enumerated() {
        let horizontal = withImage("Go")
        horizontal.contentHorizontalAlignment = alignment
        add(horizontal, Double(column), 0)
        let vertical = withImage("Go")
        vertical.titleFont = .bold(11)
        vertical.spacing = 2
        vertical.imagePlacement = .top
        vertical.contentInsets = Insets(top: 4, left: 4, bottom: 4, right: 4)
        vertical.contentHorizontalAlignment = alignment
        add(vertical, Double(column), 1)
      }
      add(withImage("Too long for it"), 0, 2)
      let waiting = Button(title: "Wait")
      waiting.imageSize = Size(width: 16, height: 16)
      add(waiting, 1, 2)
      let large = Button()
      large.setImage(Samples.quarters(width: 200, height: 90), for: .normal)
      add(large, 2, 2)

      try expect(stage.image(), looksLike: "button-contents", tolerance: .text)
    }

    /// A column for each image placement. Rows: aligned to the center, the top left, the bottom right.
    @Test func imageAndTitleFollowPlacementAndAlignment() throws {
      let stage = try Stage(width: 388, height: 236)
      let alignments: [(HorizontalAlignment, VerticalAlignment)] = [
        (.center, .center), (.left, .top), (.right, .bottom),
      ]
      for (column, placement) in ImagePlacement.allCases.enumerated() {
        for (row, alignment) in alignments.enumerated() {
          let button = withImage("Go")
          button.backgroundColor = Color(hex: 0x343C4C)
          button.contentInsets = Insets(all: 6)
          button.imagePlacement = placement
          button.contentHorizontalAlignment = alignment.0
          button.contentVerticalAlignment = alignment.1
          stage.add(button, x: 8 + 95 * Double(column), y: 8 + 76 * Double(row), width: 87, height: 68)
        }
      }

      try expect(stage.image(), looksLike: "button-placement", tolerance: .text)
    }

    /// First row: filled with an image alone, with a title beside or below the image, and stretched. Second row:
    /// insets.
    @Test func buttonContentFillsAndHasInsets() throws {
      let stage = try Stage(width: 388, height: 136)
      func add(_ title: String, _ column: Int, _ row: Int, _ change: (Button) -> Void) {
        let button = withImage(title)
        button.backgroundColor = Color(hex: 0x343C4C)
        button.contentInsets = Insets(all: 6)
        change(button)
        stage.add(button, x: 8 + 95 * Double(column), y: 8 + 64 * Double(row), width: 87, height: 56)
      }
      for (column, (title, placement, mode)) in [
        ("", ImagePlacement.leading, ContentMode.fit), ("Go", .leading, .fit), ("Go", .top, .fit),
        ("Go", .trailing, .stretch),
      ].enumerated() {
        add(title, column, 0) { button in
          button.contentHorizontalAlignment = .fill
          button.contentVerticalAlignment = .fill
          button.imagePlacement = placement
          button.imageContentMode = mode
        }
      }
      let insets = [
        (Insets(left: -8, right: 8), Insets.zero), (.zero, Insets(left: 8, right: -8)),
        (Insets(top: 10), Insets(bottom: 10)), (.zero, Insets(left: 14, right: 14)),
      ]
      for (column, (image, title)) in insets.enumerated() {
        add("Going", column, 1) { button in
          button.imageInsets = image
          button.titleInsets = title
        }
      }

      try expect(stage.image(), looksLike: "button-insets", tolerance: .text)
    }

    private func withImage(_ title: String) -> Button {
      let button = Button(title: title)
      button.setImage(Samples.disc(side: 16, color: Color(hex: 0xFFD040)), for: .normal)
      return button
    }

    private func ownImages() -> Button {
      let button = Button()
      let colors: [UInt32] = [0xE0E0E0, 0xFFD040, 0x40C060, 0x4080FF, 0x907070]
      for (state, color) in zip(Self.states, colors) {
        button.setImage(Samples.disc(side: 28, color: Color(hex: color)), for: state)
      }
      return button
    }

    private func oneImage() -> Button {
      let button = Button()
      button.setImage(Samples.quarters(width: 40, height: 28), for: .normal)
      return button
    }

    private func vertical() -> Button {
      let button = Button(title: "Cover")
      button.imagePlacement = .top
      button.titleFont = .regular(13)
      button.imageSize = Size(width: 36, height: 30)
      button.imageContentMode = .fill
      button.imageCornerRadius = 6
      button.backgroundColor = Color(hex: 0x343C4C)
      button.setImage(Samples.quarters(width: 80, height: 40), for: .normal)
      return button
    }
  }
}
