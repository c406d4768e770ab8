import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The number of failed images on a screen.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FailedImagesTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))
  private let root = View(frame: Rect(x: 0, y: 0, width: 400, height: 300))

  init() { test.window.rootView = root }

  /// Options with a downloader of their own. The images whose URL has "bad" fail.
  private var options: SlotOptions {
    let transport = FakeTransport()
    transport.respondToAll {
      if $0.request.url.absoluteString.contains("bad") {
        $0.fail(.status(404))
      } else {
        $0.respond(with: FakeDecoder.encodedImage(width: 10, height: 10))
      }
    }
    var options = SlotOptions()
    options.downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    return options
  }

  private var count: Int { FailedImages.count(in: root) }

  @Test func imageCountsOnceUntilItIsLoaded() async throws {
    let image = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    root.addSubview(image)
    #expect(count == 0)

    for _ in 1...2 {
      image.setImage(from: "http://a.test/bad", options: options)
      test.draw()
      #expect(count == 0, "the image is loading")
      try await until { !image.isLoadingImage }
      #expect(count == 1)
    }
    image.setImage(from: "http://a.test/good", options: options)
    test.draw()
    try await until { !image.isLoadingImage }

    #expect(count == 0)
  }

  @Test func removedImageDoesNotCount() async throws {
    let image = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    root.addSubview(image)
    image.setImage(from: "http://a.test/bad", options: options)
    test.draw()
    try await until { count == 1 }

    image.imageURL = nil

    #expect(count == 0)
  }

  @Test func imagesOfAllStatesOfAButtonCount() async throws {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let card = View(frame: root.bounds)
    root.addSubview(card)
    card.addSubview(button)
    button.setImage(from: "http://a.test/bad-1", for: .normal, options: options)
    button.setImage(from: "http://a.test/bad-2", for: [.selected, .highlighted], options: options)
    button.setBackgroundImage(from: "http://a.test/bad-3", for: .disabled, options: options)
    button.setBackgroundImage(from: "http://a.test/good", for: .normal, options: options)
    test.draw()

    try await until { !button.isLoading }

    #expect(count == 3)
  }

  @Test func imageThatIsLoadedByATaskCounts() {
    final class TaskView: View, LoadingByTask { var hasFailed = false }
    let view = TaskView()
    root.addSubview(view)
    #expect(count == 0)

    view.hasFailed = true

    #expect(count == 1)
  }
}
