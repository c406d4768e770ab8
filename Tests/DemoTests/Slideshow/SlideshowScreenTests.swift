import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The screen of `vitrine slideshow`, in a window of the test.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SlideshowScreenTests {
  private let test = TestWindow(size: Size(width: 800, height: 480))
  private let transport = FakeTransport()

  private func makeScreen(_ count: Int, transition: String = "none") throws -> SlideshowScreen {
    let items = Feed.Items(count: count) { Feed.Item(url: "http://a.test/\($0)", title: "Image \($0)") }
    let options = try #require(
      try SlideshowOptions(arguments: ["slideshow", "--motion", "off", "--transition", transition]))
    let screen = SlideshowScreen(items: items, options: options)
    screen.slideshow.downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    test.window.rootView = screen
    test.draw()
    return screen
  }

  @Test func captionChangesInTheMiddleOfATransition() async throws {
    transport.respondToAll { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000)) }
    let screen = try makeScreen(2, transition: "cross-dissolve")
    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }

    test.advance(by: 11.4)
    #expect(screen.slideshow.isChanging)
    #expect(test.texts.contains("Image 0") && !test.texts.contains("Image 1"))
    test.advance(by: 0.3)

    #expect(screen.slideshow.isChanging)
    #expect(test.texts.contains("Image 1") && !test.texts.contains("Image 0"))
  }

  @Test func messageNamesTheFeedOrTheReason() {
    func text(_ count: Int, _ failure: StaleReason?) -> String {
      SlideshowMessage.text(count: count, feed: "Signs (loading)", failure: failure)
    }

    #expect(text(0, nil) == "No images yet: Signs (loading)")
    #expect(text(3, nil).isEmpty)
    #expect(text(3, .missing) == "No image can be shown: the server has no such image. Trying again.")
  }

  @Test func failureIsShownUntilAnImageIs() async throws {
    transport.respondToAll { if $0.request.url.path == "/0" { $0.fail(.status(404)) } }
    let screen = try makeScreen(2)
    try await until {
      test.draw()
      return test.texts.contains { $0.hasPrefix("No image can be shown: the server has no such image.") }
    }
    #expect(screen.slideshow.shownSlide == nil)

    let second = try await transport.transfer(2)
    second.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000))
    try await until { screen.slideshow.shownSlide != nil }
    test.draw()

    #expect(test.texts.contains("Image 1"))
    #expect(!test.texts.contains { $0.hasPrefix("No image") })
  }

  @Test func failureAfterAnImageIsNotReported() async throws {
    transport.respondToAll { transfer in
      if transfer.request.url.path == "/0" {
        transfer.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1000))
      } else {
        transfer.fail(.status(404))
      }
    }
    let screen = try makeScreen(2)

    try await until { screen.slideshow.shownSlide != nil && !screen.slideshow.isPreparing }
    test.draw()

    #expect(test.texts.contains("Image 0"))
    #expect(!test.texts.contains { $0.hasPrefix("No image") })
  }

  @Test func emptyFeedIsNamed() throws {
    let screen = try makeScreen(0)

    screen.feedText = "Signs (no list yet)"
    test.draw()

    #expect(test.texts.contains("No images yet: Signs (no list yet)"))
    #expect(test.window.isLoaded)
  }
}
