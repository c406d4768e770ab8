import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Feeds from a server, with a fake transport and a manual clock.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FeedTests {
  private let transport = FakeTransport()
  private let disk = MemoryDataCache()
  private let clock = ManualLoadingClock()
  private let location = "http://user:hidden@signs.test/a/list.txt"

  private func downloader() -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = clock
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), dataCache: disk)
  }

  private func feed(_ downloader: ImageDownloader? = nil) throws -> Feed {
    let downloader = downloader ?? self.downloader()
    return try Feed(location, downloader: { downloader }, random: { 1 })
  }

  private func respond(to number: Int, with text: String) async throws {
    try await transport.waitUntilStarted(number)
    transport.transfers[number - 1].respond(with: Array(text.utf8))
  }

  private func fail(_ number: Int, _ error: ImageError = .status(503)) async throws {
    try await transport.waitUntilStarted(number)
    transport.transfers[number - 1].fail(error)
  }

  private func refuse(_ number: Int, _ status: Int) async throws {
    try await transport.transfer(number).refuse(status)
  }

  @Test func listIsLoadedByTheDownloaderAndStoredOnDisk() async throws {
    let feed = try feed()
    var changes: [Feed.Change] = []
    feed.onChange = { changes.append($0) }
    #expect(feed.state == .loading && feed.items.isEmpty)

    feed.reload()
    try await respond(to: 1, with: "b.png\tThe b\n/c.png\n")
    try await until { feed.state == .loaded }

    #expect(changes == [.items, .state])
    #expect(
      feed.items.map(\.url) == ["a/b.png", "c.png"].map { "http://user:hidden@signs.test/\($0)" })
    #expect(feed.name == "http://signs.test/a/list.txt")
    #expect(!feed.isLoading)
    try await until { disk.storeCount == 1 }
  }

  @Test func feedRetriesAfterTheApplicationHasCancelledAllLoads() async throws {
    let downloader = downloader()
    let feed = try feed(downloader)

    feed.reload()
    try await transport.waitUntilStarted(1)
    downloader.cancelAll()
    try await until { feed.state != .loading }
    #expect(feed.state == .waiting(.notLoaded("http://signs.test/a/list.txt", .cancelled)))
    clock.advance(by: 1)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }

    #expect(feed.items.count == 1)
  }

  @Test func feedRetriesUntilTheServerResponds() async throws {
    let feed = try feed()

    feed.reload()
    try await fail(1)
    try await until { feed.state != .loading }
    #expect(feed.state == .waiting(.notLoaded("http://signs.test/a/list.txt", .status(503))))
    clock.advance(by: 1)
    try await fail(2)
    try await until { !feed.isLoading }
    clock.advance(by: 1.9)
    await drainMainQueue()
    #expect(transport.transfers.count == 2)
    clock.advance(by: 0.2)
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }

    #expect(feed.items.count == 1)
    clock.advance(by: 1000)
    await drainMainQueue()
    #expect(transport.transfers.count == 3, "no retry is left")
  }

  @Test func reloadReplacesAScheduledRetry() async throws {
    let feed = try feed()
    feed.reload()
    try await fail(1)
    try await until { feed.state != .loading && !feed.isLoading }

    feed.reload()
    feed.reload()
    clock.advance(by: 1)
    try await transport.waitUntilStarted(2)
    await drainMainQueue()

    #expect(transport.transfers.count == 2)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
  }

  @Test func staleListIsShownWhileTheServerIsDown() async throws {
    let first = try feed()
    first.reload()
    try await respond(to: 1, with: "b.png\n")
    try await until { first.state == .loaded && disk.storeCount == 1 }

    let second = try feed()
    var lists = 0
    second.onChange = { if $0 == .items { lists += 1 } }
    second.reload()
    try await fail(2)
    try await until { !second.isLoading }
    #expect(second.state == .stale(.notLoaded(second.name, .status(503))))
    #expect(second.items.count == 1)

    clock.advance(by: 1)
    try await respond(to: 3, with: "b.png\nc.png\n")
    try await until { second.state == .loaded }
    #expect(second.items.count == 2)
    #expect(lists == 2)
  }

  @Test(arguments: [401, 403, 404, 410, 451]) func refusedListIsShownAfterARestart(status: Int) async throws {
    let first = try feed()
    first.reload()
    try await respond(to: 1, with: "b.png\n")
    try await until { first.state == .loaded && disk.storeCount == 1 }
    first.reload()
    try await refuse(2, status)
    try await until { !first.isLoading }

    for number in 3...4 {
      let downloader = downloader()
      let restarted = try feed(downloader)
      restarted.reload()
      try await refuse(number, status)
      try await until { !restarted.isLoading }
      await downloader.drain()

      #expect(restarted.state == .stale(.notLoaded(restarted.name, .status(status))))
      #expect(restarted.items.map(\.url) == ["http://user:hidden@signs.test/a/b.png"])
      #expect(disk.responses.count == 1)
    }
  }

  @Test func unchangedListIsNotReportedAgain() async throws {
    let feed = try feed()
    var lists = 0
    feed.onChange = { if $0 == .items { lists += 1 } }
    feed.reload()
    try await respond(to: 1, with: "b.png\n")
    try await until { feed.state == .loaded }

    feed.reload()
    try await respond(to: 2, with: "b.png\n")
    try await until { !feed.isLoading }
    feed.reload()
    try await respond(to: 3, with: "c.png\n")
    try await until { lists == 2 }

    #expect(feed.items[0].url.hasSuffix("c.png"))
  }

  @Test func sameListAtAnotherURLNamesTheImagesThere() async throws {
    let feed = try feed()
    var lists = 0
    feed.onChange = { if $0 == .items { lists += 1 } }
    func respond(to number: Int, from url: String) async throws {
      try await transport.waitUntilStarted(number)
      let transfer = transport.transfers[number - 1]
      transfer.respond(url: URL(string: url))
      transfer.send(Array("b.png\n".utf8))
      transfer.finish()
    }

    feed.reload()
    try await respond(to: 1, from: "http://old.test/a/list.txt?signature=1")
    try await until { feed.state == .loaded }
    #expect(feed.items.map(\.url) == ["http://old.test/a/b.png"])
    feed.reload()
    try await respond(to: 2, from: "http://old.test/a/list.txt?signature=2")
    try await until { !feed.isLoading }
    #expect(lists == 1, "another signature names the same images")
    feed.reload()
    try await respond(to: 3, from: "http://new.test/a/list.txt?signature=3")
    try await until { !feed.isLoading }

    #expect(feed.items.map(\.url) == ["http://new.test/a/b.png"])
    #expect(lists == 2)
  }

  @Test(arguments: ["<html>", "file:///etc/passwd\n", "\n", "# nothing\n", "a\u{0}b"])
  func invalidListIsReportedInOneLineAndRetried(text: String) async throws {
    let feed = try feed()

    feed.reload()
    try await respond(to: 1, with: text)
    try await until { feed.state != .loading }

    guard case .waiting(let error) = feed.state else {
      Issue.record("\(feed.state)")
      return
    }
    #expect(!"\(error)".contains("\n") && !"\(error)".contains("hidden"))
    clock.advance(by: 1)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(feed.items.count == 1)
  }

  @Test func invalidListDoesNotReplaceTheListOnDisk() async throws {
    let first = try feed()
    first.reload()
    try await respond(to: 1, with: "b.png\nc.png\n")
    try await until { first.state == .loaded && disk.storeCount == 1 }

    let second = try feed()
    second.reload()
    try await respond(to: 2, with: "<html>Please sign in</html>")
    try await until { !second.isLoading }
    #expect(isStale(second))
    #expect(second.items.count == 2)
    first.reload()
    try await respond(to: 3, with: "<html>Please sign in</html>")
    try await until { !first.isLoading }
    #expect(isStale(first))

    let third = try feed()
    third.reload()
    try await fail(4)
    try await until { !third.isLoading }
    #expect(third.items.count == 2)
    #expect(disk.storeCount == 1)
  }

  @Test func networkReturnAndClockStepRetryImmediately() async throws {
    let downloader = downloader()
    let feed = try feed(downloader)
    feed.reload()
    try await fail(1)
    try await until { !feed.isLoading }

    downloader.networkReturned()
    try await fail(2, .untrustedServer(host: "signs.test", cause: .notYetValid, message: ""))
    try await until { !feed.isLoading }
    downloader.clockStepped()
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }

    downloader.clockStepped()
    await drainMainQueue()
    await drainMainQueue()
    #expect(transport.transfers.count == 3, "no retry is left")
  }

  @Test func connectivityOfTheDownloaderInUseIsObserved() async throws {
    // The downloader that stands in until the program has set the shared one.
    let refusing = ImageDownloader(transports: [], decoder: FakeDecoder())
    var current = refusing
    let feed = try Feed(location, downloader: { current }, random: { 1 })
    feed.reload()
    try await until { !feed.isLoading }
    current = downloader()
    feed.reload()
    try await transport.waitUntilStarted(1)

    refusing.networkReturned()
    await drainMainQueue()
    await drainMainQueue()
    #expect(transport.transfers.count == 1)
    current.networkReturned()
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }

    #expect(transport.transfers[0].isCancelled)
  }

  @Test func networkReturnRestartsAStalledRequest() async throws {
    let downloader = downloader()
    let feed = try feed(downloader)
    feed.reload()
    try await transport.waitUntilStarted(1)

    downloader.networkReturned()
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(transport.transfers[0].isCancelled)
  }

  @Test func listThatIsMissingAtFirstIsLoadedLater() async throws {
    let feed = try feed()

    feed.reload()
    try await fail(1, .status(404))
    try await until { feed.state != .loading }

    #expect(feed.state == .waiting(.notLoaded("http://signs.test/a/list.txt", .status(404))))
    clock.advance(by: 59)
    await drainMainQueue()
    #expect(transport.transfers.count == 1)
    clock.advance(by: 2)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
  }

  @Test func shownListIsStaleWhileItIsMissing() async throws {
    let feed = try feed()
    feed.reload()
    try await respond(to: 1, with: "b.png\n")
    try await until { feed.state == .loaded }

    feed.reload()
    try await fail(2, .status(404))
    try await until { !feed.isLoading }

    #expect(feed.state == .stale(.notLoaded(feed.name, .status(404))))
    #expect(feed.items.count == 1)
    clock.advance(by: 61)
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }
  }

  @Test func listIsLoadedAfterTheCertificateOfACaptivePortalWasRefused() async throws {
    let feed = try feed()
    let error = ImageError.untrustedServer(host: "signs.test", cause: .wrongHost, message: "")

    feed.reload()
    try await fail(1, error)
    try await until { feed.state != .loading }

    #expect(feed.state == .waiting(.notLoaded("http://signs.test/a/list.txt", error)))
    clock.advance(by: 61)
    try await respond(to: 2, with: "b.png\n")
    try await until { feed.state == .loaded }
  }

  @Test func listThatExceedsTheLimitIsNotRetried() async throws {
    let feed = try feed()
    let error = ImageError.tooLarge(.body(bytes: 1))

    feed.reload()
    try await fail(1, error)
    try await until { feed.state != .loading }

    #expect(feed.state == .failed(.notLoaded("http://signs.test/a/list.txt", error)))
    clock.advance(by: 1000)
    await drainMainQueue()
    #expect(transport.transfers.count == 1)
  }

  @Test func releasedFeedCancelsItsRequest() async throws {
    var feed: Feed? = try feed()
    feed?.reload()
    try await transport.waitUntilStarted(1)

    feed = nil

    #expect(transport.transfers[0].isCancelled)
  }

  private func isStale(_ feed: Feed) -> Bool { if case .stale = feed.state { true } else { false } }
}
