import FoundationEssentials
import Glibc
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// `DiskProbe hang` and `DiskProbe slow` load images while the disk hangs, so that the diagnostic log reports it.
enum HangingDisk {
  /// A disk cache whose stores never end.
  private final class Cache: ImageDataCache {
    let gate = Gate()

    func response(for identity: RequestIdentity) -> StoredResponse? { nil }
    func containsResponse(for identity: RequestIdentity) -> Bool { false }
    func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
      gate.pass()
      return true
    }
    func removeResponse(for identity: RequestIdentity) -> Bool { false }
    func removeAllResponses() -> Bool { false }
  }

  static func run(isSlow: Bool) async throws {
    let (cache, clock, transport) = (Cache(), ManualLoadingClock(), FakeTransport())
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    // While memory is scarce, a body of 9 MiB may wait for the disk, but not two.
    configuration.memory.ledger = MemoryLedger(budget: 32 << 20)
    // Large bodies of small images.
    configuration.responses.bodyModifier = { _, _ in FakeDecoder.encodedImage(width: 1, height: 1) }
    let body = FakeDecoder.encodedImage(width: 1, height: 1, count: isSlow ? 9 << 20 : 100)
    transport.respondToAll { transfer in
      transfer.respond(headers: ["Cache-Control": "max-age=60"], expectedLength: body.count)
      transfer.send(body)
      transfer.finish()
    }
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), cache: nil,
      dataCache: cache)
    for number in 0..<4 {
      _ = try await downloader.image(for: "http://a.test/\(number).jpg")
      // Downloads wait for a slow disk for two seconds.
      if isSlow, number == 0 { clock.advance(by: 2) }
    }
    await cache.gate.waitUntilHeld(1)
    if !isSlow { for _ in 0..<3 { clock.advance(by: 10) } }
  }
}
