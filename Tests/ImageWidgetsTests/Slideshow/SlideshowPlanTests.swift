import Testing
import VitrineGraphics

@testable import VitrineImageWidgets

/// The decisions of a slideshow. Each slide is shown for 10 s after a transition of 1 s.
struct SlideshowPlanTests {
  private typealias Action = SlideshowPlan.Action

  /// Performs all actions at a time, and returns them.
  private func actions(_ plan: inout SlideshowPlan, at now: Double) -> [Action] {
    var actions: [Action] = []
    while actions.count < 100, let action = plan.nextAction(at: now) { actions.append(action) }
    return actions
  }

  private func plan(count: Int) -> SlideshowPlan {
    var plan = SlideshowPlan()
    plan.secondsPerImage = 10
    plan.transitionSeconds = 1
    plan.setSequence(ListSequence(count: count), count: count)
    return plan
  }

  /// Returns a plan that shows the first slide since the time 0, and whose second slide is ready.
  private func runningPlan(count: Int) -> SlideshowPlan {
    var plan = plan(count: count)
    _ = actions(&plan, at: 0)
    plan.didLoad()
    _ = actions(&plan, at: 0)
    plan.didLoad()
    return plan
  }

  private func changes(_ old: String, _ new: String) -> ListChanges {
    ListChanges(from: Array(old), to: Array(new))
  }

  // MARK: Time

  @Test func firstSlideIsShownAtOnceAndTheNextOneIsLoadedThen() {
    var plan = plan(count: 3)

    #expect(actions(&plan, at: 0) == [.load(0)])
    plan.didLoad()

    #expect(actions(&plan, at: 2) == [.show(0), .load(1)])
    #expect(plan.shown == 0)
  }

  @Test func nextSlideIsShownAfterTheTransitionAndTheTimePerImage() {
    var plan = runningPlan(count: 3)

    #expect(plan.deadline == 11)
    #expect(actions(&plan, at: 10.9).isEmpty)
    #expect(actions(&plan, at: 11) == [.show(1), .load(2)])
  }

  @Test func listLoops() {
    var plan = plan(count: 2)
    var shown: [Int] = []

    for step in 0..<10 {
      for case .show(let slide) in actions(&plan, at: Double(step) * 11) { shown.append(slide) }
      plan.didLoad()
    }

    #expect(shown == [0, 1, 0, 1, 0, 1, 0, 1, 0])
  }

  @Test func slideThatIsNotReadyKeepsTheShownOne() {
    var plan = plan(count: 2)
    _ = actions(&plan, at: 0)
    plan.didLoad()
    _ = actions(&plan, at: 0)

    #expect(actions(&plan, at: 30).isEmpty)
    #expect(plan.deadline == nil)
    #expect(plan.shown == 0)
    plan.didLoad()

    #expect(actions(&plan, at: 31) == [.show(1), .load(0)])
  }

  // MARK: Reload

  @Test func reloadShowsNoSlideUntilTheShownOneIsLoadedAgain() {
    var plan = runningPlan(count: 3)

    plan.reload(at: 4)
    #expect(actions(&plan, at: 4) == [.clear, .load(0)])
    #expect(plan.shown == nil && !plan.showsSlide)
    plan.didLoad()

    #expect(actions(&plan, at: 5) == [.show(0), .load(1)])
    plan.didLoad()
    #expect(plan.deadline == 16, "the time begins again")
  }

  @Test func reloadOfAPausedSlideShowsThatSlide() {
    var plan = runningPlan(count: 3)
    plan.setPaused(true, .user, at: 1)

    plan.reload(at: 4)
    _ = actions(&plan, at: 4)
    plan.didLoad()

    #expect(actions(&plan, at: 5) == [.show(0), .load(1)])
  }

  @Test func reloadThatFailsShowsTheNextSlide() {
    var plan = runningPlan(count: 3)

    plan.reload(at: 4)
    _ = actions(&plan, at: 4)
    plan.didFail(at: 4)

    #expect(actions(&plan, at: 4) == [.load(1)])
    plan.didLoad()
    #expect(actions(&plan, at: 5) == [.show(1), .load(2)])
  }

  @Test func reloadBeforeTheFirstSlideLoadsItAgain() {
    var plan = plan(count: 3)
    _ = actions(&plan, at: 0)

    plan.reload(at: 1)

    #expect(actions(&plan, at: 1) == [.load(0)])
  }

