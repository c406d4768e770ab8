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

  init() {
    old = (1...3).map { Feed.Item(url: "http://viewer.test/\($0)", title: "Photo \($0)") }
    screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    test.window.rootView = screen
    test.draw()
  }

  /// Opens the viewer. Returns it with the number of times that it was closed.
  private func open(_ row: Int) -> (viewer: ImageViewer, closed: Count) {
    let viewer = ImageViewer(showing: row, of: screen, in: test.window)
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

  @Test func shownImageThatIsRemovedIsReplacedByTheNext() {
    let (viewer, closed) = open(1)
    show([old[0], old[2]], in: viewer)
    #expect(numbers == ["2 of 2"])
    #expect(test.texts.contains("Photo 3"))
    show([old[0]], in: viewer)
    #expect(closed.value == 0)
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
