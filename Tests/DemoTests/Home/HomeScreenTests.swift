import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The home screen, in a window of the test.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HomeScreenTests {
  private let test = TestWindow(size: Size(width: 800, height: 480))

  private func makeScreen(_ count: Int, respond: @escaping @Sendable (FakeTransfer) -> Void) -> HomeScreen {
    let transport = FakeTransport()
    transport.respondToAll(respond)
    let items = Feed.Items(count: count) { Feed.Item(url: "http://a.test/\($0)", title: "Image \($0)") }
    let window = test.window
    let screen = HomeScreen(
      items: items, failure: nil, time: { ClockTime(hour: 10, minute: 9) },
      readCost: {
        ProcessCost(time: window.now, processorTime: window.now * 0.03, memoryBytes: 41 * 1_048_576)
      })
    screen.slideshow.downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    test.window.rootView = screen
    test.draw()
    return screen
  }

  @Test func stillMomentDrawsNoFrames() async throws {
    let screen = makeScreen(3) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until {
      screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing && test.window.isLoaded
    }
    test.advance(by: 2)
    #expect(test.texts.contains("3 % of a core  ·  41 MB"))
    #expect(test.texts.contains("Image 0") && test.texts.contains("10:09"))
    let frames = test.framesDrawn

    test.advance(by: 4)

    #expect(test.framesDrawn == frames)
    #expect(test.window.isIdle)
  }

  @Test func wholeScreenIsThePlaceOfASlideThatFillsIt() async throws {
    let screen = makeScreen(1) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil }
    var opened: [Int] = []
    screen.onOpen = { opened.append($0) }

    test.tap(at: Point(x: 400, y: 100))

    #expect(opened == [0])
    #expect(screen.tile(of: 0)?.frame == screen.frameInWindow)
    #expect(screen.tile(of: 0)?.isOverlaid == true, "caption and strip lie on it")
  }

  @Test func pinchOverTheImageDoesNothing() async throws {
    let screen = makeScreen(3) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }
    var opened: [Int] = []
    screen.onOpen = { opened.append($0) }

    for distance in [0.0, 150] {
      test.press(at: Point(x: 380, y: 100))
      test.press(at: Point(x: 420, y: 100), finger: 1)
      test.move(to: Point(x: 380 - distance, y: 100))
      test.move(to: Point(x: 420 + distance, y: 100), finger: 1)
      test.release()
      test.release(finger: 1)
    }
    test.advance(by: 1.1)

    #expect(opened.isEmpty)
    #expect(screen.slideshow.shownIndex == 0)
  }

  @Test func wheelTurnsTheImageAndMovesTheStrip() async throws {
    let screen = makeScreen(30) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }
    let start = screen.strip.contentOffset.x

    test.wheel(at: Point(x: 400, y: 440), steps: -1)
    test.advance(by: 1.1)
    #expect(screen.strip.contentOffset.x > start)
    #expect(screen.slideshow.shownIndex == 0)
    test.wheel(at: Point(x: 400, y: 100), steps: -1)
    test.advance(by: 1.1)

    #expect(screen.slideshow.shownIndex == 1)
  }

  @Test func reloadLoadsTheShownSlideAgain() async throws {
    let screen = makeScreen(3) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }
    screen.slideshow.downloader?.removeAllCachedImages()

    screen.reload()
    #expect(screen.slideshow.shownSlide == nil && screen.slideshow.isLoading)
    try await until { screen.slideshow.shownSlide != nil }

    #expect(screen.slideshow.shownIndex == 0)
    #expect(!screen.slideshow.isLoading)
  }

  @Test func slideshowPausesWhileAnImageIsOpen() async throws {
    let screen = makeScreen(3) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }
    test.advance(by: 2)

    screen.viewerDidChange(isOpen: true)
    test.advance(by: 100)
    #expect(screen.slideshow.shownIndex == 0)
    #expect(!test.texts.contains { $0.contains("Paused") }, "the user has not paused it")
    screen.viewerDidChange(isOpen: false)
    test.advance(by: 7)

    #expect(screen.slideshow.shownIndex == 1)
  }

  @Test func pauseOfTheUserOutlastsTheViewer() async throws {
    let screen = makeScreen(3) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }

    test.key(.space)
    test.draw()
    #expect(test.texts.contains("Image 0  ·  Paused"))
    screen.viewerDidChange(isOpen: true)
    screen.viewerDidChange(isOpen: false)

    #expect(screen.slideshow.isPaused)
    test.key(.space)
    #expect(!screen.slideshow.isPaused)
  }

  /// Gives each image a title, as a decoder does that finds one.
  private nonisolated struct Titling: ImageTransform {
    let identifier = "title"

    func apply(to image: Image) -> Image {
      Image(image.bitmap, metadata: ImageMetadata(title: "Lighthouse"))
    }
  }

  @Test func titleInTheImageStandsInForTheNameOfAFile() async throws {
    let screen = makeScreen(0) { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    var request = try "http://a.test/titled".asImageRequest()
    request.transforms = [Titling()]
    var slide = Slide(request, title: "IMG 1234")
    slide.isTitleFileName = true

    screen.slideshow.setSlides(Slides([slide]))
    try await until { screen.slideshow.shownSlide != nil }
    test.draw()

    #expect(test.texts.contains("Lighthouse"))
  }

  @Test func failedImagesAreReported() async throws {
    let screen = makeScreen(2) { $0.fail(.status(404)) }

    try await until {
      test.draw()
      return test.texts.contains { $0.hasPrefix("No image can be shown: the server has no such image.") }
    }

    #expect(screen.slideshow.shownSlide == nil)
  }

  @Test func feedWithoutImagesIsReported() {
    let screen = makeScreen(0) { _ in }
    screen.feedText = "Signs (no list yet, the server cannot be reached, trying again)"
    test.draw()

    #expect(test.texts.contains { $0.hasPrefix("No images yet: Signs") })
    #expect(screen.strip.isHidden)
    #expect(test.window.isLoaded)
  }
}
