import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

extension GoldenTests {
  /// Frames of each kind of transition: compared with computed frames where possible, and all kinds side by side with
  /// an expected image.
  struct TransitionGoldenTests {
    private static let imageFrame = (x: 4, y: 3, width: 24, height: 18)

    @Test(arguments: [0.25, 0.5, 0.75])
    func fadeBlendsThroughTheBackground(progress: Double) throws {
      let moments = try moments(of: .fadeThrough, at: progress)

      let expected =
        progress < 0.5
        ? mix(moments.before, moments.behind, 2 * progress)
        : mix(moments.behind, moments.after, 2 * progress - 1)
      expectMatch(moments.now, expected)
    }

    @Test(arguments: Transition.Direction.allCases, [0.25, 0.5, 0.75])
    func slideMovesBothImages(direction: Transition.Direction, progress: Double) throws {
      let moments = try moments(of: .slide(direction), at: progress)
      let frame = Self.imageFrame

      let expected = Bitmap(width: 32, height: 24) { x, y in
        guard (frame.x..<frame.x + frame.width).contains(x), (frame.y..<frame.y + frame.height).contains(y)
        else {
          return moments.behind.color(x: x, y: y)
        }
        // The source of the pixel on a strip of both images.
        let isSideways = direction == .left || direction == .right
        let length = isSideways ? frame.width : frame.height
        let first = isSideways ? frame.x : frame.y
        let shift = Int((Double(length) * progress).rounded(.toNearestOrAwayFromZero))
        let isBack = direction == .left || direction == .up
        let offset = (isSideways ? x : y) - first + (isBack ? shift : -shift)
        let isOld = (0..<length).contains(offset)
        let position = first + (isOld ? offset : offset + (isBack ? -length : length))
        return (isOld ? moments.before : moments.after).color(
          x: isSideways ? position : x, y: isSideways ? y : position)
      }
      expectMatch(moments.now, expected)
    }

    /// Images of one color reveal edges and brightness. After an eighth of a turn (sine and cosine s = 0.7071), the
    /// near half has the width s, the far half s (1 - s / 4), and the brightness is 1 - s / 2.
    @Test(arguments: [0.25, 0.75])
    func flipNarrowsAndDarkensTheImage(progress: Double) throws {
      let green = Samples.slope(width: 24, height: 18, from: .pureGreen, to: .pureGreen)
      let blue = Samples.slope(width: 24, height: 18, from: .pureBlue, to: .pureBlue)
      let moments = try moments(of: .flip(.left), at: progress, from: green, to: blue)

      // 16 is the middle: 12 x 0.7071 = 8.5 on the near side, 12 x 0.5821 = 7.0 on the far side.
      let columns = progress < 0.5 ? 9..<24 : 8..<23
      let color = Color(
        red: 0, green: progress < 0.5 ? 165 : 0, blue: progress < 0.5 ? 0 : 165)
      let expected = Bitmap(width: 32, height: 24) { x, y in
        columns.contains(x) && (3..<21).contains(y) ? color : moments.behind.color(x: x, y: y)
      }
      expectMatch(moments.now, expected)
    }

    @Test func flipShowsOnlyTheBackgroundHalfway() throws {
      let moments = try moments(of: .flip(.up), at: 0.5)

      expectMatch(moments.now, moments.behind)
    }

    @Test(arguments: [0.25, 0.5, 0.75])
    func customTransitionDrawsItself(progress: Double) throws {
      let moments = try moments(of: .custom(CustomTransition(Curtain())), at: progress)

      let edge = Self.imageFrame.x + Int((24 * progress).rounded())
      let expected = Bitmap(width: 32, height: 24) { x, y in
        (x < edge ? moments.after : moments.before).color(x: x, y: y)
      }
      expectMatch(moments.now, expected)
    }

    /// Each kind between images of different shapes with round corners.
    @Test(arguments: [25, 50, 75])
    func kindsOfTransitionsLookAsExpected(percent: Int) throws {
      let kinds: [Transition.Kind] =
        [.none, .fadeThrough, .crossDissolve, .custom(CustomTransition(Curtain()))]
        + Transition.Direction.allCases.map { .slide($0) } + Transition.Direction.allCases.map { .flip($0) }
      let stage = try Stage(width: 4 * 76 + 4, height: 3 * 58 + 4)
      let views = kinds.indices.map { index in
        let view = ImageView()
        view.contentMode = .fit
        view.cornerRadius = 8
        view.backgroundColor = Color(hex: 0x303848)
        view.image = Samples.quarters(width: 72, height: 36)
        let (row, column) = index.quotientAndRemainder(dividingBy: 4)
        return stage.add(view, x: 4 + Double(column) * 76, y: 4 + Double(row) * 58, width: 72, height: 54)
      }
      _ = stage.image()

      let new = Samples.slope(width: 54, height: 54, from: Color(hex: 0xFFE0A0), to: Color(hex: 0xA02060))
      for (view, kind) in zip(views, kinds) {
        view.setImage(new, transition: Transition(kind: kind, duration: 1, curve: .linear))
      }
      stage.advance(by: 0)
      stage.advance(by: Double(percent) / 100)

      try expect(stage.image(), looksLike: "transitions-\(percent)")
    }

    // MARK: Moments

    private struct Moments {
      /// Frames without an image, with the old image, with the new image, and during the transition.
      let behind, before, after, now: Bitmap
    }

    private func moments(
      of kind: Transition.Kind, at progress: Double,
      from old: Image = Samples.quarters(width: 24, height: 18),
      to new: Image = Samples.slope(width: 24, height: 18, from: .white, to: Color(hex: 0x102080))
    ) throws -> Moments {
      let stage = try Stage(width: 32, height: 24)
      let view = stage.add(
        ImageView(), x: Double(Self.imageFrame.x), y: Double(Self.imageFrame.y),
        width: Double(Self.imageFrame.width), height: Double(Self.imageFrame.height))
      let behind = stage.image()
      view.image = new
      let after = stage.image()
      view.image = old
      let before = stage.image()

      view.setImage(new, transition: Transition(kind: kind, duration: 1, curve: .linear))
      expectMatch(stage.image(), before)
      stage.advance(by: progress)
      let now = stage.image()
      stage.advance(by: 1 - progress)
      expectMatch(stage.image(), after)
      #expect(stage.window.isIdle)
      return Moments(behind: behind, before: before, after: after, now: now)
    }

    private func expectMatch(
      _ found: Bitmap, _ expected: Bitmap, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let comparison = ImageComparison(of: found, with: expected)
      #expect(comparison.isMatch, "\(comparison)", sourceLocation: sourceLocation)
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

/// Reveals the new image over the old one from the left.
private struct Curtain: TransitionDrawing {
  nonisolated func draw(_ scene: TransitionScene, into list: inout DrawList) {
    if let old = scene.old { list.draw(old) }
    var drawn = scene.rect
    drawn.size.width *= scene.progress
    list.enter(origin: .zero, opacity: 1, clip: drawn)
    if let new = scene.new { list.draw(new) }
    list.leave()
  }
}

extension Color {
  fileprivate nonisolated static let pureGreen = Color(red: 0, green: 255, blue: 0)
  fileprivate nonisolated static let pureBlue = Color(red: 0, green: 0, blue: 255)
}
