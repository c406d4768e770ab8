import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineImageWidgets

/// Random input for the decisions of a slideshow: loads that succeed and fail, steps, pauses, and lists that change.
@Suite("Slideshow plan: random input")
struct SlideshowPlanStormTests {
  /// The caller of a plan, which holds the slide that is loading or ready.
  private struct Caller {
    var plan = SlideshowPlan()
    var slides: [Int]
    var now = 0.0
    var loading: Int?
    var ready: Int?
    /// The slides that cannot be loaded.
    var broken: Set<Int> = []
    var shownCount = 0
    /// True if the shown slide is loaded again, and none is shown meanwhile.
    var isReloading = false

    init(_ slides: [Int], _ order: SlideOrder) {
      self.slides = slides
      plan.secondsPerImage = 3
      plan.transitionSeconds = 1
      plan.setSequence(order.sequence(count: slides.count) { _ in 1 }, count: slides.count)
    }

    mutating func perform() {
      var actions = 0
      while let action = plan.nextAction(at: now) {
        actions += 1
        guard actions < 20 else {
          Issue.record("endless actions")
          return
        }
        switch action {
        case .load(let index):
          #expect(slides.indices.contains(index))
          (loading, ready) = (slides[index], nil)
        case .drop: (loading, ready) = (nil, nil)
        case .show(let index):
          #expect(ready == slides[index], "only a slide that is ready is shown")
          ready = nil
          shownCount += 1
        case .clear:
          #expect(slides.isEmpty || isReloading, "the screen is never empty while there are slides")
          isReloading = false
        }
      }
      #expect(plan.deadline.map { $0 > now } ?? true, "nothing is due any more")
      if let shown = plan.shown { #expect(slides.indices.contains(shown)) }
    }

    /// Ends the load in progress.
    mutating func endLoad() {
      guard let slide = loading, let index = plan.loading, slides[index] == slide else { return }
      loading = nil
      if broken.contains(slide) {
        plan.didFail(at: now)
      } else {
        ready = slide
        plan.didLoad()
      }
    }

    mutating func reload() {
      if plan.showsSlide { isReloading = true }
      plan.reload(at: now)
    }

    mutating func setSlides(_ new: [Int]) {
      plan.apply(ListChanges(from: slides, to: new)) { _ in 1 }
      slides = new
    }
  }

  private nonisolated static let orders: [SlideOrder] = [
    .list, .shuffled(seed: 3), .weighted(seed: 3),
  ]

  @Test(arguments: 0..<30)
  func slidesAreShownWhenTheyAreReadyAndNeverNone(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    var caller = Caller(Array(0..<random.next(7)), Self.orders[seed % 3])
    var next = 100

    for _ in 0..<1000 {
      caller.now += Double(random.next(200)) / 100
      switch random.next(16) {
      case 0..<5: caller.endLoad()
      case 5: caller.plan.showNext()
      case 6: caller.plan.showPrevious(at: caller.now)
      case 7, 8:
        let reasons: [SlideshowPlan.Pause] = [.user, .touch, .offScreen]
        caller.plan.setPaused(random.next(3) == 0, reasons[random.next(3)], at: caller.now)
      case 9: caller.broken.formSymmetricDifference([caller.slides.first ?? 0])
      case 10: caller.broken = random.next(3) == 0 ? Set(caller.slides) : []
      case 11: caller.plan.prepareAgain()
      case 12: caller.plan.retryFailures(at: caller.now)
      case 13:
        var slides = caller.slides
        if random.next(8) == 0 { slides = [] }
        if random.next(2) == 0, !slides.isEmpty { slides.remove(at: random.next(slides.count)) }
        if random.next(2) == 0 {
          slides.insert(next, at: random.next(slides.count + 1))
          next += 1
        }
        if random.next(4) == 0 { slides.reverse() }
        caller.setSlides(slides)
      case 14: caller.reload()
      default: break
      }
      caller.perform()
    }

    // With usable slides, the slideshow goes on.
    caller.broken = []
    caller.setSlides([1, 2, 3])
    for reason: SlideshowPlan.Pause in [.user, .touch, .offScreen] {
      caller.plan.setPaused(false, reason, at: caller.now)
    }
    caller.plan.retryFailures(at: caller.now)
    let shown = caller.shownCount
    for _ in 0..<40 {
      caller.perform()
      caller.endLoad()
      caller.now += 1
    }
    #expect(caller.plan.showsSlide && caller.shownCount >= shown + 9)
  }

  @Test(arguments: orders)
  func tenThousandSlidesThatAllFailAreTriedFourTimesASecond(order: SlideOrder) {
    var caller = Caller(Array(0..<10_000), order)
    caller.broken = Set(caller.slides)
    var loads = 0
    while caller.now < 60 {
      caller.perform()
      if caller.loading != nil { loads += 1 }
      caller.endLoad()
      caller.perform()
      caller.now = caller.plan.deadline ?? caller.now + 0.01
    }
    #expect((200...260).contains(loads))
    #expect(!caller.plan.showsSlide)
  }
}
