import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct LabelGoldenTests {
    @Test func labelsAlignWrapAndElide() throws {
      let stage = try Stage(width: 240, height: 318)
      func add(
        _ text: String, y: Double, height: Double = 24, lines: Int = 1, _ alignment: TextAlignment = .left,
        font: Font = .regular(15), color: Color = .white
      ) {
        let label = Label(text, font: font, color: color)
        label.numberOfLines = lines
        label.alignment = alignment
        label.backgroundColor = Color(hex: 0x303848)
        stage.add(label, x: 8, y: y, width: 224, height: height)
      }
      let long = "Aurora over the lake, seen from the northern shore at midnight"

      add("Left", y: 8, .left)
      add("Centred, größer", y: 36, .center, font: .bold(17))
      add("Right", y: 64, .right, color: Color(hex: 0xFF9060))
      add(long, y: 92)
      add(long, y: 120, height: 60, lines: 0, .center)
      add("A line end\n" + long, y: 184, height: 44, lines: 2, .right)
      add("Donaudampfschifffahrtsgesellschaft", y: 232, height: 40, lines: 2)
      add("Higher than its label", y: 276, height: 14, font: .bold(19))
      add("Half transparent", y: 294, height: 20, color: Color(hex: 0x60D0FF, alpha: 128))

      try expect(stage.image(), looksLike: "labels", tolerance: .text)
    }
  }
}