  @Test func reloadOfARemovedSlideLoadsTheNextOne() {
    var plan = runningPlan(count: 2)
    plan.apply(changes("ab", "b")) { _ in 1 }

    plan.reload(at: 4)

    #expect(actions(&plan, at: 4) == [.clear, .load(0)])
  }

  @Test func reloadOfASingleSlideAndOfAnEmptyList() {
    var plan = plan(count: 1)
    _ = actions(&plan, at: 0)
    plan.didLoad()
    _ = actions(&plan, at: 0)
    plan.reload(at: 1)
    #expect(actions(&plan, at: 1) == [.clear, .load(0)])
    var empty = self.plan(count: 0)

    empty.reload(at: 1)

    #expect(actions(&empty, at: 1).isEmpty)
  }

  // MARK: Short lists

  @Test func emptyListHasNoActionsAndNoDeadline() {
    var plan = plan(count: 0)

    #expect(actions(&plan, at: 0).isEmpty)
    #expect(plan.deadline == nil)
  }

  @Test func singleSlideStaysAndIsNotLoadedAgain() {
    var plan = plan(count: 1)
    _ = actions(&plan, at: 0)
    plan.didLoad()

    #expect(actions(&plan, at: 0) == [.show(0)])
    plan.showNext()
    plan.showPrevious(at: 1)

    #expect(actions(&plan, at: 1000).isEmpty)
    #expect(plan.deadline == nil)
  }

  // MARK: Failures

  @Test func failedSlideIsSkippedAndTriedAgainLater() {
    var plan = plan(count: 3)
    _ = actions(&plan, at: 0)
    plan.didFail(at: 0)

    #expect(actions(&plan, at: 0) == [.load(1)])
    plan.didLoad()
    #expect(actions(&plan, at: 0) == [.show(1), .load(2)])
    plan.didLoad()

    #expect(actions(&plan, at: 11) == [.show(2), .load(0)])
  }

  @Test func delayOfAFailedSlideGrowsToALimit() {
    var plan = plan(count: 1)
    var now = 0.0
    var delays: [Double] = []

    for _ in 0..<8 {
      #expect(actions(&plan, at: now) == [.load(0)])
      plan.didFail(at: now)
      #expect(actions(&plan, at: now).isEmpty)
      let next = plan.deadline ?? .infinity
      delays.append(next - now)
      now = next
    }

    #expect(delays == [5, 10, 20, 40, 80, 160, 300, 300])
    #expect(!plan.showsSlide)
  }

  @Test func returnOfTheNetworkTriesFailedSlidesAtOnce() {
    var plan = plan(count: 1)
    _ = actions(&plan, at: 0)
    plan.didFail(at: 0)
    #expect(actions(&plan, at: 1).isEmpty)

    plan.retryFailures(at: 1)

    #expect(actions(&plan, at: 1) == [.load(0)])
  }

  @Test func longListWithoutAUsableImageIsTriedSlowly() {
    var plan = plan(count: 10_000)
    var now = 0.0
    var loads = 0

    while now < 100 {
      if actions(&plan, at: now).isEmpty {
        now = plan.deadline ?? .infinity
      } else {
        loads += 1
        plan.didFail(at: now)
      }
    }

    #expect(loads > 300 && loads < 450)
  }

  @Test func shownSlideStaysWhileAllOthersFail() {
    var plan = plan(count: 3)
    _ = actions(&plan, at: 0)
    plan.didLoad()
    _ = actions(&plan, at: 0)

    plan.didFail(at: 1)
    #expect(actions(&plan, at: 1) == [.load(2)])
    plan.didFail(at: 2)

    #expect(actions(&plan, at: 2).isEmpty)
    #expect(plan.shown == 0)
    #expect(plan.deadline == 6)
  }

  // MARK: Pauses

  @Test(arguments: [SlideshowPlan.Pause.user, .touch])
  func timeStandsStillWhilePausedAndTheNextSlideIsLoaded(reason: SlideshowPlan.Pause) {
    var plan = runningPlan(count: 3)

    plan.setPaused(true, reason, at: 4)
    #expect(plan.deadline == nil)
    #expect(actions(&plan, at: 100).isEmpty)
    plan.setPaused(false, reason, at: 100)

    #expect(plan.deadline == 107)
    #expect(actions(&plan, at: 107) == [.show(1), .load(2)])
  }

