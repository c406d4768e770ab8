import Dispatch
import FoundationEssentials
import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// A network feed with a fake transport.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NetworkFeedTests {
  private let transport = FakeTransport()
  private let disk = MemoryDataCache()
  private let test = TestWindow(size: Size(width: 100, height: 100))
  private let url = URL(string: "http://user:hidden@signs.test/a/list.txt")!

  private func downloader() -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: ImageCodecs(), dataCache: disk)
  }

  private func feed(_ downloader: ImageDownloader? = nil) -> NetworkFeed {
    NetworkFeed(url: url, downloader: downloader ?? self.downloader(), window: test.window, random: { 1 })
  }

  private func respond(to number: Int, with text: String) async throws {
    try await transport.waitUntilStarted(number)
    transport.transfers[number - 1].respond(with: Array(text.utf8))
  }

  private func fail(_ number: Int, _ error: ImageError = .transport(.cannotConnect, message: "refused"))
    async throws
  {
    try await transport.waitUntilStarted(number)
    transport.transfers[number - 1].fail(error)
  }

  @Test func listIsLoadedByTheDownloaderAndStoredOnDisk() async throws {
    let feed = feed()
    var lists = 0
    feed.onListChange = { lists += 1 }

    feed.load()
    try await respond(to: 1, with: "b.png\tThe b\n/c.png\n")
    try await until { feed.state == .loaded }

    #expect(lists == 1)
    #expect(feed.feed.count == 2)
    #expect(feed.feed[0].url == "http://user:hidden@signs.test/a/b.png")
    #expect(!feed.feed.name.contains("hidden"))
    #expect(test.window.nextDeadline == nil)
    try await until { disk.storeCount == 1 }
  }

  @Test func feedRetriesUntilTheServerResponds() async throws {
    let feed = feed()
    var states: [NetworkFeed.State] = []
    feed.onChange = { states.append(feed.state) }

    feed.load()
    try await fail(1)
    try await until { feed.state != .loading }
    guard case .waiting(let message) = feed.state else {
      Issue.record("\(feed.state)")
      return
    }
    #expect(message.hasPrefix("cannot load the feed http://signs.test/a/list.txt: "))
    test.advance(by: 1)
    try await fail(2, .status(503))
    try await until { test.window.nextDeadline != nil }
    test.advance(by: 1.9)
    #expect(transport.transfers.count == 2)
    test.advance(by: 0.2)
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }

    #expect(feed.feed.count == 1)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func staleListIsShownWhileTheServerIsDown() async throws {
    let first = feed()
    first.load()
    try await respond(to: 1, with: "b.png\n")
    try await until { first.state == .loaded && disk.storeCount == 1 }

    let second = feed()
    var lists = 0
    second.onListChange = { lists += 1 }
    second.load()
    try await fail(2)
    try await until { second.state == .stale && !second.isLoading }
    #expect(second.feed.count == 1)

    test.advance(by: 1)
    try await respond(to: 3, with: "b.png\nc.png\n")
    try await until { second.state == .loaded }
    #expect(second.feed.count == 2)
    #expect(lists == 2)
  }

  @Test func unchangedListIsNotReportedAgain() async throws {
    let feed = feed()
    var lists = 0
    feed.onListChange = { lists += 1 }
    feed.load()
    try await respond(to: 1, with: "b.png\n")
    try await until { feed.state == .loaded }

    feed.load()
    try await respond(to: 2, with: "b.png\n")
    try await until { !feed.isLoading }
    feed.load()
    try await respond(to: 3, with: "c.png\n")
    try await until { lists == 2 }

    #expect(feed.feed[0].url.hasSuffix("c.png"))
  }

  @Test(arguments: ["<html>", "file:///etc/passwd\n", "\n", "# nothing\n", "a\u{0}b"])
  func invalidListIsReportedInOneLineAndRetried(text: String) async throws {
    let feed = feed()

    feed.load()
    try await respond(to: 1, with: text)
    try await until { feed.state != .loading }

    guard case .waiting(let message) = feed.state else {
      Issue.record("\(feed.state)")
      return
    }
    #expect(!message.contains("\n") && !message.contains("hidden"))
    test.advance(by: 1)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(feed.feed.count == 1)
  }

  @Test func invalidListDoesNotReplaceTheListOnDisk() async throws {
    let first = feed()
    first.load()
    try await respond(to: 1, with: "b.png\nc.png\n")
    try await until { first.state == .loaded && disk.storeCount == 1 }

    let second = feed()
    second.load()
    try await respond(to: 2, with: "<html>Please sign in</html>")
    try await until { second.state == .stale }
    #expect(second.feed.count == 2)
    #expect(test.window.nextDeadline != nil, "a retry is scheduled")
    first.load()
    try await respond(to: 3, with: "<html>Please sign in</html>")
    try await until { first.state == .stale }

    let third = feed()
    third.load()
    try await fail(4)
    try await until { third.state == .stale }
    #expect(third.feed.count == 2)
    #expect(disk.storeCount == 1)
  }

  @Test func networkReturnAndClockStepRetryImmediately() async throws {
    let downloader = downloader()
    let feed = feed(downloader)
    feed.load()
    try await fail(1)
    try await until { test.window.nextDeadline != nil }

    downloader.networkReturned()
    try await fail(2, .untrustedServer(host: "signs.test", cause: .notYetValid, message: ""))
    try await until { test.window.nextDeadline != nil && !feed.isLoading }
    downloader.clockStepped()
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(test.window.nextDeadline == nil)

    downloader.clockStepped()
    try await mainQueueTurn()
    #expect(transport.transfers.count == 3, "no request is left")
  }

  @Test func networkReturnRestartsAStalledRequest() async throws {
    let downloader = downloader()
    let feed = feed(downloader)
    feed.load()
    try await transport.waitUntilStarted(1)

    downloader.networkReturned()
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(transport.transfers[0].isCancelled)
  }

  private func mainQueueTurn() async throws {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }

  @Test func missingListIsNotRetried() async throws {
    let feed = feed()

    feed.load()
    try await fail(1, .status(404))
    try await until { feed.state != .loading }

    #expect(
      feed.state == .failed("cannot load the feed http://signs.test/a/list.txt: the server answered 404"))
    #expect(test.window.nextDeadline == nil)
  }
}
