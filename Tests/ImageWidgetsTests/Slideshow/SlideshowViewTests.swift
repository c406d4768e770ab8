import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
@testable import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// A slideshow in a window, with a manual clock.
@Suite(.timeLimit(.minutes(5)))
struct SlideshowViewTests {
  private let bench = SlideshowBench()
  private var view: SlideshowView { bench.view }
  private var window: Window { bench.window }

  @Test func slidesFollowEachOtherWithoutAnEmptyFrame() async throws {
    try await bench.begin(SlideshowBench.slides(3))
    #expect(bench.images.count == 1)

    for end in [9.9, 10.1, 20.2, 30.3] {
      try await bench.run(until: end)
      #expect(bench.images.count == 1)
    }

    #expect(bench.shown == [0, 1, 2, 0])
    #expect(view.shownSlide?.title == "Slide 0")
  }

  @Test func nextSlideIsUploadedBeforeItIsShown() async throws {
    var uploaded: [DrawList.ImageCommand] = []
    window.prepareImage = { uploaded.append($0) }
    try await bench.begin(SlideshowBench.slides(3))
    #expect(bench.shown == [0])
    let next = try #require(uploaded.last, "the slide after the first one")
    #expect(uploaded.count == 1)
    #expect(bench.images.map(\.image) != [next.image])

    try await bench.run(until: 12)

    #expect(bench.shown == [0, 1])
    #expect(bench.images.map(\.image) == [next.image])
    #expect(bench.images.map(\.destination) == [next.destination])
  }

  @Test func nextSlideIsUploadedAfterTheTransitionAndAgainForAnotherSize() async throws {
    view.transition = .crossDissolve(1)
    var uploaded: [DrawList.ImageCommand] = []
    try await bench.begin(SlideshowBench.slides(3))
    try await bench.run(until: 10.9)
    window.prepareImage = { uploaded.append($0) }
    try await bench.run(until: 11.5)
    try await until { !view.isPreparing }
    #expect(view.isChanging && uploaded.isEmpty, "frames of a transition are not delayed")

    try await bench.run(until: 12.5)
    #expect(!view.isChanging && uploaded.map(\.destination) == [window.bounds])
    let larger = Rect(x: 0, y: 0, width: window.bounds.width, height: window.bounds.height * 0.9)
    view.frame = larger
    try await bench.run(until: 12.6)
    #expect(uploaded.count == 1, "the size may change with each frame")
    try await bench.run(until: 13)
    #expect(uploaded.map(\.destination) == [window.bounds, larger])
  }

  @Test func nextSlideOfAHiddenViewIsUploadedWhenTheViewIsDrawn() async throws {
    var uploaded: [DrawList.ImageCommand] = []
    try await bench.begin(SlideshowBench.slides(3))
    window.prepareImage = { uploaded.append($0) }
    view.isHidden = true
    view.frame.size.height *= 0.9
    try await bench.run(until: 2)
    #expect(uploaded.isEmpty)

    view.isHidden = false
    bench.draw()
    try await bench.run(until: 3)
    #expect(uploaded.count == 1)
  }

  @Test func imageThatFillsTheViewHasItsFrame() async throws {
    #expect(view.shownImageFrame == nil)
    try await bench.begin(SlideshowBench.slides(1))

    #expect(view.shownImageFrame == view.bounds)
  }

  @Test func stillSlideRequestsNoFrames() async throws {
    try await bench.begin(SlideshowBench.slides(3))

    #expect(window.nextDeadline == 10)
    #expect(window.isIdle)
    window.update(at: 5)
    #expect(!window.isDirty)
    view.isPaused = true

    #expect(window.nextDeadline == nil)
  }

  @Test func singleSlideIsLoadedOnceAndStays() async throws {
    try await bench.begin(SlideshowBench.slides(1))

    #expect(window.nextDeadline == nil)
    try await bench.run(until: 100)

    #expect(bench.shown == [0])
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func placeholderIsShownWithoutSlides() {
    let placeholder = Image.solid(width: 40, height: 40)
    view.placeholder = placeholder
    view.setSlides(Slides([]))
    window.addSubview(view)
    bench.draw()

    #expect(bench.images.map(\.image) == [placeholder])
    #expect(!view.isLoading)
    #expect(window.nextDeadline == nil)
  }

  @Test func dissolveShowsBothSlidesAndThenReleasesTheOldOne() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(2))
    try await bench.run(until: 10.9)
    let first = try #require(bench.images.first?.image)

