import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Bodies use the storage of earlier bodies that have been decoded.
@Suite(.timeLimit(.minutes(1))) struct BodyPoolTests {
  private let pool = BodyPool()

  private func address(_ body: [UInt8]) -> UnsafeRawPointer? { body.withUnsafeBytes { $0.baseAddress } }

  private func append(_ count: Int, of byte: UInt8, to buffer: inout BodyBuffer) {
    [UInt8](repeating: byte, count: count).withUnsafeBytes { buffer.append($0) }
  }

  /// Gives a body whose storage came from the pool.
  private func give(_ count: Int, of byte: UInt8 = 7) {
    var buffer = BodyBuffer(expected: count, from: pool)
    append(count, of: byte, to: &buffer)
    pool.give(buffer.take())
  }

  @Test func storageOfABodyServesTheNextOne() {
    var first = BodyBuffer(expected: 230_000, from: pool)
    append(230_000, of: 1, to: &first)
    #expect(first.memoryUsed == 230_000)
    var body = first.take()
    let storage = address(body)
    pool.give(body)
    body = []

    var second = BodyBuffer(expected: 220_000, from: pool)
    append(100_000, of: 2, to: &second)
    #expect(second.memoryUsed == second.bytes.capacity, "the storage has its pages")
    append(120_000, of: 3, to: &second)

    #expect(address(second.bytes) == storage)
    let expected = [UInt8](repeating: 2, count: 100_000) + [UInt8](repeating: 3, count: 120_000)
    #expect(second.bytes == expected)
    #expect(pool.byteCount == 0)
  }

  @Test func bodyThatIsStillInUseStaysAsItIs() {
    var first = BodyBuffer(expected: 200_000, from: pool)
    append(200_000, of: 7, to: &first)
    let body = first.take()
    pool.give(body)

    var next = BodyBuffer(expected: 200_000, from: pool)
    append(100_000, of: 8, to: &next)
    #expect(next.memoryUsed == 100_000, "new storage")
    append(100_000, of: 8, to: &next)

    #expect(body == [UInt8](repeating: 7, count: 200_000))
    #expect(next.bytes == [UInt8](repeating: 8, count: 200_000))
  }

  @Test func growingBodyMovesItsBytesToTheStorage() {
    give(250_000)

    var body = BodyBuffer(from: pool)
    for byte in 0..<3 { append(60_000, of: UInt8(byte), to: &body) }

    #expect(body.bytes == (0..<3).flatMap { [UInt8](repeating: UInt8($0), count: 60_000) })
    #expect(pool.byteCount == 0)
  }

  /// The bytes of a download that has ended early may be kept for long.
  @Test func fewBytesAreCopiedOutOfUsedStorage() {
    give(200_000)
    var body = BodyBuffer(expected: 200_000, from: pool)
    append(10_000, of: 9, to: &body)

    let part = body.take()

    #expect(part == [UInt8](repeating: 9, count: 10_000) && part.capacity < 20_000)
    #expect(pool.byteCount >= 200_000 && body.count == 0 && body.memoryUsed == 0)
  }

  @Test func usedStorageIsReservedAsAWhole() {
    give(200_000)
    var body = BodyBuffer(expected: 200_000, from: pool)

    let needed = body.memoryNeeded(for: 10_000)
    append(10_000, of: 1, to: &body)

    #expect(needed >= 200_000 && needed == body.memoryUsed && body.memoryNeeded(for: 10_000) == needed)
    #expect(BodyBuffer(expected: 200_000, from: pool).memoryNeeded(for: 10_000) == 10_000, "new storage")
  }

  @Test("an abandoned download reserves no more than its bytes", arguments: [true, false])
  func abandonedDownloadReservesItsBytes(isResumable: Bool) {
    give(200_000)
    let ledger = MemoryLedger()
    let receiver = FetchReceiver(
      id: FetchID(number: 1), Exchange(request(), resumable: nil),
      assembler: ResponseAssembler(storingIn: pool),
      configuration: .init(), ledger: ledger, secondsQueued: 0, delegate: IdleDelegate())
    var headers = HTTPHeaders()
    if isResumable {
      headers["ETag"] = "\"1\""
      headers["Accept-Ranges"] = "bytes"
    }
    receiver.transportDidReceive(
      TransportResponse(url: url(), status: 200, headers: headers, expectedLength: 200_000))
    [UInt8](repeating: 1, count: 10_000).withUnsafeBytes { receiver.transportDidReceive($0) }
    #expect(ledger.usage.bodies >= 200_000, "the storage of the earlier body")

    let resumable = receiver.abandon()

    #expect(resumable?.bytes.count == (isResumable ? 10_000 : nil))
    #expect(ledger.usage.bodies == (isResumable ? 10_000 : 0))
    withExtendedLifetime(resumable) {}
  }

  @Test func bodyThatIsGivenTwiceIsKeptOnce() {
    var buffer = BodyBuffer(expected: 200_000, from: pool)
    append(200_000, of: 1, to: &buffer)
    _ = pool.take(200_000)
    let body = buffer.take()

    pool.give(body)
    let kept = pool.byteCount
    pool.give(body)

    #expect(kept >= 200_000 && pool.byteCount == kept)
  }

  @Test func usedStorageHasAtMostAQuarterMoreThanTheBody() throws {
    give(200_000)

    let small = try #require(pool.take(140_000))
    #expect(small.storage.capacity < 175_000 && !small.isReused)
    let other = try #require(pool.take(190_000))
    #expect(other.storage.isEmpty && other.storage.capacity >= 200_000 && other.isReused)
  }

  @Test func smallAndLargeBodiesHaveTheirOwnStorage() {
    for length in [0, 1, 128 << 10 - 1, 1 << 20 + 1, .max] { #expect(pool.take(length) == nil, "\(length)") }
    give(200_000)
    let kept = pool.byteCount
    pool.give([1, 2, 3])
    pool.give([UInt8](repeating: 0, count: 2 << 20))
    #expect(kept >= 200_000 && pool.byteCount == kept)
  }

  /// For example a body from a disk cache.
  @Test func bodyThatTookNoStorageIsNotKept() {
    pool.give([UInt8](repeating: 0, count: 200_000))

    #expect(pool.byteCount == 0)
  }

  @Test func theLastBodiesAreKeptUpToALimit() throws {
    let bodies = (0..<10).map { byte in
      var buffer = BodyBuffer(expected: 300_000, from: pool)
      append(300_000, of: UInt8(byte), to: &buffer)
      return buffer.take()
    }
    for body in bodies { pool.give(body) }

    #expect(900_000...1_310_720 ~= pool.byteCount)
  }

  @Test func poolLivesAsLongAsItsBodies() {
    let shared = SharedBodyPool()
    var arriving: BodyPool? = shared.current
    _ = arriving?.take(200_000)
    arriving?.give([UInt8](repeating: 0, count: 200_000))
    let decoding = shared.current
    #expect(decoding === arriving)

    arriving = nil
    #expect(shared.current.byteCount > 0)
    withExtendedLifetime(decoding) {}
  }

  @Test func storageIsReleasedWithTheLastBody() {
    let shared = SharedBodyPool()
    do {
      let pool = shared.current
      _ = pool.take(200_000)
      pool.give([UInt8](repeating: 0, count: 200_000))
      #expect(shared.current.byteCount > 0)
    }

    #expect(shared.current.byteCount == 0)
  }

  @Test("the storage of a decoded body is kept while other bodies arrive", arguments: [true, false])
  func decodedBodyIsKept(isDamaged: Bool) async throws {
    let shared = SharedBodyPool()
    let arriving = shared.current
    _ = arriving.take(200_000)
    let workers = WorkerPool(threads: 1)
    let maker = ImageMaker(
      TestDecoder(isDamaged: isDamaged), workers: workers, ledger: MemoryLedger(), bodies: shared,
      configuration: .init(), countsImages: false)
    let key = DecodeKey(request("a.jpg").identity, target: nil, limits: .init())

    let isDecoded = await withCheckedContinuation { continuation in
      maker.decode(
        DecodeID(number: 1), [UInt8](repeating: 0, count: 200_000), key, .normal
      ) { result, _ in continuation.resume(returning: (try? result.get()) != nil) }
    }

    #expect(isDecoded == !isDamaged)
    try await until { arriving.byteCount > 0 }
  }
}

private final class IdleDelegate: FetchReceiverDelegate {
  func fetchBegins(_ receiver: FetchReceiver) -> Bool { true }
  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver) {}
  func bytesArrived(_ beginning: PreviewSchedule.Beginning, of receiver: FetchReceiver) -> Int64 { .max }
  func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?) {}
  func count(_ metrics: TransportMetrics) {}
  func transportEnded() {}
}

/// Returns a white pixel for any bytes, or fails.
private struct TestDecoder: ImageDecoding {
  let isDamaged: Bool

  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    if isDamaged { throw .decoding(.jpeg, message: "damaged") }
    return Image(
      Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { bytes, _ in
        bytes.initializeMemory(as: UInt8.self, repeating: 255)
      })
  }
}
