import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// The values that animations of a view show, and the frames for which they ask.
@Suite("View animations", .timeLimit(.minutes(5)))
struct ViewAnimationTests {
  private let view = View(frame: Rect(x: 20, y: 30, width: 40, height: 20))
  private let test: TestWindow

  init() { test = TestWindow(view) }

  private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 }

  /// Starts a linear animation of 1 s, and draws its first frame.
  private func animate(_ changes: (inout AnimatableProperties) -> Void) {
    view.animate(duration: 1, curve: .linear, changes)
    test.draw()
  }

  // MARK: Values

  @Test func everyPropertyMovesFromItsValueToTheEnd() {
    view.backgroundColor = .black
    view.tintColor = .black
    view.borderWidth = 1

    animate {
      $0.frame = Rect(x: 120, y: 30, width: 80, height: 40)
      $0.alpha = 0.5
      $0.magnification = 3
      $0.backgroundColor = Color(red: 200, green: 100, blue: 0)
      $0.cornerRadius = 8
      $0.tintColor = Color(red: 200, green: 200, blue: 200)
      $0.borderColor = Color(red: 0, green: 0, blue: 100)
    }
    test.advance(by: 0.5)

    #expect(isClose(view.frame.minX, 70) && isClose(view.frame.width, 60) && isClose(view.frame.height, 30))
    #expect(isClose(view.alpha, 0.75))
    #expect(isClose(view.magnification, 2))
    #expect(view.backgroundColor == Color(red: 100, green: 50, blue: 0))
    #expect(isClose(view.cornerRadius, 4))
    #expect(view.tintColor == Color(red: 100, green: 100, blue: 100))
    #expect(view.borderColor == Color(red: 0, green: 0, blue: 50))

    test.advance(by: 0.6)

    #expect(view.frame == Rect(x: 120, y: 30, width: 80, height: 40))
    #expect(view.alpha == 0.5 && view.magnification == 3 && view.cornerRadius == 8)
    #expect(view.backgroundColor == Color(red: 200, green: 100, blue: 0))
    #expect(view.tintColor == Color(red: 200, green: 200, blue: 200))
    #expect(view.borderColor == Color(red: 0, green: 0, blue: 100))
    #expect(!view.hasRunningAnimations && test.window.isIdle && test.window.nextDeadline == nil)
  }

  @Test func onlyAssignedPropertiesAreAnimated() {
    animate { $0.alpha = 0.5 }

    view.frame.origin.x = 99
    test.advance(by: 0.5)

    #expect(view.frame.minX == 99)
    #expect(isClose(view.alpha, 0.75))
  }

  @Test func missingColorFadesWithoutAnotherHue() {
    animate { $0.backgroundColor = Color(red: 200, green: 100, blue: 50, alpha: 200) }
    test.advance(by: 0.5)
    #expect(view.backgroundColor == Color(red: 200, green: 100, blue: 50, alpha: 100))
    test.advance(by: 0.6)

    animate { $0.backgroundColor = nil }
    test.advance(by: 0.5)
    #expect(view.backgroundColor == Color(red: 200, green: 100, blue: 50, alpha: 100))
    test.advance(by: 0.6)
    #expect(view.backgroundColor == nil)
  }

  @Test func missingTintColorIsThatOfTheSuperview() {
    test.window.tintColor = .black
    view.tintColor = Color(red: 200, green: 200, blue: 200)

    animate { $0.tintColor = nil }
    test.advance(by: 0.5)
    #expect(view.tintColor == Color(red: 100, green: 100, blue: 100))
    test.advance(by: 0.6)

    #expect(view.tintColor == nil)
  }

  @Test func subviewsAreLaidOutForEachSize() {
    let container = Filled(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    let test = TestWindow(container)

    container.animate(duration: 1, curve: .linear) { $0.frame.size.width = 110 }
    test.draw()
    test.advance(by: 0.5)

    #expect(isClose(container.child.frame.width, 60))
  }

  @Test func springThatOvershootsKeepsValuesWithinTheirLimits() {
    view.alpha = 0.9
    var values: [Double] = []

    view.animate(spring: SpringTiming(dampingFraction: 0.2)) {
      $0.alpha = 1
      $0.frame.size.width = 0
    }
    while view.hasRunningAnimations {
      test.advance(by: test.window.frameInterval)
      values += [view.alpha, view.frame.width]
    }

    #expect(values.allSatisfy { $0 >= 0 })
    #expect(stride(from: 0, to: values.count, by: 2).allSatisfy { values[$0] <= 1 })
    #expect(view.alpha == 1 && view.frame.width == 0)
  }

  // MARK: Interruption

  @Test func newAnimationStartsFromTheValueShownNow() {
    animate { $0.frame.origin.x = 120 }
    test.advance(by: 0.5)
    let shown = view.frame.minX

    view.animate(duration: 1, curve: .linear) { $0.frame.origin.x = 20 }
    #expect(view.frame.minX == shown)
    test.advance(by: 0.5)

    #expect(isClose(view.frame.minX, 45))
    test.advance(by: 0.6)
    #expect(view.frame.minX == 20)
  }

  @Test func springContinuesTheVelocityWithoutAPause() {
    view.animate(duration: 1, curve: .linear) { $0.frame.origin.x = 620 }
    test.draw()
    test.advance(by: 0.5)
    let shown = view.frame.minX

    view.animate(spring: SpringTiming(response: 0.5, dampingFraction: 1)) { $0.frame.origin.x = 20 }
    test.advance(by: test.window.frameInterval)

    // The spring still moves away from its end.
    #expect(view.frame.minX > shown + 1)
    test.advanceUntilIdle()
    #expect(view.frame.minX == 20)
  }

  @Test func springStartsWithTheVelocityOfAFinger() {
    view.animate(spring: SpringTiming(response: 0.5, dampingFraction: 1)) {
      $0.frame.origin.y = 30
      $0.frameVelocity = Point(x: 0, y: 900)
    }
    test.draw()
    test.advance(by: 0.05)

    #expect(view.frame.minY > 50)
    test.advanceUntilIdle()
    #expect(view.frame == Rect(x: 20, y: 30, width: 40, height: 20))
  }

  @Test func valuesToAssignAreThoseAfterTheRunningAnimations() {
    animate { $0.frame.origin.x = 120 }
    test.advance(by: 0.5)

    view.animate(duration: 1) { $0.frame.origin.y += 10 }
    test.advanceUntilIdle()

    #expect(view.frame.origin == Point(x: 120, y: 40))
  }

  @Test func propertyThatIsSetStopsItsAnimationOnly() {
    animate {
      $0.frame.origin.x = 120
      $0.alpha = 0
    }
    test.advance(by: 0.5)

    view.alpha = 0.9
    test.advance(by: 0.25)

    #expect(view.alpha == 0.9)
    #expect(isClose(view.frame.minX, 95))
  }

  @Test func stoppedViewStaysWhereItIs() {
    animate { $0.frame.origin.x = 120 }
    test.advance(by: 0.5)

    view.stopAnimations()
    #expect(!view.hasRunningAnimations)
    test.advance(by: 1)

    #expect(isClose(view.frame.minX, 70))
    #expect(test.window.isIdle && test.window.nextDeadline == nil)
  }

  @Test func finishedViewIsAtItsEnd() {
    animate { $0.frame.origin.x = 120 }
    test.advance(by: 0.5)

    view.finishAnimations()

    #expect(view.frame.minX == 120)
    test.draw()
    #expect(test.window.isIdle && test.window.nextDeadline == nil)
  }

  // MARK: Frames

  @Test func windowIsBusyWhileAnAnimationRuns() {
    animate { $0.alpha = 0.5 }

    test.advance(by: 0.5)
    #expect(!test.window.isIdle)
    let frames = test.framesRun
    test.advance(by: 10)

    #expect(test.window.isIdle)
    #expect((28...32).contains(test.framesRun - frames))
  }

  @Test func delayCostsNoFrames() {
    view.animate(duration: 1, curve: .linear, delay: 5) { $0.alpha = 0 }
    test.draw()
    let frames = test.framesRun

    test.advance(by: 4.9)
    #expect(test.framesRun == frames)
    #expect(!test.window.isIdle && view.alpha == 1)
    test.advance(by: 0.6)

    #expect(isClose(view.alpha, 0.5))
  }

  @Test func allViewsOfAWindowShareOneFrameObserver() {
    let views = (0..<50).map { View(frame: Rect(x: Double($0), y: 0, width: 4, height: 4)) }
    for view in views {
      test.window.addSubview(view)
      view.animate(duration: 1) { $0.frame.origin.y = 50 }
    }

    test.advance(by: 0.5)
    let drawn = test.framesDrawn
    test.advance(by: test.window.frameInterval)

    #expect(test.framesDrawn == drawn + 1)
    #expect(Set(views.map(\.frame.minY)).count == 1)
  }

  @Test(arguments: [true, false])
  func viewThatWasTransparentOrTinyCanGrowIntoSight(isTransparent: Bool) {
    if isTransparent { view.alpha = 0 } else { view.magnification = 0 }

    animate {
      $0.alpha = 1
      $0.magnification = 1
    }
    test.advance(by: 0.5)

    #expect(isClose(isTransparent ? view.alpha : view.magnification, 0.5))
  }

  @Test func subviewMovesWhileItsSuperviewFadesIn() {
    let child = View(frame: Rect(x: 0, y: 0, width: 5, height: 5))
    view.addSubview(child)
    view.alpha = 0
    animate { $0.alpha = 1 }

    child.animate(duration: 1, curve: .linear) { $0.frame.origin.x = 100 }
    test.draw()
    test.advance(by: 0.5)

    #expect(isClose(child.frame.minX, 50))
  }
}

/// A view whose subview fills it.
private final class Filled: View {
  let child = View()

  override init(frame: Rect) {
    super.init(frame: frame)
    addSubview(child)
  }

  override func layoutSubviews() { child.frame = bounds }
}
