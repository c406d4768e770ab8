import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The viewer over a list whose images cannot be loaded, because no network is reached, and whose feed changes meanwhile.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ImageViewerTests {
  private let test = TestWindow(size: Size(width: 400, height: 500))
  private let screen: ListScreen
  private let old: [Feed.Item]
  private let failure = Image.solid(width: 40, height: 30)

  init() {
    old = (1...3).map { Feed.Item(url: "http://viewer.test/\($0)", title: "Photo \($0)") }
    screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    test.window.rootView = screen
    test.draw()
  }

  /// Opens the viewer. Returns it with the number of times that it was closed.
  private func open(_ row: Int) -> (viewer: ImageViewer, closed: Count) {
    let viewer = ImageViewer(showing: row, of: screen, failure: failure, in: test.window)
    let closed = Count()
    viewer.onClose = { closed.value += 1 }
    test.draw()
    return (viewer, closed)
  }

  private final class Count {
    var value = 0
  }

  /// Replaces the items of the list and then of the viewer, as the demo does.
  private func show(_ new: [Feed.Item], in viewer: ImageViewer) {
    let changes = ListChanges(from: screen.feedItems.map(\.url), to: new.map(\.url))
    screen.show(Feed.Items(new), changes)
    viewer.show(Feed.Items(new), changes)
    test.draw()
  }

  /// The numbers such as “2 of 3” that are drawn.
  private var numbers: [String] { test.texts.filter { $0.wholeMatch(of: /[0-9]+ of [0-9]+/) != nil } }

  @Test func imagesThatAllFailAreTurnedAndClosed() {
    let (viewer, closed) = open(0)
    #expect(numbers == ["1 of 3"])
    test.key(.right)
    test.advance(by: 2)
    #expect(numbers == ["2 of 3"])
    test.key(.character("+"))
    test.key(.end)
    test.advance(by: 2)
    #expect(numbers == ["3 of 3"])

    test.key(.escape)
    test.advance(by: 2)

    #expect(closed.value == 1)
    #expect(numbers.isEmpty)
    viewer.close()
    #expect(closed.value == 1)
  }

  /// True if the failure image is drawn. The list has none.
  private var showsFailure: Bool { test.images.contains { $0.image === failure } }

  @Test func failedImageShowsTheFailureImageAndTheReason() async throws {
    let (viewer, _) = open(0)
    try await until {
      test.draw()
      return showsFailure
    }
    let drawn = try #require(test.images.first { $0.image === failure }).destination
    #expect(drawn.midX == 200 && drawn.width == 240 && drawn.height == 180)
    #expect(test.texts.count { $0 == "The image cannot be loaded" } > 0)
    viewer.close()
    test.advance(by: 2)
    #expect(!showsFailure)
  }

  @Test func imageThatArrivesAfterAllReplacesTheFailure() async throws {
    let page = ViewerPage(failure: failure)
    test.window.rootView = page
    page.show(Feed.Item(url: "no address", title: "None"))
    try await until { page.scriptStates.contains(.failed) }
    test.draw()
    #expect(showsFailure)

    page.contents = .solid(width: 4, height: 3)
    test.draw()

    #expect(!showsFailure)
    #expect(page.scriptStates.contains(.loaded))
    page.show(Feed.Item(url: "no address", title: "None"))
    #expect(page.scriptStates.contains(.loading))
  }

  @Test func captionHasTheTitleAndTheDateInTheImage() async throws {
    let items = [
      Feed.Item(url: "file:///photos/07-red-barn.jpg", title: "07 red barn"),
      Feed.Item(url: "file:///photos/08.jpg", title: "Pier"),
    ]
    let content = ViewerContent(Feed.Items(items), showing: 0, failure: nil)
    test.window.rootView = content
    test.draw()
    #expect(test.texts.contains("07 red barn"))
    let metadata = ImageMetadata(
      captureTime: CaptureTime(year: 2024, month: 5, day: 17), title: "Barn")
    let image = Image(Image.solid(width: 4, height: 3).bitmap, metadata: metadata)
    /// Shows the image once nothing else changes the page.
    func showImage() async throws {
      let page = try #require(content.page)
      try await until { page.scriptStates.contains(.failed) }
      page.contents = image
      test.draw()
    }

    try await showImage()
    #expect(test.texts.contains("Barn  ·  17 May 2024"))
    test.window.focus(nil)
    _ = content.keyDown(.right, modifiers: [])
    test.advance(by: 2)
    #expect(test.texts.contains("Pier"), "the image is not there yet")
    try await showImage()
    #expect(test.texts.contains("Pier  ·  17 May 2024"), "the title of the feed goes first")
    _ = content.keyDown(.left, modifiers: [])
    test.advance(by: 2)
    #expect(test.texts.contains("Barn  ·  17 May 2024"))
  }

  @Test func nextImagesAreLoadedForTheScaleAndTheSizeOfTheWindow() async throws {
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: FakeDecoder.encodedImage(width: 1600, height: 1200)) }
    let decoder = FakeDecoder()
    let content = ViewerContent(
      Feed.Items(old), showing: 1, failure: nil,
      prefetcher: ImagePrefetcher(
        downloader: ImageDownloader(transports: [transport], decoder: decoder)))
    content.frame = Rect(x: 0, y: 0, width: 400, height: 300)
    content.layoutIfNeeded()
    #expect(transport.transfers.isEmpty, "the scale is not known yet")
    func isLoaded(for target: DecodeTarget) -> Bool { decoder.calls.count { $0.target == target } == 3 }

    let test = TestWindow(size: Size(width: 400, height: 300), scale: 2)
    test.window.rootView = content
    test.draw()
    try await until { isLoaded(for: DecodeTarget(width: 800, height: 600, mode: .fit)) }
    #expect(decoder.calls.count == 3)

    test.window.frame.size = Size(width: 600, height: 450)
    test.draw()
    try await until { isLoaded(for: DecodeTarget(width: 1200, height: 900, mode: .fit)) }
    content.removeFromSuperview()
  }

  @Test func failureInALowWindowHasNoImage() async throws {
    let low = TestWindow(size: Size(width: 200, height: 80))
    let page = ViewerPage(failure: failure)
    low.window.rootView = page
    page.show(Feed.Item(url: "no address", title: "None"))
    try await until { page.scriptStates.contains(.failed) }
    low.draw()

    #expect(!low.texts.isEmpty)
    #expect(low.images.isEmpty)
  }

  @Test(arguments: [Key.space, .character("h")])
  func keyHidesTheBarsAndShowsThemAgain(key: Key) {
    let (_, closed) = open(0)
    #expect(test.texts.contains("Back") && !numbers.isEmpty)
    test.key(key)
    test.draw()
    #expect(!test.texts.contains("Back") && numbers.isEmpty)
    test.key(.right)
    test.advance(by: 2)
    #expect(numbers.isEmpty, "the next page has none either")
    test.key(key)
    test.draw()
    #expect(test.texts.contains("Back") && numbers == ["2 of 3"])
    #expect(closed.value == 0)
  }

  @Test func shortTouchHidesTheBarsAndARestingFingerDoesNot() {
    _ = open(0)
    test.press(at: Point(x: 200, y: 250))
    test.advance(by: 0.6)
    test.release()
    test.advance(by: 1)
    #expect(numbers == ["1 of 3"])
    test.press(at: Point(x: 200, y: 250))
    test.advance(by: 0.1)
    test.release()
    test.advance(by: 1)
    #expect(numbers.isEmpty)
  }

  @Test func shownImageThatIsRemovedIsReplacedByTheNext() {
    let (viewer, closed) = open(1)
    show([old[0], old[2]], in: viewer)
    #expect(numbers == ["2 of 2"])
    #expect(test.texts.contains("Photo 3"))
    show([old[0]], in: viewer)
    #expect(closed.value == 0)
  }

  @Test(arguments: [0, 1, 2])
  func shownFileThatIsOverwrittenStays(row: Int) throws {
    let old = (1...3).map { Feed.Item(url: "file:///none/\($0).jpg?a", title: "Photo \($0)") }
    var new = old
    new[row].url = "file:///none/\(row + 1).jpg?b"
    let content = ViewerContent(Feed.Items(old), showing: row, failure: nil)
    test.window.rootView = content
    test.draw()
    let page = try #require(content.page)

    content.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()

    #expect(content.row == row)
    #expect(numbers == ["\(row + 1) of 3"])
    #expect(test.texts.contains("Photo \(row + 1)"))
    #expect(content.page?.imageURL == new[row].url)
    #expect(content.page !== page)
  }

  @Test func feedOfOneImageDoesNotTurn() {
    let (viewer, closed) = open(2)
    show([old[2]], in: viewer)
    #expect(numbers == ["1 of 1"])
    test.key(.left)
    test.key(.right)
    test.advance(by: 2)
    #expect(numbers == ["1 of 1"])
    test.key(.escape)
    test.advance(by: 2)
    #expect(closed.value == 1)
  }

  @Test func feedThatBecomesEmptyClosesTheViewer() {
    let (viewer, closed) = open(2)
    show([], in: viewer)
    test.advance(by: 2)
    #expect(closed.value == 1)
    #expect(numbers.isEmpty)
  }

  @Test func insertedImagesKeepTheShownOne() {
    let (viewer, _) = open(1)
    let new = [Feed.Item(url: "http://viewer.test/new", title: "New")]
    show(new + old, in: viewer)
    #expect(numbers == ["3 of 4"])
    #expect(test.texts.contains("Photo 2"))
  }
}
