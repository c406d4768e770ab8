import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// All actions of callers, a disk, servers, modifiers and the clock, in an order given by a seed.
@Suite(.timeLimit(.minutes(5))) struct DiskStormTests {
  @Test(
    "with any disk contents and events, each task completes once and no work or memory remains",
    arguments: 0..<12)
  func eachTaskCompletesOnceAndNoWorkRemains(seed: Int) async throws {
    let ledger = MemoryLedger()
    let world = DiskWorld {
      $0.memory.ledger = ledger
      $0.retries = RetryPolicy(limit: 1, delay: 1)
      $0.memory.undecodedBytesLimit = 2 * Fixture.body.count
      if seed % 2 == 1 { $0.requests.modifier = { $0 } }
      if seed % 3 == 1 { $0.responses.modifier = { $0 } }
      if seed % 4 == 3 { $0.responses.bodyModifier = { body, _ in body } }
      if seed % 5 == 2 { $0.failureMemory = FailureMemory(timeToLive: 2) }
    }
    let server = DiskStormServer(world)
    let storm = LoadStorm(seed: seed, in: world.world, timeoutSeconds: 50_000)
    let isOver = try await storm.run(
      loading: { Self.anyRequest(&$0) }, disturb: { Self.disturb($0, world, &$1) }, act: { server.act(&$0) },
      respondToAll: server.respondToAll)
    guard isOver else { return }

    await world.downloader.drain()
    #expect(world.transport.running.isEmpty)
    #expect(world.downloader.activeDownloadCount == 0)
    #expect(world.downloader.waitingDownloadCount == 0)
    await world.downloader.shutDown()
    // A thread releases its bytes just after it has reported its end.
    try await until { ledger.usage.bodies + ledger.usage.decoding == 0 }
    #expect(ledger.usage.bodies == 0 && ledger.usage.decoding == 0)
  }

  @Test func downloaderReleasedDuringLookupsCompletesAllTasks() async throws {
    let recorder = await MainActor.run { Recorder<Int>() }
    for round in 0..<20 {
      let gate = Gate()
      do {
        let world = DiskWorld(lookupsAreHeldBy: gate)
        for number in 0..<20 {
          world.store("\(number)", age: number % 2 == 0 ? 0 : 100)
          world.downloader.load(request("\(number)"), completion: { _ in recorder.add(round * 20 + number) })
        }
        await gate.waitUntilHeld(2)
      }
      gate.open()
    }
    #expect(try await Set(recorder.wait(for: 400)).count == 400)
  }

  private static func anyRequest(_ chance: inout SplitMix) -> ImageRequest {
    let policies: [ImageRequest.CachePolicy] = [.useCache, .useCache, .refresh, .reload, .cacheOnly]
    var imageRequest = request(
      "\(chance.next(8))", host: chance.next(2) == 0 ? "a.test" : "b.test",
      priority: ImageRequest.Priority(rawValue: chance.next(5)) ?? .normal, policy: policies[chance.next(5)],
      target: chance.next(2) == 0 ? nil : DecodeTarget(width: 8, height: 8))
    imageRequest.cache = [.downloader, .diskOnly, .diskOnly, .memoryOnly, .none][chance.next(5)]
    if chance.next(2) == 0 { imageRequest.headers["X-Device"] = "\(chance.next(3))" }
    return imageRequest
  }

  private static func disturb(_ task: ImageTask, _ world: DiskWorld, _ chance: inout SplitMix) {
    switch chance.next(32) {
    case 0...4: task.pause()
    case 5...10: task.resume()
    case 11...14: task.cancel()
    case 15...18: task.priority = ImageRequest.Priority(rawValue: chance.next(5)) ?? .normal
    case 19: world.downloader.networkReturned()
    case 20: world.downloader.isSuspended.toggle()
    case 21: world.downloader.prioritization = [.fifo, .lifo, .newestBatch][chance.next(3)]
    case 22: world.downloader.maximumActiveDownloads = 1 + chance.next(8)
    case 23: world.downloader.removeCachedData(for: task.request, completion: nil)
    case 24: world.downloader.removeAllCachedData(completion: nil)
    case 25: world.downloader.removeAllCachedImages()
    case 26...28:
      world.store("\(chance.next(8))", age: Double(chance.next(3) * 50), headers: headers(&chance))
    case 29: world.store("\(chance.next(8))", body: [1, 2, 3])
    case 30: world.calendar.advance(by: 30)
    default: world.world.clock.advance(by: 0.5)
    }
  }

  fileprivate static func headers(_ chance: inout SplitMix) -> HTTPHeaders {
    [
      "ETag": "\"\(chance.next(2))\"", "Vary": "X-Device",
      "Cache-Control": [
        "max-age=60", "max-age=60, stale-while-revalidate=100", "no-cache", "no-store", "max-age=0",
      ][chance.next(5)],
    ]
  }
}

/// A server that ends one transfer at a time, with success or failure.
private final class DiskStormServer: Sendable {
  private let world: DiskWorld

  init(_ world: DiskWorld) { self.world = world }

  /// Ends a random running transfer in a random way.
  func act(_ chance: inout SplitMix) {
    let running = world.transport.running
    guard !running.isEmpty else { return }
    let transfer = running[chance.next(running.count)]
    switch chance.next(9) {
    case 0: transfer.fail(.transport(.connectionLost, message: "reset"))
    case 1: transfer.refuse(503)
    case 2: transfer.refuse(404)
    case 3:
      transfer.respond(headers: ["ETag": "\"1\""], expectedLength: 6000)
      transfer.send([UInt8](repeating: 32, count: 5000))
      transfer.fail(.transport(.truncatedBody, message: "partial"))
    case 4: transfer.respond(with: [UInt8](repeating: 60, count: 100), DiskStormTests.headers(&chance))
    case 5 where transfer.request.headers["If-None-Match"] != nil:
      transfer.respondNotModified(DiskStormTests.headers(&chance))
    default: transfer.respond(with: Fixture.body, DiskStormTests.headers(&chance))
    }
  }

  func respondToAll() {
    for transfer in world.transport.running { transfer.respond(with: Fixture.body, DiskWorld.minute) }
  }
}
