import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The memory of bodies that are being read from or written to disk.
@Suite(.timeLimit(.minutes(1))) struct DiskMemoryTests {
  @Test func bodyReadFromDiskCountsUntilItIsDecoded() async throws {
    let ledger = MemoryLedger()
    let world = DiskWorld(decodingIsHeld: true) { $0.ledger = ledger }
    world.keep()

    let task = world.downloader.load(request())
    await world.world.gate.waitUntilHeld(1)
    #expect(ledger.usage.bodies == Fixture.picture.count)
    world.world.gate.open()
    _ = try await task.response

    #expect(ledger.usage.bodies == 0)
  }

  /// A disk whose writes are blocked.
  private final class SlowDisk: ImageDataCache {
    let gate = Gate()
    private let stored = Mutex(0)
    var count: Int { stored.withLock { $0 } }

    func answer(for identity: RequestIdentity) -> StoredAnswer? { nil }
    func store(_ answer: StoredAnswer, for identity: RequestIdentity) -> Bool {
      gate.pass()
      stored.withLock { $0 += 1 }
      return true
    }
    func removeAnswer(for identity: RequestIdentity) -> Bool { false }
    func removeAllAnswers() -> Bool { false }
    func containsAnswer(for identity: RequestIdentity) -> Bool { false }
  }

  private struct AnyBytes: ImageDecoding {
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      .solid(width: 1, height: 1)
    }
  }

  @Test func bodiesThatWaitForASlowDiskAreBounded() async throws {
    let disk = SlowDisk()
    let transport = FakeTransport()
    let ledger = MemoryLedger()
    var configuration = ImageDownloader.Configuration()
    configuration.ledger = ledger
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: AnyBytes(), dataCache: disk)
    transport.answerAll { $0.answer(with: [UInt8](repeating: 1, count: 5 << 20)) }

    var responses: [ImageResponse] = []
    for number in 0..<8 {
      responses.append(try await downloader.load(request("\(number)")).response)
    }
    await disk.gate.waitUntilHeld(1)
    // Three bodies fit into 16 MiB. The others are shown but not stored.
    try await until { ledger.usage.bodies <= 15 << 20 }
    disk.gate.open()
    await downloader.drain()

    #expect(disk.count == 3)
    var kept = 0
    for response in responses where await response.isStored() { kept += 1 }
    #expect(kept == 3)
  }
}
