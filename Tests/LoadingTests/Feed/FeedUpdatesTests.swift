import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lists from a server that are loaded again at an interval, with a manual clock.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FeedUpdatesTests {
  private let world = DiskWorld()
  private let location = "http://a.test/list.txt"

  private var clock: ManualLoadingClock { world.world.clock }
  private var transport: FakeTransport { world.transport }

  private func feed(random: Double = 0.5) throws -> Feed {
    try Feed(location, downloader: { [world] in world.downloader }, random: { random })
  }

  private func respond(
    to number: Int, with text: String, _ headers: HTTPHeaders = ["ETag": "\"1\""]
  ) async throws {
    try await transport.transfer(number).respond(with: Array(text.utf8), headers)
  }

  /// Stores the list on disk, as if received `age` seconds ago.
  private func store(_ text: String, age: Double, _ headers: HTTPHeaders = DiskWorld.minute) {
    let request = ImageRequest(url: url("list.txt"), headers: ["Accept": "text/plain, */*;q=0.8"])
    let then = world.calendar.now - age
    world.disk.store(
      StoredResponse(
        response: TransportResponse(url: request.url, status: 200, headers: headers),
        body: Array(text.utf8), requested: then, received: then),
      for: request.identity)
  }

  /// Lets timers that have fired send their requests.
  private func checkRequests(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
    await drainMainQueue(rounds: 3)
    #expect(transport.transfers.count == count, sourceLocation: sourceLocation)
  }

  private func urls(_ feed: Feed) -> [String] { feed.items.map { String($0.url.suffix(5)) } }

  @Test func listIsRequestedAgainAtTheInterval() async throws {
    let feed = try feed()
    var updates: [ListChanges] = []
    feed.onUpdate = { updates.append($0) }

    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\nb.png\n")
    try await until { feed.state == .loaded && world.disk.storeCount == 1 }
    clock.advance(by: 899)
    await checkRequests(1)
    clock.advance(by: 2)
    let second = try await transport.transfer(2)
    #expect(second.request.headers["If-None-Match"] == "\"1\"")
    second.respondNotModified()
    try await until { !feed.isLoading }
    #expect(feed.state == .loaded)
    #expect(updates.count == 1)

    clock.advance(by: 901)
    try await respond(to: 3, with: "c.png\nb.png\n")
    try await until { updates.count == 2 }
    #expect(urls(feed) == ["c.png", "b.png"])
    #expect(updates[1].newRow(of: 1) == 1 && updates[1].removals == [0])
    try await until { !feed.isLoading }
    clock.advance(by: 901)
    try await transport.waitUntilStarted(4)
  }

  @Test func endOfALoadIsReportedWhenTheServerHasConfirmedAFreshStoredList() async throws {
    store("a.png\n", age: 10)
    let feed = try feed()
    var states: [Feed.State] = []
    feed.onFinish = { states.append(feed.state) }

    feed.reload()
    let request = try await transport.transfer(1)
    #expect(feed.state == .loaded && urls(feed) == ["a.png"] && states.isEmpty)
    request.respondNotModified()
    try await until { !states.isEmpty }

    #expect(states == [.loaded] && !feed.isLoading)
    feed.onFinish = nil
  }

  @Test(arguments: [(0, 810), (1, 990)]) func intervalOfEachUpdateVaries(random: Double, seconds: Double)
    async throws
  {
    let feed = try feed(random: random)
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }

    clock.advance(by: seconds - 0.5)
    await checkRequests(1)
    clock.advance(by: 1)
    try await transport.waitUntilStarted(2)
  }

  @Test func reloadIsSentAtOnceAndStartsTheIntervalAgain() async throws {
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }
    clock.advance(by: 600)

    feed.reload()
    try await respond(to: 2, with: "a.png\n")
    try await until { !feed.isLoading }
    clock.advance(by: 600)
    await checkRequests(2)
    clock.advance(by: 301)
    try await transport.waitUntilStarted(3)
  }

  @Test func reloadDuringALoadIsMadeOnceAfterIt() async throws {
    let feed = try feed()
    feed.reload()
    let first = try await transport.transfer(1)

    feed.reload()
    feed.reload()
    await checkRequests(1)
    first.respond(with: Array("old.png\n".utf8))
    try await respond(to: 2, with: "new.png\n")
    try await until { !feed.isLoading }

    #expect(feed.items.map(\.title) == ["new"])
    await checkRequests(2)
  }

  @Test func failedUpdateKeepsTheItemsAndIsRetried() async throws {
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded && world.disk.storeCount == 1 }
    clock.advance(by: 901)

    try await transport.transfer(2).fail(.status(503))
    try await until { !feed.isLoading }
    #expect(feed.state == .stale(.notLoaded(location, .status(503))))
    #expect(urls(feed) == ["a.png"])
    clock.advance(by: 1)
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }

    #expect(urls(feed) == ["b.png"])
    clock.advance(by: 901)
    try await transport.waitUntilStarted(4)
  }

  @Test(arguments: ["", "# nothing yet\n", "<html>Please sign in</html>", "a\u{0}b"])
  func responseThatIsNoListKeepsTheItems(text: String) async throws {
    let feed = try feed()
    var updates = 0
    feed.onUpdate = { _ in updates += 1 }
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded && world.disk.storeCount == 1 }
    clock.advance(by: 901)

    try await respond(to: 2, with: text)
    try await until { !feed.isLoading }

    if case .stale(.notLoaded?) = feed.state {} else { Issue.record("\(feed.state)") }
    #expect(urls(feed) == ["a.png"])
    #expect(updates == 1)
    #expect(world.disk.storeCount == 1)
  }

  @Test func missingListKeepsTheItems() async throws {
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }
    clock.advance(by: 901)

    try await transport.transfer(2).fail(.status(404))
    try await until { !feed.isLoading }

    #expect(feed.state == .stale(.notLoaded(location, .status(404))))
    #expect(urls(feed) == ["a.png"])
  }

  @Test func serverThatAsksForAPauseIsNotAskedEarlier() async throws {
    let feed = try feed(random: 0)
    feed.startUpdates(every: 60)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }
    clock.advance(by: 60)

    let refused = try await transport.transfer(2)
    refused.respond(status: 503, headers: ["Retry-After": "1000"])
    refused.fail(.status(503))
    try await until { !feed.isLoading }
    clock.advance(by: 999)
    await checkRequests(2)
    clock.advance(by: 1)
    try await respond(to: 3, with: "b.png\n")
    try await until { feed.state == .loaded }
    #expect(urls(feed) == ["b.png"])
  }

  @Test func lifetimeThatTheServerStatesDelaysTheUpdate() async throws {
    let feed = try feed(random: 0)
    feed.startUpdates(every: 60)
    try await respond(to: 1, with: "a.png\n", ["Cache-Control": "max-age=3600"])
    try await until { feed.state == .loaded }

    clock.advance(by: 3599)
    await checkRequests(1)
    clock.advance(by: 1)
    try await transport.waitUntilStarted(2)
  }

  @Test func storedListIsShownAtOnceAndRevalidated() async throws {
    store("a.png\nb.png\n", age: 10 * 86_400)
    let stored = try feed()
    var changes: [Feed.Change] = []
    stored.onChange = { changes.append($0) }

    stored.startUpdates(every: 900)
    try await until { stored.items.count == 2 }
    let request = try await transport.transfer(1)
    #expect(stored.state == .stale(nil) && stored.isLoading)
    #expect(stored.age == 864_000)
    #expect(request.request.headers["If-None-Match"] == "\"one\"")
    request.respondNotModified()
    try await until { !stored.isLoading }

    #expect(stored.state == .loaded)
    #expect(stored.age == 0)
    clock.advance(by: 30)
    #expect(stored.age == 30)
    #expect(changes == [.items, .state, .state])
  }

  @Test func ageOfTheStoredListIsKnownWhileTheServerIsDown() async throws {
    store("a.png\n", age: 7200)
    let feed = try feed()

    feed.reload()
    try await transport.transfer(1).fail(.transport(.cannotConnect, message: "refused"))
    try await until { !feed.isLoading }

    #expect(feed.state == .stale(.notLoaded(location, .transport(.cannotConnect, message: "refused"))))
    #expect(feed.age == 7200)
  }

  @Test func freshStoredListIsRevalidatedAsWell() async throws {
    store("a.png\n", age: 5)
    let feed = try feed()

    feed.reload()
    try await until { feed.items.count == 1 }
    #expect(feed.state == .loaded && feed.isLoading)
    try await respond(to: 1, with: "b.png\n")
    try await until { urls(feed) == ["b.png"] }
  }

  @Test func listThatMustBeRevalidatedIsShownAfterItsServerWasAsked() async throws {
    store("a.png\n", age: 5, ["Cache-Control": "no-cache", "ETag": "\"one\""])
    let feed = try feed()

    feed.reload()
    let request = try await transport.transfer(1)
    await drainMainQueue(rounds: 2)
    #expect(feed.items.isEmpty && feed.state == .loading)
    request.respondNotModified()
    try await until { feed.state == .loaded }

    #expect(urls(feed) == ["a.png"])
  }

  @Test func longStoredListIsParsedElsewhere() async throws {
    let lines = (0..<5000).map { "images/of/a/long/list/\($0).png" }
    store(lines.joined(separator: "\n"), age: 600)
    let feed = try feed()

    feed.reload()
    try await until { feed.items.count == 5000 }
    try await respond(to: 1, with: (["a.png"] + lines).joined(separator: "\n"))
    try await until { !feed.isLoading }

    #expect(feed.items.count == 5001)
  }

  @Test func updatesEndWithStopShutDownAndRelease() async throws {
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }
    feed.stopUpdates()
    clock.advance(by: 2000)
    await checkRequests(1)

    var released: Feed? = try self.feed()
    released?.startUpdates(every: 900)
    try await respond(to: 2, with: "a.png\n")
    try await until { released?.isLoading == false }
    released = nil
    clock.advance(by: 2000)
    await checkRequests(2)

    feed.startUpdates(every: 900)
    await world.downloader.shutDown()
    clock.advance(by: 901)
    try await until { feed.state == .stale(.notLoaded(location, .shutDown)) }
    #expect(urls(feed) == ["a.png"])
    await checkRequests(2)
  }

  @Test func stopKeepsARetryAndStartDoesNotHurryIt() async throws {
    let feed = try feed(random: 1)
    feed.startUpdates(every: 900)
    try await transport.transfer(1).fail(.status(404))
    try await until { feed.state != .loading }

    feed.startUpdates(every: 10)
    clock.advance(by: 59)
    await checkRequests(1)
    feed.stopUpdates()
    clock.advance(by: 1)
    try await respond(to: 2, with: "a.png\n")
    try await until { feed.state == .loaded }
    clock.advance(by: 2000)
    await checkRequests(2)
  }

  @Test func networkReturnDoesNotHurryAnUpdate() async throws {
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }

    world.downloader.networkReturned()
    await checkRequests(1)
  }

  @Test func listIsLoadedWhenTheDownloaderIsNoLongerOffline() async throws {
    world.downloader.isOffline = true
    let feed = try feed()
    feed.startUpdates(every: 900)
    try await until { feed.state == .waiting(.notLoaded(location, .offline)) }
    clock.advance(by: 901)
    await checkRequests(0)

    // A retry that is still running is replaced by another request.
    transport.respondToAll { $0.respond(with: Array("a.png\n".utf8), ["ETag": "\"1\""]) }
    world.downloader.isOffline = false
    try await until { feed.state == .loaded }
    #expect(urls(feed) == ["a.png"])
  }

  @Test func intervalZeroSendsOneRequest() async throws {
    let feed = try feed()
    feed.startUpdates(every: 0)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }

    clock.advance(by: 1e6)
    await checkRequests(1)
  }

  @Test func clockOfTheFeedTimesItsUpdates() async throws {
    let own = ManualLoadingClock()
    let feed = try Feed(location, downloader: world.downloader, clock: own)
    feed.startUpdates(every: 100)
    try await respond(to: 1, with: "a.png\n")
    try await until { feed.state == .loaded }

    clock.advance(by: 1000)
    await checkRequests(1)
    own.advance(by: 111)
    try await transport.waitUntilStarted(2)
  }
}
