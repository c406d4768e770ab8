import Testing
import VitrineGraphics

@testable import VitrineWidgets

/// The geometry of each kind of transition. The expected values are computed by hand.
@Suite struct TransitionArithmeticTests {
  nonisolated static let quarters = [0, 0.25, 0.5, 0.75, 1]

  @Test(arguments: zip(quarters, [(1, 0), (0.5, 0), (0, 0), (0, 0.5), (0, 1)] as [(Double, Double)]))
  func fadeHidesTheOldImageBeforeItShowsTheNew(progress: Double, fractions: (Double, Double)) {
    let fade = FadeOpacities(progress: progress, hasOld: true, hasNew: true)

    #expect((fade.old, fade.new) == fractions)
  }

  @Test(arguments: quarters)
  func fadeOfASingleImageTakesTheWholeDuration(progress: Double) {
    #expect(FadeOpacities(progress: progress, hasOld: false, hasNew: true).new == progress)
    #expect(FadeOpacities(progress: progress, hasOld: true, hasNew: false).old == 1 - progress)
  }

  @Test(arguments: quarters, Transition.Direction.allCases)
  func slideMovesBothImagesTogether(progress: Double, direction: Transition.Direction) {
    let slide = SlideOffsets(
      direction, progress: progress, size: Size(width: 40, height: 20), scale: 1)

    let (old, new): (Point, Point) =
      switch direction {
      case .left: (Point(x: -40 * progress, y: 0), Point(x: 40 - 40 * progress, y: 0))
      case .right: (Point(x: 40 * progress, y: 0), Point(x: 40 * progress - 40, y: 0))
      case .up: (Point(x: 0, y: -20 * progress), Point(x: 0, y: 20 - 20 * progress))
      case .down: (Point(x: 0, y: 20 * progress), Point(x: 0, y: 20 * progress - 20))
      }
    #expect(slide.old == old)
    #expect(slide.new == new)
  }

  @Test(arguments: [1, 1.5, 2] as [Double])
  func slideMovesByWholePixels(scale: Double) {
    for progress in [0.013, 0.37, 0.777] {
      let slide = SlideOffsets(
        .left, progress: progress, size: Size(width: 33.3, height: 20), scale: scale)

      for x in [slide.old.x, slide.new.x] {
        #expect(abs(x * scale - (x * scale).rounded()) < 1e-9)
      }
    }
  }

  /// At an angle of θ the near edge has a length of cos θ, the far edge one of cos θ · (1 − sin θ / 4).
  @Test(
    arguments: zip(
      quarters,
      [(1, 1, 1), (0.707107, 0.582107, 0.646447), (0, 0, 0.5), (0.707107, 0.582107, 0.646447), (1, 1, 1)]
        as [(Double, Double, Double)]))
  func flipNarrowsTheOldImageAndWidensTheNew(progress: Double, expected: (Double, Double, Double)) {
    let turn = FlipTurn(progress: progress, hasOld: true, hasNew: true)

    #expect(turn.showsNew == (progress > 0.5))
    #expect(abs(turn.near - expected.0) < 1e-6)
    #expect(abs(turn.far - expected.1) < 1e-6)
    #expect(abs(turn.brightness - expected.2) < 1e-6)
  }

  @Test func flipFromNothingBeginsEdgeOn() {
    let first = FlipTurn(progress: 0, hasOld: false, hasNew: true)
    let half = FlipTurn(progress: 0.5, hasOld: false, hasNew: true)

    #expect(first.showsNew && first.near < 1e-9)
    #expect(half.showsNew && abs(half.near - 0.707107) < 1e-6)
    #expect(FlipTurn(progress: 1, hasOld: false, hasNew: true).far == 1)
  }

  @Test func flipToNothingEndsEdgeOn() {
    let last = FlipTurn(progress: 1, hasOld: true, hasNew: false)

    #expect(!last.showsNew)
    #expect(last.near < 1e-9)
  }

  @Test(arguments: Transition.Direction.allCases, quarters)
  func flipStaysWithinItsBounds(direction: Transition.Direction, progress: Double) {
    let bounds = Rect(x: 10, y: 20, width: 80, height: 60)
    let turn = FlipTurn(progress: progress, hasOld: true, hasNew: true)

    let frame = turn.frame(of: bounds, in: bounds, direction)

    #expect(bounds.contains(frame))
    // The image turns about the center of its bounds.
    #expect(frame.minX <= bounds.midX && frame.maxX >= bounds.midX)
    #expect(frame.minY <= bounds.midY && frame.maxY >= bounds.midY)
  }

  @Test func nearEdgeOfAFlipFollowsItsDirection() {
    let bounds = Rect(x: 0, y: 0, width: 100, height: 100)
    func frame(_ direction: Transition.Direction, _ progress: Double) -> Rect {
      FlipTurn(progress: progress, hasOld: true, hasNew: true).frame(of: bounds, in: bounds, direction)
    }

    #expect(frame(.left, 0.25).maxX - 50 > 50 - frame(.left, 0.25).minX)
    #expect(frame(.left, 0.75).maxX - 50 < 50 - frame(.left, 0.75).minX)
    #expect(frame(.right, 0.25) == frame(.left, 0.75))
    #expect(frame(.up, 0.25).maxY - 50 > 50 - frame(.up, 0.25).minY)
    #expect(frame(.down, 0.25) == frame(.up, 0.75))
  }

  /// Ordinates of the cubic Bézier curves, computed independently to six digits.
  @Test(
    arguments: [
      (.linear, [0, 0.25, 0.5, 0.75, 1]), (.easeInOut, [0, 0.129162, 0.5, 0.870838, 1]),
      (.easeIn, [0, 0.093465, 0.315357, 0.621862, 1]), (.easeOut, [0, 0.378138, 0.684643, 0.906535, 1]),
    ] as [(TimingCurve, [Double])])
  func timingCurvesMatchCoreAnimation(curve: TimingCurve, ordinates: [Double]) {
    for (time, ordinate) in zip(Self.quarters, ordinates) {
      #expect(abs(curve.value(at: time) - ordinate) < 2e-6, "\(curve) at \(time)")
    }
    #expect(curve.value(at: -1) == 0)
    #expect(curve.value(at: 2) == 1)
  }

  @Test func defaultsMatchTheAncestorLibraries() {
    #expect(Transition.crossDissolve.duration == 0.2)
    #expect(Transition.preview.duration == 0.4)
    #expect(Transition.crossDissolve.when == .whenWaited)
    #expect(Transition.flip(.left).duration == 0.5)
  }

  @Test(arguments: [0, -1, .nan, .infinity] as [Double])
  func transitionWithoutAFiniteDurationIsNotAnimated(duration: Double) {
    #expect(!Transition.slide(.left, duration: duration).isAnimated)
    #expect(!Transition.none.isAnimated)
  }

  @Test func customTransitionsAreEqualIfTheirDrawingsAre() {
    #expect(Transition.custom(Stack(gap: 1)) == .custom(Stack(gap: 1)))
    #expect(Transition.custom(Stack(gap: 1)) != .custom(Stack(gap: 2)))
    #expect(Set([Transition.custom(Stack(gap: 1)), .custom(Stack(gap: 1))]).count == 1)
  }

  private struct Stack: TransitionDrawing {
    let gap: Int
    func draw(_ scene: TransitionScene, into list: inout DrawList) {}
  }
}
