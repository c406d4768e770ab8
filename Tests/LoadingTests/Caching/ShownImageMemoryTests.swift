import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Images in use that no cache counts.
@Suite(.timeLimit(.minutes(5))) struct ShownImageMemoryTests {
  private static let imageBytes = 64 * 48 * PixelFormat.bytesPerPixel

  @Test func imageThatTheCacheRefusesCountsUntilItIsReleased() async throws {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    world.cache.entryCostLimit = 0

    var image: Image? = try await world.loaded(request()).image
    #expect(ledger.usage.shown == Self.imageBytes)
    #expect(ledger.usage.cache == 0)
    #expect(image?.isCounted == true)

    image = nil
    try await until { ledger.usage.total == 0 }
  }

  @Test func imageInTheCacheCountsOnce() async throws {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }

    let image = try await world.loaded(request()).image
    #expect(ledger.usage.cache == Self.imageBytes)
    #expect(ledger.usage.total == Self.imageBytes)
    world.cache.insert(image, for: request("other"), additionalIdentifier: nil)
    world.cache.removeImage(for: request(), additionalIdentifier: nil)
    #expect(ledger.usage.total == Self.imageBytes, "another entry has the same image")
  }

  @Test func imageThatTheCacheEvictsCountsWhileItIsInUse() async throws {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    var image: Image? = try await world.loaded(request("used")).image
    _ = try await world.loaded(request("unused"))
    await world.downloader.drain()

    world.cache.purge(to: 0)
    #expect(ledger.usage.cache == 0)
    try await until { ledger.usage.shown == Self.imageBytes }

    world.cache.insert(try #require(image), for: request("used"), additionalIdentifier: nil)
    #expect(ledger.usage.shown == 0)
    #expect(ledger.usage.cache == Self.imageBytes)
    world.cache.removeAllImages()
    #expect(ledger.usage.shown == Self.imageBytes)

    image = nil
    try await until { ledger.usage.total == 0 }
  }

  @Test func imagesInUseCountAfterTheirCacheIsReleased() async throws {
    let ledger = MemoryLedger()
    var image: Image? = try await {
      let world = Fixture { $0.memory.ledger = ledger }
      return try await world.loaded(request()).image
    }()

    try await until { ledger.usage.cache == 0 && ledger.usage.shown == Self.imageBytes }

    #expect(image != nil)
    image = nil
    try await until { ledger.usage.total == 0 }
  }

  @Test func imagesThatSharePixelsCountOnce() async throws {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    world.cache.entryCostLimit = 0
    var image: Image? = try await world.loaded(request()).image

    var template = image?.withRenderingMode(.alwaysTemplate)
    image = nil
    await world.downloader.drain()
    #expect(ledger.usage.shown == Self.imageBytes)

    #expect(template != nil)
    template = nil
    try await until { ledger.usage.total == 0 }
  }

  @Test func transformedImageCountsAndItsSourceDoesNot() async throws {
    struct Half: ImageTransform {
      let identifier = "half"
      func apply(to image: Image) -> Image { .solid(width: 32, height: 24) }
    }
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    world.cache.entryCostLimit = 0

    let response = try await world.loaded(request(transforms: [Half()]))

    try await until { ledger.usage.total == Self.imageBytes / 4 }
    #expect(ledger.usage.shown == response.image.cost)
  }

  /// Loads an image of 30 MiB that the cache refuses, and moves the clock until the load has ended.
  private func loadLarge(_ name: String, _ world: Fixture) async throws -> Result<Image, ImageError> {
    let task = world.downloader.load(request(name))
    try #require(world.transport.transfers.last).respond(
      with: FakeDecoder.encodedImage(width: 4096, height: 1920))
    try await until {
      world.clock.advance(by: 0.1)
      return task.isFinished
    }
    do {
      return .success(try await task.response.image)
    } catch {
      return .failure(error)
    }
  }

  @Test func largeImagesInUseDoNotExceedTheBudget() async throws {
    let ledger = MemoryLedger(budget: 64 << 20)
    let world = Fixture { $0.memory.ledger = ledger }
    world.cache.entryCostLimit = 0
    var shown: [Image] = []
    var errors: [ImageError] = []

    for name in ["a", "b", "c", "d"] {
      switch try await loadLarge(name, world) {
      case .success(let image): shown.append(image)
      case .failure(let error): errors.append(error)
      }
    }

    #expect(shown.count == 2)
    #expect(errors.allSatisfy { $0.isMemoryShortage } && errors.count == 2)
    #expect(ledger.peak <= 64 << 20)
    #expect(ledger.usage.shown == 60 << 20)

    shown.removeFirst()
    if case .success(let image) = try await loadLarge("e", world) { shown.append(image) }
    #expect(shown.count == 2, "a released image makes room")
  }
}
