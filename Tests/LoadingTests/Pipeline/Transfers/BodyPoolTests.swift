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

  @Test func storageOfABodyServesTheNextOne() throws {
    var first = BodyBuffer(expected: 200_000, from: pool)
    append(200_000, of: 1, to: &first)
    var body = first.take()
    let storage = address(body)
    pool.give(body)
    body = []

    var second = BodyBuffer(expected: 250_000, from: pool)
    append(100_000, of: 2, to: &second)
    append(150_000, of: 3, to: &second)

    #expect(address(second.bytes) == storage)
    let expected = [UInt8](repeating: 2, count: 100_000) + [UInt8](repeating: 3, count: 150_000)
    #expect(second.bytes == expected)
    #expect(pool.byteCount == 0)
  }

  @Test func bodyThatIsStillInUseStaysAsItIs() throws {
    let body = [UInt8](repeating: 7, count: 200_000)
    pool.give(body)

    var next = BodyBuffer(expected: 200_000, from: pool)
    append(200_000, of: 8, to: &next)

    #expect(body == [UInt8](repeating: 7, count: 200_000))
    #expect(next.bytes == [UInt8](repeating: 8, count: 200_000))
  }

  @Test func growingBodyMovesItsBytesToTheStorage() throws {
    pool.give([UInt8](repeating: 7, count: 500_000))

    var body = BodyBuffer(from: pool)
    for byte in 0..<5 { append(60_000, of: UInt8(byte), to: &body) }

    #expect(body.bytes == (0..<5).flatMap { [UInt8](repeating: UInt8($0), count: 60_000) })
    #expect(pool.byteCount == 0)
  }

  @Test func capacityIsTheNextPowerOfTwo() throws {
    for (length, capacity) in [
      (128 << 10, 128 << 10), (200_000, 1 << 18), (1 << 18, 1 << 18), (1 << 20, 1 << 20),
    ] {
      let storage = try #require(pool.take(length))
      #expect(storage.isEmpty && capacity..<(capacity + capacity / 4) ~= storage.capacity, "\(length)")
    }
  }

  @Test func smallAndLargeBodiesHaveTheirOwnStorage() {
    for length in [0, 1, 128 << 10 - 1, 1 << 20 + 1, .max] { #expect(pool.take(length) == nil, "\(length)") }
    pool.give([1, 2, 3])
    pool.give([UInt8](repeating: 0, count: 2 << 20))
    #expect(pool.byteCount == 0)
  }

  @Test func theLastBodiesAreKeptUpToALimit() throws {
    for byte in 0..<20 { pool.give([UInt8](repeating: UInt8(byte), count: 300_000)) }

    #expect(600_000...1_310_720 ~= pool.byteCount)
    // The oldest one that is kept is used first.
    let before = pool.byteCount
    let storage = try #require(pool.take(300_000))
    #expect(storage.isEmpty && pool.byteCount < before)
  }

  @Test func poolLivesAsLongAsItsBodies() {
    let shared = SharedBodyPool()
    var arriving: BodyPool? = shared.current
    arriving?.give([UInt8](repeating: 0, count: 200_000))
    let decoding = shared.current
    #expect(decoding === arriving)

    arriving = nil
    #expect(shared.current.byteCount > 0)
    withExtendedLifetime(decoding) {}
  }

  @Test func storageIsReleasedWithTheLastBody() {
    let shared = SharedBodyPool()
    shared.current.give([UInt8](repeating: 0, count: 200_000))

    #expect(shared.current.byteCount == 0)
  }

  @Test("the storage of a decoded body is kept while other bodies arrive", arguments: [true, false])
  func decodedBodyIsKept(isDamaged: Bool) async throws {
    let shared = SharedBodyPool()
    let arriving = shared.current
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
