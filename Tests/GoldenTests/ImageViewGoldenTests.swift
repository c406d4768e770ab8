import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct ImageViewGoldenTests {
    /// All content modes, five in a row: an image larger than its view, and below it a smaller translucent one. The
    /// views have fractional frames. Modes that keep the natural size must keep the images sharp.
    @Test(arguments: [1, 1.5])
    func contentModesPlaceLargeAndSmallImages(scale: Double) throws {
      let stage = try Stage(width: 260, height: 310, scale: scale)
      let large = Samples.checks(width: 83, height: 67, scale: scale)
      let small = Samples.checks(width: 19, height: 13, scale: scale, alpha: 170)
      for (index, mode) in ContentMode.allCases.enumerated() {
        for (below, image) in [large, small].enumerated() {
          let view = ImageView()
          view.image = image
          view.contentMode = mode
          view.backgroundColor = Color(hex: 0x101218)
          stage.add(
            view, x: 6.3 + 50.7 * Double(index % 5), y: 6.3 + 100 * Double(index / 5) + 49 * Double(below),
            width: 45, height: 43)
        }
      }

      try expect(stage.image(), looksLike: "content-modes-\(scale)")
    }

    /// A column for each of four content modes. Rows: a wide image; the same with round corners; a high image,
    /// enlarged; a small translucent image with round corners over a background.
    @Test func contentModesApplyToShapesAndRoundCorners() throws {
      let stage = try Stage(width: 292, height: 271)
      let wide = Samples.quarters(width: 91, height: 41)
      let high = Samples.quarters(width: 17, height: 23)
      let disc = Samples.disc(side: 29, color: Color(hex: 0x60D0FF))
      for (column, mode) in [ContentMode.fill, .fit, .stretch, .center].enumerated() {
        let rows: [(Image, Double, Color?)] = [
          (wide, 0, nil), (wide, 14, nil), (high, 0, Color(hex: 0x101218)), (disc, 14, Color(hex: 0x604020)),
        ]
        for (row, (image, radius, background)) in rows.enumerated() {
          let view = ImageView()
          view.image = image
          view.contentMode = mode
          view.cornerRadius = radius
          view.backgroundColor = background
          stage.add(view, x: 8 + 71 * Double(column), y: 8 + 65 * Double(row), width: 63, height: 57)
        }
      }

      try expect(stage.image(), looksLike: "image-views")
    }

    /// The corners of views, from square to the largest radius.
    @Test func cornersAreRounded() throws {
      let stage = try Stage(width: 228, height: 108)
      for (column, radius) in [0, 1, 4, 12, 100].enumerated() {
        let x = 8 + 44 * Double(column)
        let view = View()
        view.backgroundColor = Color(hex: 0xE8ECF4)
        view.cornerRadius = Double(radius)
        stage.add(view, x: x, y: 8, width: 36, height: 28)
        let glass = View()
        glass.backgroundColor = Color(hex: 0x60D0FF, alpha: 128)
        glass.cornerRadius = Double(radius)
        stage.add(glass, x: x + 3.5, y: 44.25, width: 27, height: 23.5)
        let image = ImageView(Samples.quarters(width: 36, height: 28))
        image.cornerRadius = Double(radius)
        stage.add(image, x: x, y: 76, width: 36, height: 28)
      }

      try expect(stage.image(), looksLike: "corners")
    }

    /// From left to right: half transparent, half transparent with a background, highlighted, clipped by its superview.
    @Test func imageViewIsTranslucentHighlightedOrClipped() throws {
      let stage = try Stage(width: 296, height: 48)
      func view(_ column: Int) -> ImageView {
        let view = ImageView()
        view.image = Samples.quarters(width: 64, height: 32)
        return stage.add(view, x: 8 + 72 * Double(column), y: 8, width: 64, height: 32)
      }
      view(0).alpha = 0.5
      let over = view(1)
      over.contentMode = .center
      over.image = Samples.disc(side: 28, color: .white)
      over.backgroundColor = Color(hex: 0xC04030)
      over.alpha = 0.5
      let highlighted = view(2)
      highlighted.highlightedImage = Samples.slope(
        width: 64, height: 32, from: Color(hex: 0xFFD040), to: Color(hex: 0x803010))
      highlighted.isHighlighted = true
      let window = stage.add(View(), x: 224, y: 8, width: 64, height: 32)
      window.clipsToBounds = true
      let image = ImageView(Samples.quarters(width: 64, height: 32))
      image.frame.origin = Point(x: 22, y: -13)
      window.addSubview(image)

      try expect(stage.image(), looksLike: "image-view-looks")
    }
  }
}
