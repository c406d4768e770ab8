import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Random sequences of what callers, servers, modifiers and the clock can do, repeatable by seed.
@Suite(.timeLimit(.minutes(5))) struct FaultStormTests {
  @Test("Under random events each load completes once, and no transfer and no body stays", arguments: 0..<12)
  func randomEventsCompleteEachLoadOnce(seed: Int) async throws {
    let ledger = MemoryLedger()
    let world = Fixture {
      $0.memory.ledger = ledger
      $0.retries = RetryPolicy(limit: 2, delay: 1)
      $0.queue.rateLimit = RateLimit(burst: 8, perSecond: 4)
      if seed % 2 == 1 { $0.requests.modifier = { $0 } }
      if seed % 3 == 1 { $0.responses.modifier = { $0 } }
      if seed % 4 == 3 { $0.responses.bodyModifier = { body, _ in body } }
    }
    let server = Server(world.transport)
    let storm = LoadStorm(seed: seed, in: world, timeoutSeconds: 20_000)
    let isOver = try await storm.run(
      loading: { Self.anyRequest(&$0) }, disturb: { Self.disturb($0, world, &$1) }, act: { server.act(&$0) },
      respondToAll: server.respondToAll)
    guard isOver else { return }

    #expect(world.transport.running.isEmpty)
    #expect(world.downloader.activeDownloadCount == 0)
    #expect(world.downloader.waitingDownloadCount == 0)
    guard world.transport.running.isEmpty else { return }
    await world.downloader.drain()
    await world.downloader.shutDown()
    #expect(ledger.usage.bodies == 0)
  }

  @Test func twoLoadsThatPauseAndResumeLeaveTheirTransferRunning() async {
    for _ in 0..<20 {
      let world = Fixture { $0.queue.rateLimit = nil }
      let tasks = (0..<2).map { _ in world.downloader.load(request()) }
      await whileBusy(world.downloader) {
        await withTaskGroup(of: Void.self) { group in
          for task in tasks {
            group.addTask {
              for _ in 0..<50 {
                task.pause()
                task.resume()
              }
            }
          }
        }
      }
      #expect(world.transport.running.count == 1)
    }
  }

  @Test func transferOfAModifiedRequestStopsWhenCancelled() async throws {
    let world = Fixture {
      $0.queue.rateLimit = nil
      $0.requests.modifier = { $0 }
    }
    try await whileBusy(world.downloader) {
      for number in 0..<100 {
        let task = world.downloader.load(request())
        try await world.transport.waitUntilStarted(number + 1)
        task.cancel()
      }
    }
    await world.downloader.drain()
    #expect(world.transport.running.isEmpty)
  }

  /// Runs `body` while threads keep the downloader busy, so that other callers wait between two steps.
  private func whileBusy(_ downloader: ImageDownloader, _ body: () async throws -> Void) async rethrows {
    let flag = Flag()
    for _ in 0..<3 {
      BlockingThread.start { while flag.isSet.load(ordering: .relaxed) { _ = downloader.isRunning } }
    }
    defer { flag.isSet.store(false, ordering: .relaxed) }
    try await body()
  }

  private final class Flag: Sendable {
    let isSet = Atomic(true)
  }

  private static func anyRequest(_ chance: inout SplitMix) -> ImageRequest {
    var imageRequest = request(
      "\(chance.next(8))", host: chance.next(2) == 0 ? "a.test" : "b.test",
      priority: ImageRequest.Priority(rawValue: chance.next(5)) ?? .normal,
      policy: chance.next(4) == 0 ? .useCache : .reload)
    if chance.next(2) == 0 { imageRequest.headers["X-Device"] = "\(chance.next(3))" }
    return imageRequest
  }

  private static func disturb(_ task: ImageTask, _ world: Fixture, _ chance: inout SplitMix) {
    switch chance.next(24) {
    case 0...4: task.pause()
    case 5...10: task.resume()
    case 11...14: task.cancel()
    case 15...18: task.priority = ImageRequest.Priority(rawValue: chance.next(5)) ?? .normal
    case 19: world.downloader.networkReturned()
    case 20: world.downloader.isSuspended.toggle()
    case 21: world.downloader.prioritization = chance.next(2) == 0 ? .fifo : .lifo
    case 22: world.downloader.maximumActiveDownloads = 1 + chance.next(8)
    default: world.clock.advance(by: 0.5)
    }
  }
}

/// A server that answers one transfer at a time, successfully or not.
private final class Server: Sendable {
  private static let body = Fixture.body + [UInt8](repeating: UInt8(ascii: " "), count: 6000)

  private let transport: FakeTransport
  /// Transfers that have received part of their body.
  private let halves = Mutex<Set<ObjectIdentifier>>([])

  init(_ transport: FakeTransport) { self.transport = transport }

  /// Answers or fails a random running transfer.
  func act(_ chance: inout SplitMix) {
    let chance = chance.next()
    halves.withLock { halves in
      let running = transport.running
      guard !running.isEmpty else { return }
      let transfer = running[Int(chance >> 32) % running.count]
      if halves.contains(ObjectIdentifier(transfer)) {
        return transfer.fail(.transport(.truncatedBody, message: "partial"))
      }
      switch chance % 8 {
      case 0: transfer.fail(.transport(.connectionLost, message: "reset"))
      case 1:
        transfer.respond(status: 429, headers: chance & 8 == 0 ? ["Retry-After": "2"] : [:])
        transfer.fail(.status(429))
      case 2:
        transfer.respond(status: 404)
        transfer.fail(.status(404))
      case 3:
        halves.insert(ObjectIdentifier(transfer))
        transfer.respond(headers: ["ETag": "\"1\""], expectedLength: Self.body.count)
        transfer.send(Array(Self.body[..<5000]))
      case 4:
        transfer.respond(
          status: 206, headers: ["Content-Range": "bytes \(chance >> 52)-9999/10000"])
        transfer.send([UInt8](repeating: 32, count: Int(chance >> 52)))
        transfer.finish()
      default: Self.respond(to: transfer)
      }
    }
  }

  func respondToAll() {
    halves.withLock { halves in
      for transfer in transport.running {
        if halves.contains(ObjectIdentifier(transfer)) {
          transfer.fail(.transport(.truncatedBody, message: "partial"))
        } else {
          Self.respond(to: transfer)
        }
      }
    }
  }

  private static func respond(to transfer: FakeTransfer) {
    let first = transfer.request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    var headers: HTTPHeaders = ["ETag": "\"1\"", "Vary": "X-Device"]
    if first > 0 { headers["Content-Range"] = "bytes \(first)-\(body.count - 1)/\(body.count)" }
    transfer.respond(
      status: first > 0 ? 206 : 200, headers: headers, expectedLength: body.count - first)
    transfer.send(Array(body[first...]))
    transfer.finish()
  }
}
