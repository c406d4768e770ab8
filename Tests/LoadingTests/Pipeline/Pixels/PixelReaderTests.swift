import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lookups of pixels whose response is stored, replaced or removed.
@Suite(.timeLimit(.minutes(5))) struct PixelReaderTests {
  private static let old = FakeDecoder.encodedImage(width: 64, height: 48)
  private static let new = FakeDecoder.encodedImage(width: 32, height: 32)
  private let disk = HeadDisk()
  private let image = Image.solid(width: 64, height: 48)

  /// The codec of the tests, with a name on disk.
  private struct Decoder: ImageDecoding {
    let decoder = FakeDecoder()
    var storageIdentifier: String? { "fake 1" }
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      try decoder.decode(data, options: options)
    }
  }

  private func store(_ body: [UInt8]) {
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    _ = disk.store(
      StoredResponse(response: response, body: body, requested: 0, received: 0), for: request().identity)
  }

  /// Returns a reader of pixels that were made from the body `old`.
  private func reader(_ pixels: MemoryPixelCache) throws -> PixelReader {
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: request(), nil))
    _ = pixels.store(
      image, isAnimated: false, for: PixelKey(identity: request().identity, variant: variant),
      of: HeadDisk.digest(Self.old))
    return try #require(PixelReader(disk, pixels, variants, ledger: MemoryLedger(), countsImages: false))
  }

  private func find(_ reader: PixelReader) -> PixelReader.Find {
    let key = ProcessedImageKey(request(), additionalIdentifier: nil)
    return reader.find(
      [WantedImage(key: key, request: request(), additionalIdentifier: nil)], of: request(),
      on: request().identity)
  }

  @Test func pixelsOfTheStoredBodyAreFound() throws {
    store(Self.old)
    guard case .images(let head, let images) = find(try reader(MemoryPixelCache())) else {
      Issue.record("the pixels are not found")
      return
    }
    #expect(head.body == HeadDisk.digest(Self.old) && head.response.body.isEmpty)
    #expect(images.count == 1 && images.values.first === image)
    #expect(disk.bodiesRead == 0)
  }

  @Test func pixelsOfAReplacedBodyAreAMiss() throws {
    store(Self.new)
    guard case .incomplete = find(try reader(MemoryPixelCache())) else {
      Issue.record("the body is not read")
      return
    }
  }

  @Test func pixelsOfARemovedResponseAreAMiss() throws {
    guard case .missing = find(try reader(MemoryPixelCache())) else {
      Issue.record("pixels without a response are found")
      return
    }
  }

  /// Loads the image, whose response changes after its head was read and before its pixels are looked for.
  private func load(
    changing change: @escaping @Sendable (HeadDisk) -> Void
  ) async throws -> (response: ImageResponse, requests: Int) {
    // The pixels are removed together with their response.
    let pixels = MemoryPixelCache { [disk] in change(disk) }
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.wallClock = { 10 }
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: Self.new) }
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: Decoder(), dataCache: disk,
      pixelCache: pixels)
    store(Self.old)
    let response = try await downloader.image(for: request())
    await downloader.drain()
    return (response, transport.transfers.count)
  }

  @Test func responseReplacedDuringALookupIsShownAnew() async throws {
    let (response, requests) = try await load { disk in
      disk.memory.change(request().identity) { $0.body = Self.new }
    }
    #expect(response.image.pixelWidth == 32 && response.source == .disk && requests == 0)
  }

  @Test func responseRemovedDuringALookupIsFetched() async throws {
    let (response, requests) = try await load { disk in
      _ = disk.removeResponse(for: request().identity)
    }
    #expect(response.image.pixelWidth == 32 && response.source == .network && requests == 1)
  }
}
