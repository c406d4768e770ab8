import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct ScaleGoldenTests {
    /// One of each widget at several scales: edges fall on whole pixels, text and corners are redrawn.
    @Test(arguments: [1, 1.5, 2])
    func widgetsAreSharpAtEachScale(scale: Double) throws {
      let stage = try Stage(width: 284, height: 136, scale: scale)
      let rows = Rows()
      let list = rows.list(on: stage)
      stage.add(Label("Sharp", font: .bold(17)), x: 176, y: 8, width: 60, height: 24)
      let spinner = stage.add(ActivityIndicator(), x: 248, y: 8, width: 24, height: 24)
      spinner.startAnimating()
      stage.add(Samples.button(), x: 176, y: 36, width: 100, height: 44)
      let fitted = stage.add(
        ImageView(Samples.quarters(width: 91, height: 41)), x: 176, y: 85, width: 47, height: 43)
      fitted.contentMode = .fit
      fitted.backgroundColor = Color(hex: 0x101218)
      let filled = stage.add(
        ImageView(Samples.quarters(width: 91, height: 41)), x: 229, y: 85, width: 47, height: 43)
      filled.cornerRadius = 9
      stage.advance(by: 0)
      stage.window.focus(list)

      stage.send(.wheel(location: Point(x: 60, y: 60), deltaX: 0, deltaY: -0.1))
      stage.advance(by: 0.1)
      stage.advance(by: 0.1)

      try expect(stage.image(), looksLike: "scale-\(scale)", tolerance: .text)
    }
  }
}
