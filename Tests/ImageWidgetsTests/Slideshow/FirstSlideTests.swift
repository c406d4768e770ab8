import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// The first slide of a slideshow, if its image needs a backdrop.
@Suite(.timeLimit(.minutes(5)))
struct FirstSlideTests {
  private let bench = SlideshowBench()
  private var view: SlideshowView { bench.view }
  private var window: Window { bench.window }

  /// The frame of the portrait in the view of 400x300 points.
  private let portraitFrame = Rect(x: 125, y: 0, width: 150, height: 300)

  /// Begins a slideshow of portraits. `onShow` is called when the first slide is shown, before its backdrop can be there.
  private func begin(onShow: @escaping () -> Void = {}) async throws {
    bench.transport.respondToAll { $0.respond(with: SlideshowBench.portrait) }
    let record = view.onShow
    view.onShow = { [bench] slide, index in
      record?(slide, index)
      if bench.shown.count == 1 { onShow() }
    }
    view.setSlides(SlideshowBench.slides(1))
    window.addSubview(view)
    // The load has been announced.
    _ = window.takeNewLoads()
    try await until { !bench.shown.isEmpty && !view.isPreparing }
  }

  @Test func imageIsShownWholeBeforeItsBackdropIsThere() async throws {
    view.motion = .kenBurns
    var images: [DrawList.ImageCommand] = []
    var frame: Rect?
    var isLoaded = true
    try await begin {
      images = bench.images
      frame = view.shownImageFrame
      isLoaded = window.isLoaded
    }

    #expect(images.map(\.destination) == [portraitFrame] && frame == portraitFrame)
    #expect(images.allSatisfy { !$0.isMoving })
    #expect(!isLoaded)
    let composed = try #require(bench.images.first)
    #expect(bench.images.count == 1)
    #expect((composed.image.pixelWidth, composed.image.pixelHeight) == (400, 300))
    #expect(composed.destination == window.bounds)
    #expect(window.isLoaded && view.shownImageFrame == portraitFrame)
    #expect(bench.shown == [0] && bench.failures.isEmpty)
    #expect(bench.slots.downloader.ledger.usage.decoding == 0)
  }

  @Test func windowIsToldOfTheBackdrop() async throws {
    var announcements: [Bool] = []
    try await begin { announcements.append(window.takeNewLoads()) }

    #expect(announcements == [true])
    #expect(!window.takeNewLoads())
  }

  @Test func waitForStoredImagesIncludesTheBackdrop() async throws {
    var isComplete: Bool?
    try await begin {
      bench.slots.downloader.waitForStoredImages(upTo: 60)
      // The composition has been posted to the same queue.
      MainActorQueue.main.post { isComplete = !view.isPreparing && window.isLoaded }
    }
    try await until { isComplete != nil }

    #expect(isComplete == true)
  }

  /// A window in real time: the first slide appears without a transition.
  @Test func backdropThatIsLateFadesIn() async throws {
    window.isInRealTime = true
    view.transition = .crossDissolve(1)
    try await begin { #expect(bench.images.count == 1) }

    #expect(view.isChanging && bench.shown == [0])
    bench.slots.run(until: window.now + 0.15)
    let images = bench.images
    #expect(images.map(\.destination) == [portraitFrame, window.bounds])
    #expect(images.last.map { 0 < $0.opacity && $0.opacity < 1 } == true)
    bench.slots.run(until: window.now + 0.4)

    #expect(!view.isChanging && bench.images.count == 1)
  }

  @Test func backdropThatIsThereBeforeTheFirstFrameDoesNotFadeIn() async throws {
    window.isInRealTime = true
    view.transition = .crossDissolve(1)

    try await begin()

    #expect(!view.isChanging)
    #expect(bench.images.map(\.destination) == [window.bounds])
  }

  @Test func backdropJoinsTheTransitionToItsSlide() async throws {
    view.transition = .crossDissolve(1)
    try await begin { bench.draw() }
    #expect(view.isChanging)
    bench.slots.run(until: 0.5)

    #expect(bench.images.map(\.destination) == [window.bounds])
    bench.slots.run(until: 1.5)
    #expect(!view.isChanging)
  }

  @Test func otherSizeReplacesABackdropThatIsBeingDrawn() async throws {
    try await begin { view.frame = Rect(x: 0, y: 0, width: 200, height: 150) }

    let image = try #require(bench.images.first?.image)
    #expect((image.pixelWidth, image.pixelHeight) == (200, 150))
    #expect(window.isLoaded && bench.shown == [0])
  }

  @Test func imageStaysIfItCannotBeLoadedForAnotherSize() async throws {
    try await begin {
      bench.transport.respondToAll { $0.fail(.status(404)) }
      _ = bench.slots.cache.removeAllImages()
      view.frame = Rect(x: 0, y: 0, width: 200, height: 150)
    }

    #expect(bench.images.count == 1 && bench.shown == [0])
    #expect(window.isLoaded)
  }

  @Test func slidesThatAreRemovedLeaveNoLoad() async throws {
    try await begin { view.setSlides(Slides([])) }

    #expect(bench.images.isEmpty && view.shownSlide == nil)
    #expect(window.isLoaded && !view.isPreparing)
  }

  @Test func laterSlideIsShownOnceItHasItsBackdrop() async throws {
    bench.transport.respondToAll {
      $0.respond(
        with: $0.request.url.path == "/1" ? SlideshowBench.portrait : SlideshowBench.photo)
    }
    var shownSizes: [Int] = []
    let record = view.onShow
    view.onShow = { [bench] slide, index in
      record?(slide, index)
      shownSizes.append(bench.images.first?.image.pixelWidth ?? 0)
    }
    view.setSlides(SlideshowBench.slides(2))
    window.addSubview(view)
    try await until { !bench.shown.isEmpty && !view.isPreparing }
    bench.draw()

    try await bench.run(until: 10.1)

    #expect(bench.shown == [0, 1])
    #expect(shownSizes == [400, 400])
    #expect(bench.images.map(\.destination) == [window.bounds])
  }
}
