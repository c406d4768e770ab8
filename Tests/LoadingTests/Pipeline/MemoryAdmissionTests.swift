import Callbacks
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A downloader reserves the memory of bodies and images in a ledger before it takes the memory.
@Suite(.timeLimit(.minutes(5))) struct MemoryAdmissionTests {
  private static let imageBytes = 64 * 48 * PixelFormat.bytesPerPixel

  // MARK: Loading within the budget

  @Test(
    "All images that fit the budget load, and the peak exceeds it by at most one image per thread",
    arguments: [imageBytes, imageBytes * 5 / 2], [1, 2, 4])
  func imagesThatFitTheBudgetLoad(budget: Int, threads: Int) async throws {
    let ledger = MemoryLedger(budget: budget)
    let world = Fixture {
      $0.memory.ledger = ledger
      $0.decoding.threads = threads
    }
    world.transport.respondToAll { $0.respond(with: Fixture.body) }

    // Images that callers hold count, so only as many are loaded at a time as there are threads. The threads release
    // bodies shortly after they have delivered the responses.
    for first in stride(from: 0, to: 60, by: threads) {
      let tasks = (first..<(first + threads)).map { world.downloader.load(request("\($0)")) }
      for task in tasks { _ = try await task.response }
      try await until { ledger.usage.bodies == 0 }
    }

    // Bodies are a few bytes each. Each thread may insert an image into the cache before any thread evicts others.
    let bodies = Fixture.body.count * threads
    #expect(ledger.peak <= budget + threads * Self.imageBytes + bodies)
    try await until { ledger.usage.decoding == 0 && ledger.usage.shown == 0 }
    #expect(ledger.usage.total <= max(budget, 0))
    #expect(ledger.usage.cache == world.cache.usage)
  }

  @Test(arguments: [0, 1, imageBytes - 1])
  func imageLargerThanTheBudgetIsRefusedBeforeDecoding(budget: Int) async throws {
    let ledger = MemoryLedger(budget: budget)
    let world = Fixture { $0.memory.ledger = ledger }

    let error = await #expect(throws: ImageError.self) { try await world.loaded(request("large")) }

    #expect(error == .tooLarge(.memory(needed: Self.imageBytes, allowed: budget)))
    #expect(error?.isMemoryShortage == false)
    #expect(world.decoder.calls.isEmpty)
    #expect(ledger.usage.total == 0)
    #expect(ledger.peak < Self.imageBytes)
  }

  @Test func refusedImageLoadsAtASmallerSize() async throws {
    let ledger = MemoryLedger(budget: Self.imageBytes - 1)
    let world = Fixture { $0.memory.ledger = ledger }
    await #expect(throws: ImageError.self) { try await world.loaded(request()) }

    let response = try await world.loaded(request(target: DecodeTarget(width: 16, height: 12)))

    #expect(response.image.pixelWidth == 16)
  }

  // MARK: Counting

  @Test func bodiesCountUntilTheyAreDecoded() async throws {
    let ledger = MemoryLedger()
    let world = Fixture({ $0.memory.ledger = ledger }, decodingIsHeld: true)
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    transfer.respond()
    transfer.send(Array(Fixture.body[..<5]))
    #expect(ledger.usage.bodies == 5)
    transfer.send(Array(Fixture.body[5...]))
    transfer.finish()
    await world.gate.waitUntilHeld(1)
    #expect(ledger.usage.bodies == Fixture.body.count)
    #expect(ledger.usage.decoding == Self.imageBytes)

    world.gate.open()
    _ = try await task.response

    #expect(ledger.usage.cache == Self.imageBytes)
    #expect(ledger.usage.total == Self.imageBytes)
  }

  @Test func cancelledOrFailedTransferReleasesItsBody() async {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    let cancelled = world.downloader.load(request("a"))
    let failed = world.downloader.load(request("b"))
    for transfer in world.transport.transfers {
      transfer.respond()
      transfer.send([1, 2, 3])
    }
    #expect(ledger.usage.bodies == 6)

    cancelled.cancel()
    world.transport.transfers[1].fail(.status(500))
    _ = try? await failed.response

    #expect(ledger.usage.total == 0)
  }

  @Test func imageCountsWhileItIsTransformed() async throws {
    let ledger = MemoryLedger()
    let gate = Gate()
    let world = Fixture { $0.memory.ledger = ledger }
    let task = world.downloader.load(request(transforms: [HeldTransform(gate: gate)]))
    world.transport.transfers[0].respond(with: Fixture.body)
    await gate.waitUntilHeld(1)
    #expect(ledger.usage.decoding == Self.imageBytes, "the result is reserved")
    #expect(ledger.usage.shown == Self.imageBytes, "the source image is counted")

    gate.open()
    _ = try await task.response

    #expect(ledger.usage.decoding == 0)
  }

  private struct HeldTransform: ImageTransform {
    let gate: Gate
    let identifier = "held"
    func apply(to image: Image) -> Image {
      gate.pass()
      return image
    }
  }
}
