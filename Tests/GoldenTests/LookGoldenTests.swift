import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct LookGoldenTests {
    /// Borders from a hairline to one that fills the view. Rows: square, round, around an image, translucent.
    @Test(arguments: [1, 1.5])
    func bordersHaveAntialiasedEdges(scale: Double) throws {
      let stage = try Stage(width: 268, height: 172, scale: scale)
      for (column, width) in [0.2, 1, 2, 4, 9, 30].enumerated() {
        for row in 0..<4 {
          let view = ImageView()
          view.backgroundColor = Color(hex: 0xF0F0F0)
          view.cornerRadius = [0, 6, 16, 10][row]
          view.borderWidth = width
          view.borderColor = row == 3 ? Color(hex: 0x102040, alpha: 140) : Color(hex: 0x102040)
          if row > 1 { view.image = Samples.quarters(width: 36, height: 32) }
          stage.add(view, x: 8 + 43 * Double(column), y: 8 + 40 * Double(row), width: 36, height: 32)
        }
      }

      try expect(stage.image(), looksLike: "borders-\(scale)")
    }

    /// Rows: increasing blur; large corners; small views, where the shadows of all edges meet, and a translucent view.
    @Test(arguments: [1, 1.5])
    func shadowsAreBlurred(scale: Double) throws {
      let stage = try Stage(width: 300, height: 250, scale: scale)
      stage.window.backgroundColor = Color(hex: 0xE4E8F0)
      func add(_ column: Int, _ row: Int, _ size: Size, radius: Double, _ shadow: Shadow) {
        let view = View()
        view.backgroundColor = Color(hex: 0xFFFFFF)
        view.cornerRadius = radius
        view.shadow = shadow
        stage.add(
          view, x: 20 + 70 * Double(column), y: 20 + 80 * Double(row), width: size.width, height: size.height)
      }
      let black = Color.black.multiplyingAlpha(by: 0.5)
      for (column, blur) in [0, 1, 4, 12].enumerated() {
        let card = Size(width: 50, height: 44)
        add(
          column, 0, card, radius: 8, Shadow(color: black, radius: Double(blur), offset: Point(x: 2, y: 4)))
        add(
          column, 1, card, radius: [0, 14, 22, 4][column],
          Shadow(
            color: Color(hex: [0xC04030, 0x3060C0, 0x208040, 0x000000][column]), radius: 5, offset: .zero))
      }
      for (column, size) in [
        Size(width: 2, height: 40), Size(width: 12, height: 12), Size(width: 40, height: 6),
      ]
      .enumerated() {
        add(column, 2, size, radius: 20, Shadow(color: .black, radius: 6, offset: Point(x: 0, y: 3)))
      }
      let glass = View()
      glass.backgroundColor = Color(hex: 0xFFD040, alpha: 120)
      glass.cornerRadius = 10
      glass.shadow = Shadow(color: black, radius: 4, offset: Point(x: 0, y: 6))
      glass.clipsToBounds = true
      stage.add(glass, x: 230, y: 180, width: 50, height: 44)

      try expect(stage.image(), looksLike: "shadows-\(scale)")
    }

    /// First row: an original image, three tints (the last translucent), round, half transparent, a pressed and a
    /// disabled button. Second row: transitions between original and template.
    @Test func templatesAreDrawnInTheTintColor() throws {
      let stage = try Stage(width: 348, height: 92)
      let image = Samples.disc(side: 28, color: Color(hex: 0xC04030))
      let template = image.withRenderingMode(.alwaysTemplate)
      func add<Shown: View>(_ view: Shown, _ column: Int, _ row: Int) -> Shown {
        stage.add(view, x: 8 + 42 * Double(column), y: 8 + 42 * Double(row), width: 34, height: 34)
      }
      _ = add(ImageView(image), 0, 0)
      for (column, tint) in [nil, Color(hex: 0xFFD040), Color(hex: 0x60FF90, alpha: 120)].enumerated() {
        add(ImageView(template), column + 1, 0).tintColor = tint
      }
      let opaque = add(ImageView(Samples.quarters(width: 40, height: 40)), 4, 0)
      opaque.renderingMode = .alwaysTemplate
      opaque.cornerRadius = 12
      add(ImageView(template), 5, 0).alpha = 0.5
      for (column, state) in [ControlState.highlighted, .disabled].enumerated() {
        let button = add(Button(), 6 + column, 0)
        button.setImage(image, for: .normal)
        button.contentInsets = .zero
        button.renderingMode = .alwaysTemplate
        button.isHighlighted = state == .highlighted
        button.isEnabled = state != .disabled
      }
      for (column, transition) in [
        Transition.crossDissolve(1), .fadeThrough(1), .slide(.left, duration: 1), .flip(.left, duration: 1),
      ].enumerated() {
        for (index, (old, new)) in [(image, template), (template, image)].enumerated() {
          let view = add(ImageView(old), 2 * column + index, 1)
          view.tintColor = Color(hex: 0xFFD040)
          view.setImage(new, transition: transition)
        }
      }
      stage.advance(by: 0)
      stage.advance(by: 0.4)

      try expect(stage.image(), looksLike: "templates")
    }
  }
}