    try await bench.run(until: 11.5)
    #expect(view.isChanging)
    #expect(!window.isIdle)
    #expect(bench.images.count == 2)
    #expect(bench.images.first?.image == first)
    try await bench.run(until: 12.2)

    #expect(!view.isChanging)
    #expect(bench.images.count == 1)
    #expect(bench.images.first?.image != first)
  }

  @Test func slideIsReportedInTheMiddleOfItsTransition() async throws {
    view.transition = .crossDissolve(1)
    var titles: [String?] = []
    let record = view.onShow
    view.onShow = { [unowned view = view] slide, index in
      record?(slide, index)
      titles.append(view.shownTitle)
    }
    try await bench.begin(SlideshowBench.slides(3))
    #expect(bench.shown == [0], "nothing precedes the first slide")

    try await bench.run(until: 11.4)
    #expect(view.isChanging)
    #expect(bench.shown == [0])
    #expect(view.shownIndex == 0 && view.shownTitle == "Slide 0")
    bench.slots.run(until: 11.7)

    #expect(view.isChanging)
    #expect(bench.shown == [0, 1])
    #expect(view.shownIndex == 1 && titles == ["Slide 0", "Slide 1"])
    try await bench.run(until: 13)
    #expect(bench.shown == [0, 1])
  }

  @Test func slideThatIsReplacedBeforeTheMiddleIsNotReported() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(3))
    try await bench.run(until: 11.2)

    try await until { !view.isPreparing }
    view.showNext()
    bench.slots.run(until: 11.3)
    #expect(view.shownIndex == 0)
    bench.slots.run(until: 13)

    #expect(bench.shown == [0, 2])
  }

  @Test func hiddenViewReportsTheSlideOfItsTransition() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(2))
    try await bench.run(until: 11.2)
    #expect(bench.shown == [0])

    view.removeFromSuperview()

    #expect(bench.shown == [0, 1])
    #expect(view.shownIndex == 1)
  }

  @Test func listThatChangesBeforeTheMiddleKeepsTheIndices() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(2))
    try await bench.run(until: 11.2)

    view.setSlides(Slides([Slide("http://a.test/9"), Slide("http://a.test/0"), Slide("http://a.test/1")]))
    #expect(view.shownIndex == 1)
    bench.slots.run(until: 12)
    #expect(view.shownIndex == 2)
    #expect(bench.shown == [0, 2])
  }

  @Test func slideThatLeavesTheListBeforeTheMiddleIsShownWithoutAnIndex() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(2))
    try await bench.run(until: 11.2)

    view.setSlides(Slides([Slide("http://a.test/0"), Slide("http://a.test/9")]))

    #expect(view.shownIndex == nil)
    #expect(view.shownTitle == "Slide 1")
    bench.slots.run(until: 12)
    #expect(bench.shown == [0])
  }

  @Test func threeImagesAreHeldAtMost() async throws {
    weak var first: Image?
    try await bench.begin(SlideshowBench.slides(9))
    first = bench.images.first?.image
    #expect(first != nil)

    try await bench.run(until: 10.1)
    bench.draw()
    _ = bench.slots.cache.removeAllImages()
    try await until { first == nil && !view.isPreparing }

    #expect(bench.transport.transfers.count == 3)
  }

  // MARK: Motion

  @Test func movingSlideIsDrawnInEachFrame() async throws {
    view.motion = .kenBurns
    try await bench.begin(SlideshowBench.slides(2))
    let start = try #require(bench.images.first)

    window.update(at: window.now + window.frameInterval)
    let isDirty = window.isDirty
    let next = try #require(bench.images.first)

    #expect(isDirty)
    #expect(start.isMoving)
    #expect(start.destination == window.bounds)
    #expect(start.source != next.source)
    #expect(window.isIdle == false, "the frame is to be drawn")
    bench.draw()
    #expect(window.isIdle, "endless motion does not keep a screenshot waiting")
  }

  @Test func pausedSlideDoesNotMove() async throws {
    view.motion = .kenBurns
    try await bench.begin(SlideshowBench.slides(2))
    try await bench.run(until: 2)

    view.isPaused = true
    let source = bench.images.first?.source
    bench.slots.run(until: 3)
    bench.draw()
    bench.slots.run(until: 4)

    #expect(bench.images.first?.source == source)
    #expect(window.nextDeadline == nil)
  }

  @Test func motionEndsIfTheNextSlideIsLate() async throws {
    view.motion = .kenBurns
    bench.respond(failing: ["/1"])
    view.setSlides(SlideshowBench.slides(2))
    window.addSubview(view)
    try await until { bench.failures.count == 1 }
    view.downloader?.isSuspended = true

    bench.slots.run(until: 20)
    bench.draw()

    #expect(window.nextDeadline == nil)
    #expect(bench.images.count == 1)
  }

  @Test func viewThatIsNotOnTheScreenStopsAndGoesOnWhenItIsDrawn() async throws {
    view.motion = .kenBurns
    try await bench.begin(SlideshowBench.slides(2))

    view.isHidden = true
    bench.slots.run(until: 1)
    bench.draw()
    #expect(window.nextDeadline == nil)
    bench.slots.run(until: 60)
    #expect(bench.shown == [0])
    view.isHidden = false
    bench.draw()
    bench.slots.run(until: 60.5)
    #expect(bench.shown == [0], "the time stood still")
    bench.slots.run(until: 71)

    #expect(bench.shown == [0, 1])
  }

  @Test func windowThatIsNotVisibleStopsTheSlideshow() async throws {
    try await bench.begin(SlideshowBench.slides(2))

    window.isVisible = false
    bench.slots.run(until: 30)

    #expect(bench.shown == [0])
    #expect(window.nextDeadline == nil)
  }

  // MARK: Failures

  @Test func failedSlideIsSkippedAndReported() async throws {
    bench.respond(failing: ["/0"])
    view.setSlides(SlideshowBench.slides(3))
    window.addSubview(view)
    try await until { !bench.shown.isEmpty && !view.isPreparing }

    #expect(bench.shown == [1])
    #expect(bench.failures == [.status(404)])
  }

  @Test func slideWithoutAURLIsAFailure() async throws {
    bench.respond()
    view.setSlides(Slides([Slide("no URL"), Slide("http://a.test/1")]))
    window.addSubview(view)
    try await until { !bench.shown.isEmpty }

    #expect(bench.shown == [1])
    #expect(bench.failures == [.invalidURL("no URL")])
  }

  @Test func slideshowWithoutAUsableImageShowsThePlaceholderAndTriesAgain() async throws {
    let placeholder = Image.solid(width: 40, height: 40)
    view.placeholder = placeholder
    bench.respond(failing: ["/0", "/1"])
    view.setSlides(SlideshowBench.slides(2))
    window.addSubview(view)
    try await until { bench.failures.count == 2 }
    bench.draw()
    #expect(bench.images.map(\.image) == [placeholder])
    #expect(window.isLoaded)
    #expect(window.nextDeadline == 5)

    bench.respond()
    bench.slots.run(until: 5.1)
    try await until { !bench.shown.isEmpty }

    #expect(bench.shown == [0])
  }

  @Test func failedSlidesAreLoadedAgainAtOnceWhenTheNetworkReturns() async throws {
    bench.slots.downloader.isOffline = true
    bench.respond()
    view.setSlides(SlideshowBench.slides(2))
    window.addSubview(view)
    try await until { bench.failures.count == 2 }
    #expect(bench.failures == [.offline, .offline] && bench.shown.isEmpty)

    bench.slots.downloader.isOffline = false
    try await until { !bench.shown.isEmpty }

    #expect(bench.shown == [0])
    #expect(window.now < 5, "without waiting for the next attempt")
  }

  // MARK: Other slides

  @Test func shownImageStaysWhenTheSlidesAreReplaced() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    let image = bench.images.first?.image

    view.setSlides(Slides([Slide("http://a.test/9", title: "New")]))
    bench.draw()
    #expect(bench.images.map(\.image) == [image])
    #expect(view.shownIndex == nil)
    #expect(view.shownSlide?.title == "Slide 0")
    try await bench.run(until: 10.1)

    #expect(view.shownSlide?.title == "New")
    #expect(bench.images.count == 1)
  }

  @Test func newTitleOfTheShownSlideIsTakenOver() async throws {
    try await bench.begin(SlideshowBench.slides(2))

    view.setSlides(
      Slides([Slide("http://a.test/1"), Slide("http://a.test/0", title: "Other")]),
      changes: ListChanges(from: ["0", "1"], to: ["1", "0"]))

    #expect(view.shownIndex == 1)
    #expect(view.accessibilityLabel == "Other")
  }

  /// Gives each image a title, as a decoder does that finds one.
  private nonisolated struct Titling: ImageTransform {
    let identifier = "title"

    func apply(to image: Image) -> Image {
      Image(
        image.bitmap, sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight,
        metadata: ImageMetadata(title: "Lighthouse"))
    }
  }

  @Test(arguments: [
    (nil, false, "Lighthouse"), ("IMG 1234", true, "Lighthouse"), ("Our tower", false, "Our tower"),
  ])
  func titleInTheImageStandsInForAMissingTitle(title: String?, isFileName: Bool, expected: String)
    async throws
  {
    var request = try "http://a.test/0".asImageRequest()
    request.transforms = [Titling()]
    var slide = Slide(request, title: title)
    slide.isTitleFileName = isFileName

    try await bench.begin(Slides([slide]))

    #expect(view.shownTitle == expected)
    #expect(view.accessibilityLabel == expected)
    #expect(view.shownMetadata == ImageMetadata(title: "Lighthouse"))
  }

  /// The slides of a long feed are parsed when they are read.
  @Test func fewOfManySlidesAreRead() async throws {
    let reads = Reads()
    let slides = Slides(count: 10_000) { index in
      reads.count.add(1, ordering: .relaxed)
      return Slide("http://a.test/\(index)")
    }

    try await bench.begin(slides)
    try await bench.run(until: 10.1)

    #expect(bench.shown == [0, 1])
    #expect(reads.count.load(ordering: .relaxed) < 20)
  }

  private final class Reads: Sendable {
    let count = Atomic(0)
  }

  @Test func reloadRequestsTheShownSlideAgain() async throws {
    let placeholder = Image.solid(width: 40, height: 40)
    view.placeholder = placeholder
    try await bench.begin(SlideshowBench.slides(2))
    let count = bench.transport.transfers.count
    _ = bench.slots.cache.removeAllImages()

    view.reload()
    bench.draw()
    #expect(bench.images.map(\.image) == [placeholder])
    #expect(view.isLoading && view.shownSlide == nil)
    try await until { bench.shown == [0, 0] && !view.isPreparing }
    bench.draw()

    #expect(!view.isLoading)
    #expect(view.shownSlide?.title == "Slide 0")
    #expect(bench.images.count == 1 && bench.images.first?.image != placeholder)
    let requested = bench.transport.transfers.dropFirst(count).map(\.request.url.path)
    #expect(requested == ["/0", "/1"])
  }

  @Test func reloadThatFailsShowsTheNextSlide() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    bench.respond(failing: ["/0"])
    _ = bench.slots.cache.removeAllImages()

    view.reload()
    try await until { bench.shown.count == 2 }

    #expect(bench.shown == [0, 1])
    #expect(bench.failures == [.status(404)])
  }

  // MARK: Size

  @Test func imageOfAnotherShapeIsShownWholeOverABackdrop() async throws {
    bench.transport.respondToAll { $0.respond(with: SlideshowBench.portrait) }
    view.motion = .kenBurns
    view.setSlides(SlideshowBench.slides(1))
    window.addSubview(view)
    try await until { !bench.shown.isEmpty && !view.isPreparing }

    let command = try #require(bench.images.first)
    let image = command.image.bitmap
    #expect((image.width, image.height) == (400, 300))
    #expect(!command.isMoving)
    #expect(image.color(x: 200, y: 150) == Color(hex: 0xFF0000))
    #expect(image.color(x: 20, y: 150).red < 128)
    #expect(view.shownImageFrame == Rect(x: 125, y: 0, width: 150, height: 300))
    #expect(bench.slots.downloader.ledger.usage.decoding == 0)
  }

  @Test func panoramaIsDecodedNoLargerThanTheView() async throws {
    let panorama = FakeDecoder.encodedImage(width: 16_000, height: 1000)
    bench.transport.respondToAll { $0.respond(with: panorama) }
    var widths: [Int] = []
    view.onShow = { [bench] _, _ in widths += bench.images.map(\.image.pixelWidth) }
    view.setSlides(SlideshowBench.slides(1))
    window.addSubview(view)
    try await until { !widths.isEmpty && !view.isPreparing }

    // The image without its backdrop.
    #expect(widths == [400])
    #expect(view.shownImageFrame == Rect(x: 0, y: 137.5, width: 400, height: 25))
  }

  @Test func largerViewLoadsTheShownSlideAgain() async throws {
    view.frame = Rect(x: 0, y: 0, width: 100, height: 75)
    try await bench.begin(SlideshowBench.slides(1))
    #expect(bench.images.first?.image.pixelWidth == 100)

    view.frame = window.bounds
    #expect(bench.images.count == 1)
    try await until { bench.images.first?.image.pixelWidth == 400 }

    #expect(bench.shown == [0])
    #expect(!view.isChanging)
  }

  @Test func resizeAndOtherSlidesInTheMiddleOfATransitionLeaveNoEmptyFrame() async throws {
    view.transition = .crossDissolve(1)
    try await bench.begin(SlideshowBench.slides(3))
    try await bench.run(until: 10.9)
    try await bench.run(until: 11.5)
    #expect(view.isChanging)

    view.frame = Rect(x: 0, y: 0, width: 150, height: 300)
    bench.draw()
    #expect(bench.images.count == 2)
    view.setSlides(Slides([Slide("http://a.test/9")]))
    bench.draw()
    #expect(bench.images.count == 2)
    try await bench.run(until: 12.5)
    #expect(!view.isChanging && bench.images.count == 1)
    view.setSlides(Slides([]))
    try await bench.run(until: 15)

    #expect(bench.images.isEmpty && view.shownSlide == nil)
    #expect(!view.isPreparing)
    bench.draw()
    #expect(window.nextDeadline == nil)
  }

  @Test func imagesAreDecodedForTheScaleOfTheWindow() async throws {
    window.scale = 2
    try await bench.begin(SlideshowBench.slides(1))

    #expect(bench.images.first?.image.pixelWidth == 800)
  }

  // MARK: Input

  @Test func fingerPausesAndTapTogglesThePause() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    var pauses: [Bool] = []
    view.onPause = { pauses.append($0) }

    window.handle(.touch(id: 0, phase: .began, location: Point(x: 100, y: 100)))
    #expect(window.nextDeadline == nil)
    bench.slots.run(until: 20)
    window.handle(.touch(id: 0, phase: .ended, location: Point(x: 100, y: 100)))
    #expect(!view.isPaused, "a finger that rested is no tap")
    #expect(bench.shown == [0])
    for phase in [TouchPhase.began, .ended, .began, .ended] {
      window.handle(.touch(id: 0, phase: phase, location: Point(x: 100, y: 100)))
    }

    #expect(pauses == [true, false])
  }

  @Test func handlerOfATapReplacesThePause() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    var taps = 0
    view.onTap = { taps += 1 }

    for phase in [TouchPhase.began, .ended] {
      window.handle(.touch(id: 0, phase: phase, location: Point(x: 100, y: 100)))
    }

    #expect(taps == 1)
    #expect(!view.isPaused)
  }

  @Test func flicksAndKeysShowTheNextAndThePreviousSlide() async throws {
    try await bench.begin(SlideshowBench.slides(5))
    func step(_ input: () -> Void) async throws {
      let count = bench.shown.count
      input()
      try await until { bench.shown.count > count && !view.isPreparing }
    }
    func flick(from start: Double, to end: Double) {
      window.handle(.touch(id: 0, phase: .began, location: Point(x: start, y: 100)))
      window.handle(.touch(id: 0, phase: .moved, location: Point(x: end, y: 110)))
      window.handle(.touch(id: 0, phase: .ended, location: Point(x: end, y: 110)))
    }
    func key(_ key: Key) { window.handle(.keyDown(key, modifiers: [])) }

    try await step { key(.right) }
    try await step { flick(from: 300, to: 100) }
    try await step { key(.pageDown) }
    try await step { flick(from: 100, to: 300) }
    try await step { key(.left) }
    try await step { key(.pageUp) }
    key(.space)

    #expect(bench.shown == [0, 1, 2, 3, 2, 1, 0])
    #expect(view.isPaused)
    key(.enter)
    #expect(!view.isPaused)
  }

  @Test func secondFingerDoesNotDisturbTheFirst() async throws {
    try await bench.begin(SlideshowBench.slides(3))
    func touch(_ finger: Int64, _ phase: TouchPhase) {
      window.handle(.touch(id: finger, phase: phase, location: Point(x: 100 + 50 * Double(finger), y: 100)))
    }

    for finger: Int64 in 0..<3 { touch(finger, .began) }
    touch(1, .ended)
    touch(2, .cancelled)
    #expect(window.nextDeadline == nil, "the first finger still pauses")
    bench.slots.run(until: 20)
    touch(0, .ended)

    #expect(!view.isPaused)
    #expect(window.nextDeadline != nil)
    #expect(bench.shown == [0])
  }

  @Test func pinchIsNeitherATapNorAFlick() async throws {
    try await bench.begin(SlideshowBench.slides(3))
    func touch(_ finger: Int64, _ phase: TouchPhase, x: Double) {
      window.handle(.touch(id: finger, phase: phase, location: Point(x: x, y: 100)))
    }

    touch(0, .began, x: 150)
    touch(1, .began, x: 250)
    touch(0, .moved, x: 50)
    touch(1, .moved, x: 350)
    touch(1, .ended, x: 350)
    touch(0, .ended, x: 50)
    #expect(bench.shown == [0] && !view.isPaused)
    #expect(window.nextDeadline != nil)
    // A finger that comes later, while one of the pinch is still down.
    touch(0, .began, x: 150)
    touch(1, .began, x: 160)
    touch(0, .ended, x: 150)
    #expect(window.nextDeadline == nil, "the other finger pauses")
    touch(2, .began, x: 150)
    touch(2, .ended, x: 150)
    touch(1, .ended, x: 160)
    #expect(bench.shown == [0] && !view.isPaused)
    #expect(window.nextDeadline != nil)

    touch(0, .began, x: 150)
    touch(0, .ended, x: 150)
    #expect(view.isPaused, "a single finger taps again")
  }

  @Test func wheelOfEitherDirectionShowsOneSlidePerStep() async throws {
    try await bench.begin(SlideshowBench.slides(5))
    func wheel(x: Double = 0, y: Double = 0, _ modifiers: KeyModifiers = []) {
      window.handle(.wheel(location: Point(x: 100, y: 100), deltaX: x, deltaY: y, modifiers: modifiers))
    }
    func step(at time: Double, _ input: () -> Void) async throws {
      bench.slots.run(until: time)
      let count = bench.shown.count
      input()
      try await until { bench.shown.count > count && !view.isPreparing }
    }

    try await step(at: 1) { wheel(y: -1) }
    try await step(at: 2) { wheel(y: -1, .shift) }
    try await step(at: 3) { wheel(x: -1) }
    try await step(at: 4) { wheel(y: 3) }
    wheel(y: -1)
    bench.slots.run(until: 5)
    wheel(y: -1, .control)
    #expect(bench.shown == [0, 1, 2, 3, 2])

    try await step(at: 6) { wheel(y: 1) }
    #expect(bench.shown == [0, 1, 2, 3, 2, 1])
  }

  @Test func verticalWheelScrollsTheViewAroundTheSlideshow() async throws {
    try await bench.begin(SlideshowBench.slides(3))
    let scrollView = ScrollView(frame: window.bounds)
    scrollView.contentSize = Size(width: window.bounds.width, height: 3 * window.bounds.height)
    window.addSubview(scrollView)
    scrollView.addSubview(view)
    bench.draw()
    try await until { !view.isPreparing }

    window.handle(.wheel(location: Point(x: 100, y: 100), deltaX: 0, deltaY: -1))
    bench.slots.run(until: 1)
    #expect(scrollView.contentOffset.y > 0)
    #expect(bench.shown == [0])
    window.handle(.wheel(location: Point(x: 100, y: 100), deltaX: -1, deltaY: 0))

    try await until { bench.shown == [0, 1] }
  }

  @Test func wheelOverASingleSlideIsPassedOn() async throws {
    try await bench.begin(SlideshowBench.slides(1))

    #expect(!view.wheel(at: .zero, deltaX: 0, deltaY: -1))
    #expect(!view.wheel(at: .zero, deltaX: -1, deltaY: 0))
    view.setSlides(SlideshowBench.slides(2))
    #expect(view.wheel(at: .zero, deltaX: 0, deltaY: -1))
    #expect(!view.wheel(at: .zero, deltaX: 0, deltaY: 0))
  }

  @Test func viewRemovedUnderAFingerGoesOnLater() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    window.handle(.touch(id: 0, phase: .began, location: Point(x: 100, y: 100)))
    view.removeFromSuperview()
    window.handle(.touch(id: 0, phase: .ended, location: Point(x: 100, y: 100)))

    window.addSubview(view)
    bench.draw()
    try await bench.run(until: 12)

    #expect(bench.shown == [0, 1])
  }

  @Test func cancelledTouchContinuesTheSlideshow() async throws {
    try await bench.begin(SlideshowBench.slides(2))

    window.handle(.touch(id: 0, phase: .began, location: Point(x: 100, y: 100)))
    window.handle(.touch(id: 0, phase: .cancelled, location: Point(x: 100, y: 100)))

    #expect(!view.isPaused)
    #expect(window.nextDeadline == 10)
  }

  @Test func keysAreLeftToOtherViewsIfAsked() async throws {
    try await bench.begin(SlideshowBench.slides(2))
    view.handlesUnclaimedKeys = false

    window.handle(.keyDown(.right, modifiers: []))

    #expect(bench.shown == [0])
  }

  @Test(arguments: [
    (0.0, 0.0, 0.1, SlideTouch.tap), (9, -9, 0.3, .tap), (0, 0, 1, .other), (-120, 20, 0.2, .flickLeft),
    (120, 20, 0.2, .flickRight), (120, 80, 0.2, .other), (-120, 0, 2, .other), (20, 0, 0.1, .other),
  ])
  func touchIsJudgedByDistanceAndDuration(x: Double, y: Double, seconds: Double, meaning: SlideTouch) {
    #expect(SlideTouch(distance: Point(x: x, y: y), seconds: seconds) == meaning)
  }

  // MARK: Accessibility

  @Test func accessibilityNamesTheSlideAndItsNumber() async throws {
    #expect(view.accessibilityRole == .image)
    #expect(view.accessibilityLabel == nil)
    #expect(view.accessibilityValue == nil)

    try await bench.begin(SlideshowBench.slides(12))
    view.showNext()
    view.showNext()
    view.isPaused = true

    #expect(view.accessibilityLabel == "Slide 1")
    #expect(view.accessibilityValue == "2 of 12, paused")
  }

  // MARK: Release

  @Test func releasedViewCancelsItsLoadAndIsNotCalledAgain() async throws {
    var other: SlideshowView? = SlideshowView(frame: window.bounds)
    other?.downloader = bench.slots.downloader
    other?.motion = .kenBurns
    other?.setSlides(SlideshowBench.slides(2))
    if let other { window.addSubview(other) }
    let transfer = try await bench.transport.transfer(1)

    other?.removeFromSuperview()
    weak let released = other
    other = nil

    try await until { transfer.isCancelled }
    #expect(released == nil)
    bench.slots.run(until: 20)
  }
}
