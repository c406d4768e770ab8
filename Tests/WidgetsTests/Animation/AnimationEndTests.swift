import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The completions of animations, and animations that end because the view cannot be seen.
@Suite("Ends of animations", .timeLimit(.minutes(5)))
struct AnimationEndTests {
  private let superview = View(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let view = View(frame: Rect(x: 20, y: 30, width: 40, height: 20))
  private let log = Log()

  /// The values that completions have received.
  private final class Log {
    var values: [Bool] = []
  }

  /// Returns a window with the view in a superview.
  private func makeWindow() -> TestWindow {
    superview.addSubview(view)
    return TestWindow(superview)
  }

  /// Starts an animation of 1 s that ends at x = 120.
  private func animate(delay: Double = 0, duration: Double = 1) {
    view.animate(duration: duration, delay: delay) {
      $0.frame.origin.x = 120
    } completion: { [log] in
      log.values.append($0)
    }
  }

  /// Lets the tasks of the main actor run that have been made so far.
  private func runTasks() async { await Task { @MainActor in }.value }

  @Test func completionIsCalledInTheFrameThatShowsTheEnd() async {
    let test = makeWindow()
    animate()
    test.draw()

    test.advance(by: 0.9)
    #expect(log.values == [])
    test.advance(by: 0.2)

    #expect(log.values == [true])
    await runTasks()
    test.advance(by: 2)
    #expect(log.values == [true])
  }

  @Test func completionWaitsForTheLastProperty() {
    let test = makeWindow()
    view.animate(spring: SpringTiming(response: 0.3, dampingFraction: 0.5)) {
      $0.frame.origin.x = 500
      $0.alpha = 0.999
    } completion: { [log] in
      log.values.append($0)
    }

    test.advance(by: 0.1)
    #expect(view.alpha == 0.999 && log.values == [])
    test.advanceUntilIdle()

    #expect(log.values == [true])
  }

  @Test func animationBegunByACompletionFollowsWithoutAGap() {
    let test = makeWindow()
    view.animate(duration: 0.5, curve: .linear) {
      $0.frame.origin.x = 120
    } completion: { [view] _ in
      view.animate(duration: 0.5, curve: .linear) { $0.frame.origin.x = 20 }
    }
    test.draw()

    test.advance(by: 0.75)

    #expect(abs(view.frame.minX - 70) < 1e-6)
    test.advanceUntilIdle()
    #expect(view.frame.minX == 20)
  }

  /// An event during the animation that cuts it short.
  nonisolated enum Interruption: CaseIterable, Sendable {
    case set, setToTheSameValue, replace, stop, hide, hideSuperview, fadeSuperview, shrink, hideWindow,
      remove,
      removeSuperview, leaveWithWindow

    /// True if the view has the value at the end afterwards.
    var endsThere: Bool {
      switch self {
      case .set, .setToTheSameValue, .replace, .stop: false
      default: true
      }
    }
  }

  @Test(arguments: Interruption.allCases)
  func interruptedAnimationIsReportedOnce(interruption: Interruption) async throws {
    var test: TestWindow? = makeWindow()
    animate()
    test?.draw()
    test?.advance(by: 0.5)
    #expect(view.hasRunningAnimations)

    switch interruption {
    case .set: view.frame.origin.x = 7
    case .setToTheSameValue: view.frame = view.frame
    case .replace: view.animate(duration: 0.1) { $0.frame.origin.x = 7 }
    case .stop: view.stopAnimations()
    case .hide: view.isHidden = true
    case .hideSuperview: superview.isHidden = true
    case .fadeSuperview: superview.alpha = 0
    case .shrink: view.magnification = 0
    case .hideWindow: test?.window.isVisible = false
    case .remove: view.removeFromSuperview()
    case .removeSuperview: superview.removeFromSuperview()
    case .leaveWithWindow: test = nil
    }
    #expect(log.values == [], "the completion is not called within the change")
    test?.advance(by: test?.window.frameInterval ?? 0)

    try await until { log.values != [] }
    test?.advance(by: 2)
    await runTasks()
    #expect(log.values == [false])
    #expect(!view.hasRunningAnimations)
    #expect((view.frame.minX == 120) == interruption.endsThere)
    #expect(test?.window.isIdle != false && test?.window.nextDeadline == nil)
  }

  @Test func hiddenViewCostsOneFrameAtMost() {
    let test = makeWindow()
    animate()
    test.draw()

    view.isHidden = true
    let frames = test.framesRun
    test.advance(by: 2)

    #expect(test.framesRun <= frames + 1)
  }

  @Test func releasedViewIsReported() async throws {
    let test = TestWindow()
    do {
      let view = View(frame: Rect(x: 0, y: 0, width: 5, height: 5))
      test.window.addSubview(view)
      view.animate(duration: 1) {
        $0.alpha = 0
      } completion: { [log] in
        log.values.append($0)
      }
      test.draw()
      view.removeFromSuperview()
    }

    try await until { log.values == [false] }
    #expect(test.window.nextDeadline == nil || test.window.isDirty)
  }

  @Test func finishedAnimationIsCompleted() async throws {
    let test = makeWindow()
    animate(delay: 3)
    test.draw()

    view.finishAnimations()
    #expect(view.frame.minX == 120)

    try await until { log.values == [true] }
  }

  // MARK: At once

  @Test(arguments: [0, -1, .nan, .infinity] as [Double])
  func animationWithoutDurationIsCompletedAtOnce(duration: Double) async throws {
    let test = makeWindow()

    animate(duration: duration)

    #expect(view.frame.minX == 120 && !view.hasRunningAnimations)
    #expect(log.values == [])
    try await until { log.values == [true] }
    test.draw()
    #expect(test.window.nextDeadline == nil)
  }

  @Test func animationWithoutDurationWaitsForItsDelay() {
    let test = makeWindow()
    animate(delay: 0.5, duration: 0)
    test.draw()

    test.advance(by: 0.4)
    #expect(view.frame.minX == 20)
    test.advance(by: 0.2)

    #expect(view.frame.minX == 120 && log.values == [true])
  }

  @Test func viewWithoutAWindowIsAtTheEndAtOnce() async throws {
    animate()

    #expect(view.frame.minX == 120)
    try await until { log.values == [false] }
  }

  @Test func viewThatCannotBeSeenIsAtTheEndAtOnce() async throws {
    let test = makeWindow()
    superview.isHidden = true
    test.draw()

    animate()

    #expect(view.frame.minX == 120)
    #expect(test.window.nextDeadline == nil)
    try await until { log.values == [false] }
  }

  @Test func animationToThePresentValuesIsCompletedWithoutFrames() async throws {
    let test = makeWindow()

    view.animate(duration: 1) {
      $0.alpha = 1
    } completion: { [log] in
      log.values.append($0)
    }

    #expect(test.window.nextDeadline == nil)
    try await until { log.values == [true] }
  }

  @Test func valuesThatAreNotFiniteAreSetAtOnce() {
    let test = makeWindow()

    view.animate(duration: 1) { $0.frame.size.height = .infinity }

    #expect(view.frame.height == .infinity)
    #expect(!view.hasRunningAnimations)
    test.draw()
  }
}
