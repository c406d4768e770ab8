import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The ways to name an image: a request, a URL or a text.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SourceTests {
  private let world = Fixture(disk: MemoryDataCache())
  private let text = "http://a.test/a.jpg"

  /// The three ways to name the image of `request()`.
  nonisolated static let sources: [any ImageRequestConvertible & Sendable] = [
    "http://a.test/a.jpg", url("a.jpg"), request(),
  ]

  @Test(arguments: 0..<3) func everySourceTypeFindsTheCachedImage(index: Int) async throws {
    let source = Self.sources[index]
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    let response = try await world.downloader.image(for: request())
    #expect(await response.isStored())

    #expect(world.downloader.cachedImage(for: source) === response.image)
    #expect(await world.downloader.containsCachedData(for: source))
    #expect(try await world.downloader.load(source).response.source == .memory)
    let isImageRemoved = world.downloader.removeCachedImage(for: source)
    #expect(isImageRemoved)
    #expect(try await world.downloader.load(source).response.source == .disk)
    #expect(await world.downloader.removeCachedData(for: source))
    #expect(await !world.downloader.removeCachedData(for: source))
    let isFailureRemoved = world.downloader.removeFailure(for: source)
    #expect(!isFailureRemoved)
  }

  @Test func removingAllDataReturnsWhetherThereWasAny() async throws {
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    let response = try await world.downloader.image(for: request())
    #expect(await response.isStored())

    #expect(await world.downloader.removeAllCachedData())
    #expect(await !world.downloader.removeAllCachedData())
    #expect(await !world.downloader.containsCachedData(for: text))
  }

  @Test(arguments: ["", "no address", "a/b.jpg"]) func invalidTextFailsWithItsText(text: String) async throws
  {
    let downloader = world.downloader
    var results: [Result<ImageResponse, ImageError>] = []
    let task = downloader.load(text, completion: { results.append($0) })
    #expect(results.isEmpty, "the completion is called after the call")
    try await until { !results.isEmpty }

    #expect(results.count == 1)
    #expect(throws: ImageError.invalidURL(text)) { try results.first?.get() }
    #expect(task.isFinished)
    await #expect(throws: ImageError.invalidURL(text)) { try await task.response }
    #expect(downloader.cachedImage(for: text) == nil)
    #expect(!downloader.removeCachedImage(for: text))
    #expect(!downloader.removeFailure(for: text))
    #expect(await !downloader.containsCachedData(for: text))
    #expect(await !downloader.removeCachedData(for: text))
    #expect(downloader.statistics.failures == 1)
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func responseDescribesItselfInOneLine() {
    let image = Image(Bitmap(width: 640, height: 480, color: .black), format: .jpeg)
    func text(_ source: ImageResponse.Source, _ freshness: ImageResponse.Freshness) -> String {
      "\(ImageResponse(image: image, source: source, freshness: freshness))"
    }

    #expect(text(.network, .revalidated) == "640x480 jpeg from the network, revalidated")
    #expect(text(.memory, .fresh) == "640x480 jpeg from memory, fresh")
    #expect(text(.file, .stale(age: 90.4, reason: nil)) == "640x480 jpeg from a file, stale, 1 min old")
    #expect(
      text(.disk, .stale(age: .nan, reason: .status(503)))
        == "640x480 jpeg from disk, stale, 0 s old (the server responded with 503)")
  }
}
