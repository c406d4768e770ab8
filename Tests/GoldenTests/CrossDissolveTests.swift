import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  /// Each frame of a cross dissolve is old image × (1 − t) + new image × t.
  struct CrossDissolveTests {
    /// A fade, and t at several times: the value of its timing curve to six digits, computed independently of the code
    /// under test.
    nonisolated struct FadeCourse: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let transition: Transition
      let moments: [(milliseconds: Double, t: Double)]
    }

    private nonisolated static let courses = [
      // The cubic Bézier curve (0.42, 0) (0.58, 1).
      FadeCourse(
        testDescription: "0.2 s, the default", transition: .crossDissolve,
        moments: [(0, 0), (62.5, 0.203543), (125, 0.707229), (187.5, 0.992413), (210, 1)]),
      FadeCourse(
        testDescription: "0.25 s", transition: .crossDissolve(0.25),
        moments: [(0, 0), (62.5, 0.129162), (125, 0.5), (187.5, 0.870838), (260, 1)]),
      FadeCourse(
        testDescription: "linear",
        transition: Transition(kind: .crossDissolve, duration: 0.25, curve: .linear),
        moments: [(0, 0), (62.5, 0.25), (125, 0.5), (187.5, 0.75), (300, 1)]),
    ]

    /// The kinds of the old and the new image.
    enum Pair: CaseIterable {
      case opaqueToOpaque, nothingToOpaque, nothingToGlass, opaqueToGlass, glassToOpaque, glassToGlass
    }

    @Test(arguments: Pair.allCases, courses)
    func eachFrameBlendsBothImages(pair: Pair, course: FadeCourse) throws {
      let (old, new) = images(pair)
      for opacity in [1, 0.6] {
        let view = ImageView()
        view.alpha = opacity
        try checkFade(course, in: view, from: old, to: new) { $0.setImage($1, transition: $2) }
      }
    }

    /// Images of different shapes over a background, with square and round corners.
    @Test(arguments: ContentMode.allCases, [0, 7] as [Double])
    func imagesOfDifferentShapesBlend(mode: ContentMode, cornerRadius: Double) throws {
      let view = ImageView()
      view.contentMode = mode
      view.cornerRadius = cornerRadius
      view.backgroundColor = Color(hex: 0x604020)
      let wide = Samples.quarters(width: 37, height: 11)
      let high = Samples.slope(width: 9, height: 15, from: .white, to: .black)

      for (old, new) in [(wide, high), (high, wide)] {
        try checkFade(Self.courses[1], in: view, from: old, to: new) { $0.setImage($1, transition: $2) }
      }
    }

    @Test func buttonBackgroundFades() throws {
      let button = Samples.button()
      button.isEnabled = false
      let old = Samples.slope(width: 24, height: 18, from: .white, to: .black)
      let new = Samples.quarters(width: 9, height: 9)

      try checkFade(Self.courses[0], in: button, from: old, to: new) {
        $0.setBackgroundImage($1, for: .normal, transition: $2)
      }
    }

    @Test func buttonImageFades() throws {
      let disc = Samples.disc(side: 12, color: .white)

      try checkFade(Self.courses[0], in: Button(), from: nil, to: disc) {
        $0.setImage($1, for: .normal, transition: $2)
      }
    }

    /// Runs a fade and compares each frame with a blend of the first and the last.
    private func checkFade<Shown: View>(
      _ course: FadeCourse, in view: Shown, from old: Image?, to new: Image,
      setImage: (Shown, Image?, Transition) -> Void
    ) throws {
      let stage = try Stage(width: 32, height: 24)
      stage.add(view, x: 4, y: 3, width: 24, height: 18)
      setImage(view, new, .none)
      let after = stage.image()
      setImage(view, old, .none)
      let before = stage.image()
      #expect(!ImageComparison(of: before, with: after).isMatch, "the two images must differ")
      stage.advance(by: 1)

      setImage(view, new, course.transition)
      for (milliseconds, t) in course.moments {
        stage.advance(by: 1 + milliseconds / 1000 - stage.time)

        let comparison = ImageComparison(of: stage.image(), with: mix(before, after, t))
        #expect(comparison.isMatch, "at \(milliseconds) ms \(comparison)")
      }
      #expect(stage.window.isIdle)
    }

    private func images(_ pair: Pair) -> (old: Image?, new: Image) {
      let opaque = Samples.quarters(width: 24, height: 18)
      let other = Samples.slope(width: 24, height: 18, from: .white, to: Color(hex: 0x102080))
      let glass = Samples.glass(width: 24, height: 18, color: Color(hex: 0x20C0F0))
      return switch pair {
      case .opaqueToOpaque: (opaque, other)
      case .nothingToOpaque: (nil, opaque)
      case .nothingToGlass: (nil, glass)
      case .opaqueToGlass: (opaque, glass)
      case .glassToOpaque: (glass, opaque)
      case .glassToGlass: (Samples.disc(side: 18, color: Color(hex: 0xF08020)), glass)
      }
    }

    private func mix(_ a: Bitmap, _ b: Bitmap, _ t: Double) -> Bitmap {
      Bitmap(width: a.width, height: a.height) { x, y in mix(a.color(x: x, y: y), b.color(x: x, y: y), t) }
    }

    private func mix(_ a: Color, _ b: Color, _ t: Double) -> Color {
      func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Double(a) * (1 - t) + Double(b) * t).rounded()) }
      return Color(red: mix(a.red, b.red), green: mix(a.green, b.green), blue: mix(a.blue, b.blue))
    }
  }
}
