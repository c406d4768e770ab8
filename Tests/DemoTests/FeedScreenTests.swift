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

    screen.show(items("new"))
    #expect(transport.running.isEmpty)

    test.draw()
    #expect(hosts(transport.running) == ["new.test"])
  }
}
