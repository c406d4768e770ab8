import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  /// The charts in the README and the documentation, drawn with views. `./run.sh pictures` records them.
  struct DrawnPicturesTests {
    @Test func firstScreenChartIsAsShown() throws {
      try expect(
        try FirstScreenChart().image(), looksLike: "first-screen", in: ExpectedImages.documentation,
        tolerance: .text)
    }

    @Test func traceIsAsShown() throws {
      try expect(
        try TraceChart.sample.image(), looksLike: "trace", in: ExpectedImages.documentation, tolerance: .text)
    }
  }
}
