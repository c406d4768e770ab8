import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  struct ActivityIndicatorGoldenTests {
    /// A spinner has twelve steps per second. Each time is between two steps; the last is in the second turn.
    @Test(arguments: zip(["first", "second", "eighth"], [0.01, 0.09, 1.6]))
    func spinnerIsDrawnInItsCurrentStep(step: String, time: Double) throws {
      let stage = try Stage(width: 81, height: 53)
      for spinner in spinners(on: stage) { spinner.startAnimating() }
      stage.advance(by: 0)

      stage.advance(by: time)

      try expect(stage.image(), looksLike: "spinner-\(step)")
    }

    @Test func stoppedSpinnerIsDrawnStillOrHidden() throws {
      let stage = try Stage(width: 81, height: 53)
      let spinners = spinners(on: stage)
      spinners[0].hidesWhenStopped = false
      for spinner in spinners { spinner.startAnimating() }
      stage.advance(by: 0.3)

      for spinner in spinners { spinner.stopAnimating() }

      try expect(stage.image(), looksLike: "spinner-stopped")
    }

    private func spinners(on stage: Stage) -> [ActivityIndicator] {
      let medium = ActivityIndicator()
      let large = ActivityIndicator(style: .large)
      large.color = Color(hex: 0x60D0FF)
      stage.add(medium, x: 8, y: 8, width: 20, height: 37)
      stage.add(large, x: 36, y: 8, width: 37, height: 37)
      return [medium, large]
    }
  }
}
