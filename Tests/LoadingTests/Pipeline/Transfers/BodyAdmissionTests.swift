import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Bodies reserve memory before they are received, and their transfers pause while the budget is full.
@Suite(.timeLimit(.minutes(5))) struct BodyAdmissionTests {
  private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

  /// Returns a downloader whose transfers have all begun, one for each host.
  private func world(
    budget: Int, bodies: Int, decodingIsHeld: Bool = false,
    _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) -> (world: Fixture, ledger: MemoryLedger, tasks: [ImageTask]) {
    let ledger = MemoryLedger(budget: budget)
    let world = Fixture(
      {
        $0.memory.ledger = ledger
        configure(&$0)
      }, decodingIsHeld: decodingIsHeld)
    let tasks = (0..<bodies).map { world.downloader.load(request(host: "\($0).test")) }
    for transfer in world.transport.transfers { transfer.respond() }
    return (world, ledger, tasks)
  }

  @Test func endlessBodiesExceedHalfOfTheBudgetByAtMostOneBody() async throws {
    let limit = 20_000
    let (world, ledger, tasks) = world(budget: 60_000, bodies: 6)
    var sent = [Int](repeating: 0, count: 6)

    // Each server sends without end; the transport ends a body at its limit.
    try await until {
      guard !world.transport.running.isEmpty else { return true }
      for (index, transfer) in world.transport.transfers.enumerated() where !transfer.isEnded {
        if transfer.isPaused { continue }
        if sent[index] == limit {
          transfer.fail(.tooLarge(.body(bytes: limit)))
        } else {
          transfer.send(bytes(1000))
          sent[index] += 1000
        }
      }
      return false
    }

    for task in tasks {
      await #expect(throws: ImageError.tooLarge(.body(bytes: limit))) { try await task.response }
    }
    #expect(ledger.peak > 30_000, "one body continued beyond half of the budget")
    #expect(ledger.peak <= 30_000 + limit)
    #expect(ledger.usage.total == 0)
  }

  @Test func pausedTransferResumesWhenAnotherBodyIsReleased() async {
    let (world, ledger, tasks) = world(budget: 10_000, bodies: 3)
    let transfers = world.transport.transfers
    transfers[0].send(bytes(3000))
    transfers[1].send(bytes(2000))
    transfers[1].send(bytes(1000))
    #expect(!transfers[1].isPaused, "one body may exceed half of the budget")

    transfers[0].send(bytes(1000))
    transfers[2].send(bytes(1))
    #expect(transfers[0].isPaused && transfers[2].isPaused)
    #expect(tasks[0].progress.received == 3000)
    #expect(ledger.usage.bodies == 6000)
    tasks[1].cancel()
    await transfers[0].waitUntilResumed(1)
    await transfers[2].waitUntilResumed(1)

    #expect(tasks[0].progress.received == 4000)
    #expect(ledger.usage.bodies == 4001)
  }

  @Test func bodyWaitsForADecodeAndThenEvictsItsImage() async throws {
    // The budget fits the image of 12,288 bytes and 7,712 more.
    let (world, ledger, tasks) = world(budget: 20_000, bodies: 2, decodingIsHeld: true)
    world.transport.transfers[0].send(Fixture.body)
    world.transport.transfers[0].finish()
    await world.gate.waitUntilHeld(1)
    let transfer = world.transport.transfers[1]
    transfer.send(bytes(7000))
    #expect(!transfer.isPaused)

    transfer.send(bytes(2000))
    #expect(transfer.isPaused)
    world.gate.open()
    _ = try await tasks[0].response
    await transfer.waitUntilResumed(1)

    #expect(tasks[1].progress.received == 9000)
    // A finished image may be cached and evicted after the body has reserved the memory of its decode.
    #expect(ledger.peak <= 20_000 + 12_288)
    #expect(ledger.usage.cache == 0)
  }

  @Test func cancellingPausedTransfersReleasesAllReservations() async {
    let (world, ledger, tasks) = world(budget: 10_000, bodies: 3)
    let transfers = world.transport.transfers
    for transfer in transfers { transfer.send(bytes(3000)) }
    transfers[1].send(bytes(3000))
    transfers[0].send(bytes(3000))
    #expect(transfers[0].isPaused)

    for task in tasks { task.cancel() }
    await world.downloader.drain()

    #expect(ledger.usage.total == 0)
    #expect(!ledger.isBodyWaiting)
  }

  @Test func pausedTimeDoesNotShortenTheTimeoutOfARetry() async throws {
    let (world, _, tasks) = world(budget: 10_000, bodies: 2) {
      $0.retries = RetryPolicy(limit: 1, delay: 0.1)
      $0.timeouts.total = 60
    }
    let transfers = world.transport.transfers
    transfers[0].send(bytes(6000))
    transfers[1].send(bytes(1000))
    #expect(transfers[1].isPaused)
    world.clock.advance(by: 50)
    tasks[0].cancel()
    await transfers[1].waitUntilResumed(1)
    world.clock.advance(by: 5)

    transfers[1].fail(.transport(.connectionLost, message: "reset"))
    world.clock.advance(by: 1)
    try await world.transport.waitUntilStarted(3)

    let remaining = world.transport.transfers.last?.request.timeouts.total ?? 0
    #expect(abs(remaining - 55) < 0.001)
  }

  @Test func roomThatWasGrantedStaysReserved() {
    let (world, ledger, _) = world(budget: 100_000, bodies: 1)
    guard let receiver = world.transport.transfers.first?.receiverForTesting else { return }

    for count in [5000, 100] {
      let hasRoom = receiver.transportMayReceive(count, resume: {})
      bytes(100).withUnsafeBytes { receiver.transportDidReceive($0) }

      #expect(hasRoom)
      #expect(ledger.usage.bodies == 5000)
    }
  }

  @Test func bytesDeliveredWithoutAdmissionAreCounted() async {
    let (world, ledger, _) = world(budget: 1000, bodies: 1)
    guard let receiver = world.transport.transfers.first?.receiverForTesting else { return }

    bytes(5000).withUnsafeBytes { receiver.transportDidReceive($0) }

    #expect(ledger.usage.bodies == 5000)
  }

  // MARK: Storage

  @Test func growingBodyBufferCopiesRarelyAndReservesEachCopy() {
    var buffer = BodyBuffer()
    let chunk = bytes(16 << 10)
    var (moves, copied) = (0, 0)

    while buffer.count < 8 << 20 {
      let capacity = buffer.bytes.capacity
      let needed = buffer.memoryNeeded(for: chunk.count)
      let before = buffer.count
      chunk.withUnsafeBytes { buffer.append($0) }
      if buffer.bytes.capacity == capacity {
        #expect(needed == buffer.count)
      } else {
        #expect(needed == buffer.count + before, "the old storage exists until the new storage is filled")
        moves += 1
        copied += before
      }
    }

    #expect(moves <= 6)
    #expect(copied <= buffer.bytes.capacity / 2)
  }

  @Test(arguments: [nil, 900_000, 1 << 20])
  func largePiecesArriveUnchanged(expected: Int?) {
    var buffer = BodyBuffer(expected: expected)
    var all: [UInt8] = []

    for (index, length) in [1, 70_000, 16 << 10, 4095, 4096, 4097, 300_000, 0, 200_003, 301_324].enumerated()
    {
      let piece = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
      piece.withUnsafeBytes { buffer.append($0) }
      all += piece
    }

    #expect(all.count == 900_000)
    #expect(buffer.bytes == all)
    #expect(buffer.take() == all)
    #expect(buffer.count == 0)
  }

  @Test func bytesThatAPreviewSharesAreCopiedIntoStorageOfTheSameSize() {
    var buffer = BodyBuffer(bytes(600_000), expected: 2 << 20)
    bytes(200_000).withUnsafeBytes { buffer.append($0) }
    let shared = buffer.bytes
    let capacity = buffer.bytes.capacity

    [UInt8](repeating: 2, count: 100_000).withUnsafeBytes { buffer.append($0) }

    #expect(shared == bytes(800_000))
    #expect(buffer.bytes == bytes(800_000) + [UInt8](repeating: 2, count: 100_000))
    // The allocator rounds up.
    #expect(capacity...(capacity + (64 << 10)) ~= buffer.bytes.capacity)
  }

  @Test func declaredLengthIsTrustedIfSmallOrPartlyReceived() {
    var buffer = BodyBuffer(expected: 64 << 20)
    bytes(10).withUnsafeBytes { buffer.append($0) }
    #expect(buffer.bytes.capacity < 2 << 20)

    var honest = BodyBuffer(expected: 500_000)
    bytes(10).withUnsafeBytes { honest.append($0) }
    #expect(500_000..<600_000 ~= honest.bytes.capacity)

    var large = BodyBuffer(bytes(1 << 20), expected: 10 << 20)
    // More bytes than the rounding of the storage adds.
    bytes(64 << 10).withUnsafeBytes { large.append($0) }
    #expect((10 << 20)..<(11 << 20) ~= large.bytes.capacity)

    var negative = BodyBuffer(expected: -1)
    bytes(10).withUnsafeBytes { negative.append($0) }
    #expect(negative.bytes == bytes(10))
    #expect(negative.memoryNeeded(for: .max) == .max)
  }
}