  @Test func slideshowGoesOnWhenTheLastReasonForAPauseEnds() {
    var plan = runningPlan(count: 2)

    plan.setPaused(true, .user, at: 1)
    plan.setPaused(true, .touch, at: 2)
    plan.setPaused(false, .touch, at: 3)
    #expect(plan.deadline == nil)
    plan.setPaused(false, .user, at: 5)

    #expect(plan.deadline == 15)
  }

  @Test func nothingIsLoadedOffTheScreen() {
    var plan = plan(count: 2)

    plan.setPaused(true, .offScreen, at: 0)
    #expect(actions(&plan, at: 0).isEmpty)
    #expect(plan.deadline == nil)
    plan.setPaused(false, .offScreen, at: 5)

    #expect(actions(&plan, at: 5) == [.load(0)])
  }

  @Test func firstSlideIsShownWhilePaused() {
    var plan = plan(count: 2)
    plan.setPaused(true, .user, at: 0)
    _ = actions(&plan, at: 0)
    plan.didLoad()

    #expect(actions(&plan, at: 1) == [.show(0), .load(1)])
  }

  // MARK: Steps

  @Test func nextStepShowsTheReadySlideAtOnceAlsoWhilePaused() {
    var plan = runningPlan(count: 3)
    plan.setPaused(true, .user, at: 1)

    plan.showNext()

    #expect(actions(&plan, at: 2) == [.show(1), .load(2)])
  }

  @Test func nextStepWaitsForTheSlideThatIsLoading() {
    var plan = plan(count: 3)
    _ = actions(&plan, at: 0)
    plan.didLoad()
    _ = actions(&plan, at: 0)

    plan.showNext()
    #expect(actions(&plan, at: 1).isEmpty)
    plan.didLoad()

    #expect(actions(&plan, at: 2) == [.show(1), .load(2)])
  }

  @Test func previousStepReplacesThePreparedSlide() {
    var plan = runningPlan(count: 3)

    plan.showPrevious(at: 1)
    #expect(actions(&plan, at: 1) == [.load(2)])
    plan.didLoad()

    #expect(actions(&plan, at: 2) == [.show(2), .load(0)])
  }

  @Test func nextStepAfterAPreviousOneTurnsBack() {
    var plan = runningPlan(count: 3)

    plan.showPrevious(at: 1)
    _ = actions(&plan, at: 1)
    plan.showNext()
    #expect(actions(&plan, at: 1) == [.load(1)])
    plan.didLoad()

    #expect(actions(&plan, at: 2) == [.show(1), .load(2)])
  }

  @Test func failedPreviousStepShowsNothingElse() {
    var plan = runningPlan(count: 3)

    plan.showPrevious(at: 1)
    _ = actions(&plan, at: 1)
    plan.didFail(at: 2)

    #expect(actions(&plan, at: 2) == [.load(1)])
    plan.didLoad()
    #expect(actions(&plan, at: 3).isEmpty)
    #expect(plan.deadline == 11)
  }

  // MARK: Other slides

  @Test func shownAndPreparedSlidesStayWhenTheListChanges() {
    var plan = runningPlan(count: 3)

    plan.apply(changes("abc", "xabc")) { _ in 1 }

    #expect(plan.shown == 1)
    #expect(plan.deadline == 11)
    #expect(actions(&plan, at: 5).isEmpty)
    #expect(actions(&plan, at: 11) == [.show(2), .load(3)])
  }

  @Test func removedSlideIsShownUntilTheNextChange() {
    var plan = runningPlan(count: 3)

    plan.apply(changes("abc", "bc")) { _ in 1 }

    #expect(plan.shown == nil)
    #expect(plan.showsSlide)
    #expect(plan.deadline == 11)
    #expect(actions(&plan, at: 11) == [.show(0), .load(1)])
  }

  @Test func removedPreparedSlideIsReplaced() {
    var plan = runningPlan(count: 3)

    plan.apply(changes("abc", "ac")) { _ in 1 }

    #expect(actions(&plan, at: 5) == [.load(1)])
  }

  @Test func listWithoutSlidesShowsNone() {
    var plan = runningPlan(count: 2)

    plan.apply(changes("ab", "")) { _ in 1 }

    #expect(actions(&plan, at: 5) == [.clear, .drop])
    #expect(!plan.showsSlide)
    #expect(plan.deadline == nil)
  }

  @Test func preparedSlideIsLoadedAgainForAnotherSize() {
    var plan = runningPlan(count: 3)

    plan.prepareAgain()

    #expect(actions(&plan, at: 1) == [.load(1)])
  }
}
