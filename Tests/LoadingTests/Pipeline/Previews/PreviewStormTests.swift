import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Previews while callers load, pause and cancel and transfers break, in an order that a seed decides.
@Suite(.timeLimit(.minutes(5))) struct PreviewStormTests {
  private let threads = 3
  private let loadsPerThread = 100

  @Test(
    "under random events no preview shows less than the one before, and all memory is released",
    arguments: 0..<24)
  func previewsNeverShowLessUnderRandomEvents(seed: Int) async throws {
    // Fits two preview decoders, or any number.
    let ledger = MemoryLedger(budget: seed % 2 == 0 ? .max : 120_000)
    let (transport, clock) = (FakeTransport(), ManualLoadingClock())
    var configuration = ImageDownloader.Configuration()
    configuration.decoding.threads = 2
    configuration.environment.clock = clock
    configuration.memory.ledger = ledger
    configuration.retries = RetryPolicy(limit: 3, delay: 0.1)
    configuration.queue.rateLimit = nil
    configuration.intervals.preview = seed % 3 == 0 ? 0 : 0.2
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport],
      decoder: FakeDecoder(showsPreviews: true, previewMemoryKept: 20_000),
      dataCache: seed % 4 == 3 ? MemoryDataCache() : nil)
    let (server, recorder) = (Server(transport), Outcomes())
    for thread in 0..<threads {
      BlockingThread.start { [loadsPerThread] in
        var chance = SplitMix(state: UInt64(seed * 100 + thread))
        var tasks: [ImageTask] = []
        for load in 0..<loadsPerThread {
          let number = thread * loadsPerThread + load
          tasks.append(recorder.load(number, Self.anyRequest(&chance), by: downloader))
          for _ in 0..<chance.next(8) {
            let task = tasks[max(0, tasks.count - 1 - chance.next(6))]
            switch chance.next(12) {
            case 0, 1: task.pause()
            case 2...4: task.resume()
            case 5: task.cancel()
            case 6: clock.advance(by: 0.3)
            default: server.act(&chance)
            }
          }
        }
        recorder.end(tasks)
      }
    }

    var chance = SplitMix(state: UInt64(seed))
    try await until { recorder.ended.count >= threads * loadsPerThread }
    for task in recorder.ended { task.resume() }
    try await until {
      guard downloader.isRunning else { return true }
      server.act(&chance, isReliable: true)
      clock.advance(by: 0.3)
      return false
    }
    await downloader.shutDown()
    try await until { recorder.counts.count >= threads * loadsPerThread }
    #expect(recorder.counts.values.allSatisfy { $0 == 1 })
    #expect(recorder.fractions.values.allSatisfy { $0 == $0.sorted() })
    // The worker threads release their last reservations after the load has ended.
    try await until { ledger.usage.decoding + ledger.usage.bodies == 0 }
  }

  private static func anyRequest(_ chance: inout SplitMix) -> ImageRequest {
    var imageRequest = request(
      "\(chance.next(3))", policy: chance.next(3) == 0 ? .useCache : .reload,
      target: chance.next(2) == 0 ? nil : DecodeTarget(width: 32, height: 24))
    imageRequest.progressive = [.none, .scans, .scans, .blurred][chance.next(4)]
    return imageRequest
  }
}

/// Completions and previews that callers have received, by load number.
private final class Outcomes: Sendable {
  private struct State {
    var ended: [ImageTask] = []
    var counts: [Int: Int] = [:]
    var fractions: [Int: [UInt8]] = [:]
  }

  private let state = Mutex(State())

  /// Tasks of the threads that have started all their loads.
  var ended: [ImageTask] { state.withLock { $0.ended } }
  /// The number of completions of each load.
  var counts: [Int: Int] { state.withLock { $0.counts } }
  /// The fractions of the image that each load has seen, in order.
  var fractions: [Int: [UInt8]] { state.withLock { $0.fractions } }

  func end(_ tasks: [ImageTask]) { state.withLock { $0.ended += tasks } }

  func load(_ number: Int, _ request: ImageRequest, by downloader: ImageDownloader) -> ImageTask {
    downloader.load(
      request, completion: { _ in self.state.withLock { $0.counts[number, default: 0] += 1 } },
      preview: { image in
        let fraction = image.bitmap.withUnsafeBytes { $0[3] }
        self.state.withLock { $0.fractions[number, default: []].append(fraction) }
      })
  }
}

/// Sends an image in chunks over one or more transfers, and breaks some transfers.
private final class Server: Sendable {
  private static let body = FakeDecoder.encodedImage(width: 64, height: 48, count: 9000)

  private let transport: FakeTransport
  /// The offset of the next byte of each transfer.
  private let offsets = Mutex<[ObjectIdentifier: Int]>([:])

  init(_ transport: FakeTransport) { self.transport = transport }

  /// Advances a random running transfer; breaks none if `isReliable` is true.
  func act(_ chance: inout SplitMix, isReliable: Bool = false) {
    var chance = SplitMix(state: chance.next())
    offsets.withLock { offsets in
      let running = transport.running
      guard !running.isEmpty else { return }
      let transfer = running[chance.next(running.count)]
      guard let offset = offsets[ObjectIdentifier(transfer)] else {
        if !isReliable, chance.next(12) == 0 { return transfer.refuse(503) }
        offsets[ObjectIdentifier(transfer)] = Self.begin(transfer, &chance)
        return
      }
      if !isReliable, chance.next(15) == 0 {
        return transfer.fail(.transport(.connectionLost, message: "reset"))
      }
      let end = min(Self.body.count, offset + 300 + chance.next(2500))
      transfer.send(Array(Self.body[offset..<end]))
      offsets[ObjectIdentifier(transfer)] = end
      if end == Self.body.count { transfer.finish() }
    }
  }

  /// Responds to a transfer, and returns the offset of the first byte to send.
  private static func begin(_ transfer: FakeTransfer, _ chance: inout SplitMix) -> Int {
    let first = transfer.request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    var headers: HTTPHeaders = chance.next(2) == 0 ? ["ETag": "\"1\"", "Accept-Ranges": "bytes"] : [:]
    guard first > 0, chance.next(4) > 0 else {
      transfer.respond(headers: headers, expectedLength: body.count)
      return 0
    }
    headers["Content-Range"] = "bytes \(first)-\(body.count - 1)/\(body.count)"
    transfer.respond(status: 206, headers: headers, expectedLength: body.count - first)
    return first
  }
}
