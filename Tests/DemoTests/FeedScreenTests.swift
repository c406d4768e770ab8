import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// A screen with the images of a feed, in a window of the test.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FeedScreenTests {
  private func items(_ list: String) -> Feed.Items {
    Feed.Items(count: 100) { Feed.Item(url: "http://\(list).test/\($0)") }
  }

  private func hosts(_ transfers: [FakeTransfer]) -> Set<String> {
    Set(transfers.compactMap { $0.request.url.host() })
  }

  @Test func newListCancelsThePrefetchesOfTheOldOne() {
    let transport = FakeTransport()
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let prefetcher = ImagePrefetcher(downloader: downloader)
    let screen = ListScreen(items: items("old"), failure: nil, prefetcher: prefetcher)
    let test = TestWindow(size: Size(width: 400, height: 300))
    test.window.rootView = screen
    test.draw()
    #expect(hosts(transport.running) == ["old.test"])

    screen.show(items("new"), ListChanges(replacing: 100, by: 100))

    #expect(hosts(transport.running) == ["new.test"])
  }

  @Test func rowsThatStayKeepTheirCellsAndTheirSelection() throws {
    let old = Array(items("a"))
    var new = [Feed.Item(url: "http://a.test/new")] + old
    new[2].title = "Renamed"
    let screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    let test = TestWindow(size: Size(width: 400, height: 300))
    test.window.rootView = screen
    test.draw()
    let cell = try #require(screen.list.cell(at: 1) as? FeedCell)
    test.tap(at: Point(x: 200, y: ImageCell.height * 1.5), holding: 0.6)
    #expect(cell.isChosen)

    screen.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()

    #expect(screen.list.contentOffset.y == 0)
    #expect(screen.list.cell(at: 2) === cell)
    #expect(cell.isChosen && cell.scriptTitle == "Renamed")
    #expect(test.texts.contains("Renamed"))
    #expect((screen.list.cell(at: 1) as? FeedCell)?.isChosen == false)
  }

  private func windowWithFocusOnRow2(_ screen: ListScreen) -> TestWindow {
    let test = TestWindow(size: Size(width: 400, height: 300))
    test.window.rootView = screen
    test.draw()
    test.key(.tab)
    for _ in 0..<2 { test.key(.down) }
    return test
  }

  @Test func focusPassesFromARemovedRowToTheNextOne() {
    let old = Array(items("a"))
    var new = old
    new.remove(at: 2)
    let screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    let test = windowWithFocusOnRow2(screen)
    #expect(screen.list.selectedRow == 2)

    screen.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()
    #expect(screen.list.selectedRow == 2)
    #expect(screen.list.cell(at: 2)?.hasCursor == true)
    test.key(.down)

    #expect(screen.list.selectedRow == 3)
  }

  @Test func focusAndSelectionStayWithAFileThatIsOverwritten() throws {
    let old = (0..<3).map { Feed.Item(url: "file:///none/\($0).jpg?a") }
    var new = [Feed.Item(url: "file:///none/new.jpg?a")] + old
    new[3].url = "file:///none/2.jpg?b"
    let screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    let test = windowWithFocusOnRow2(screen)
    test.key(.enter, modifiers: .shift)
    screen.hideImage(of: 2)

    screen.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()

    #expect(screen.list.selectedRow == 3)
    let cell = try #require(screen.list.cell(at: 3) as? FeedCell)
    #expect(cell.hasCursor && cell.isChosen && cell.isOpen)
  }

  @Test func listThatBecomesShorterBeforeAReloadIsShown() {
    let old = Array(items("a"))
    let new = Array(old.prefix(2))
    let screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    let test = TestWindow(size: Size(width: 400, height: 300))
    test.window.rootView = screen
    test.draw()

    screen.reload()
    screen.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()

    #expect(screen.list.numberOfRows == 2)
    #expect(screen.visibleCells.count == 2)
  }

  @Test func hiddenScreenShowsTheNewRowsLater() {
    let old = Array(items("a"))
    let new = [Feed.Item(url: "http://a.test/new", title: "New")] + old
    let screen = ListScreen(items: Feed.Items(old), failure: nil, prefetcher: nil)
    let test = TestWindow(size: Size(width: 400, height: 300))
    test.window.rootView = screen
    test.draw()
    test.window.rootView = View()

    screen.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.window.rootView = screen
    test.draw()

    #expect(test.texts.contains("New"))
    #expect(screen.list.numberOfRows == 101)
  }
}
