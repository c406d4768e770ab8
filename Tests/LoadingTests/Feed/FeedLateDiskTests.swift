import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lists from a server whose stored copies are on a disk that responds late or not at all.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FeedLateDiskTests {
  private let gate = Gate()
  private let world: DiskWorld

  init() {
    world = DiskWorld(lookupsAreHeldBy: gate)
    let then = world.calendar.now - 3600
    world.disk.store(
      StoredResponse(
        response: TransportResponse(url: url("list.txt"), status: 200, headers: DiskWorld.minute),
        body: Array("old.png\n".utf8), requested: then, received: then),
      for: ImageRequest(url: url("list.txt"), headers: ["Accept": "text/plain, */*;q=0.8"]).identity)
  }

  private func feed() throws -> Feed {
    try Feed("http://a.test/list.txt", downloader: { [world] in world.downloader }, random: { 0 })
  }

  private func urls(_ feed: Feed) -> [String] { feed.items.map { String($0.url.suffix(7)) } }

  /// Starts a feed whose lookup is held, and returns the request that its server receives because of that.
  private func requestOfLateFeed(_ feed: Feed) async throws -> FakeTransfer {
    feed.reload()
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.deadline)
    // The request to the server looks at the disk as well.
    await gate.waitUntilHeld(2)
    world.world.clock.advance(by: LookupLine.deadline)
    return try await world.transfer()
  }

  @Test func serverIsAskedIfTheDiskHangs() async throws {
    let feed = try feed()
    let transfer = try await requestOfLateFeed(feed)
    #expect(feed.isLoading && feed.items.isEmpty)

    transfer.respond(with: Array("new.png\n".utf8), DiskWorld.minute)
    try await until { feed.state == .loaded }
    #expect(urls(feed) == ["new.png"])

    gate.open()
    await world.downloader.drain()
    await drainMainQueue(rounds: 6)
    #expect(urls(feed) == ["new.png"] && world.transport.transfers.count == 1)
  }

  @Test func storedListThatArrivesBeforeTheAnswerIsShown() async throws {
    let feed = try feed()
    let transfer = try await requestOfLateFeed(feed)

    gate.open()
    try await until { feed.state == .stale(nil) }
    #expect(urls(feed) == ["old.png"] && feed.isLoading)

    transfer.respond(with: Array("new.png\n".utf8), DiskWorld.minute)
    try await until { feed.state == .loaded }
    #expect(urls(feed) == ["new.png"] && world.transport.transfers.count == 1)
  }

  @Test(arguments: [503, 403]) func storedListIsShownIfTheServerFailsFirst(status: Int) async throws {
    let feed = try feed()
    let transfer = try await requestOfLateFeed(feed)
    transfer.refuse(status)
    await drainMainQueue(rounds: 6)

    gate.open()
    try await until { !feed.isLoading }
    #expect(urls(feed) == ["old.png"])
    await world.downloader.drain()
  }

  @Test func releasedFeedEndsItsLookup() async throws {
    var feed: Feed? = try feed()
    feed?.reload()
    await gate.waitUntilHeld(1)
    feed = nil
    gate.open()
    await world.downloader.drain()
    #expect(world.transport.transfers.isEmpty)
  }
}
