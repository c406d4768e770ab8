import FoundationEssentials
import Testing
import VitrineConcurrency
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
    guard case .incomplete = find(try reader(MemoryPixelCache())) else {
      Issue.record("pixels without a response are found")
      return
    }
  }

  /// Returns a downloader whose server has the body `new`.
  private func downloader(
    _ disk: any ImageDataCache, _ pixels: MemoryPixelCache, _ transport: FakeTransport
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.wallClock = { 10 }
    transport.respondToAll { $0.respond(with: Self.new) }
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: Decoder(), dataCache: disk,
      pixelCache: pixels)
  }

  @Test func responsesOfACacheWithoutHeadsAreRead() async throws {
    let (disk, transport) = (DigestDisk(), FakeTransport())
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    _ = disk.store(
      StoredResponse(response: response, body: Self.old, requested: 0, received: 0), for: request().identity)
    let downloader = downloader(disk, MemoryPixelCache(), transport)

    let found = try await downloader.image(for: request())

    #expect(found.source == .disk && found.image.pixelWidth == 64)
    #expect(transport.transfers.isEmpty)
    await downloader.drain()
  }

  @Test func pixelsAreFoundAlthoughVaryNamesAHeaderOfTheRequest() async throws {
    let (pixels, transport) = (MemoryPixelCache(), FakeTransport())
    var varying = request()
    varying.headers = ["X-Client": "kiosk"]
    let head = TransportResponse(
      url: url(), status: 200, headers: ["Cache-Control": "max-age=60", "Vary": "X-Client"])
    _ = disk.store(
      StoredResponse(
        response: head, body: Self.old, varying: [.init(name: "x-client", value: "kiosk")], requested: 0,
        received: 0),
      for: varying.identity)
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: varying, nil))
    _ = pixels.store(
      image, isAnimated: false, for: PixelKey(identity: varying.identity, variant: variant),
      of: HeadDisk.digest(Self.old))
    let downloader = downloader(disk, pixels, transport)

    let found = try await downloader.image(for: varying)

    #expect(found.isFromPixelCache && found.image === image && found.source == .disk)
    #expect(disk.bodiesRead == 0 && transport.transfers.isEmpty)
    // The name is known by now. The image in memory serves no other value of the header.
    #expect(try await downloader.image(for: varying).source == .memory)
    varying.headers = ["X-Client": "panel"]
    #expect(try await downloader.image(for: varying).source == .network)
    await downloader.drain()
  }

  @Test func bodyThatIsReadAfterItsHeadIsWaitedFor() async throws {
    let (pixelGate, gate) = (Gate(), Gate())
    let disk = HeadDisk(gate: gate)
    let pixels = MemoryPixelCache { pixelGate.pass() }
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    _ = disk.store(
      StoredResponse(response: response, body: Self.old, requested: 0, received: 0), for: request().identity)
    let small = request(target: DecodeTarget(width: 8, height: 8))
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: small, nil))
    _ = pixels.store(
      .solid(width: 8, height: 8), isAnimated: false,
      for: PixelKey(identity: small.identity, variant: variant), of: HeadDisk.digest(Self.old))
    let downloader = downloader(disk, pixels, FakeTransport())
    let task = downloader.load(small)
    await pixelGate.waitUntilHeld(1)
    let other = downloader.load(request())
    pixelGate.open()
    await gate.waitUntilHeld(1)

    async let isFinished: Bool = withCheckedContinuation { done in
      BlockingThread.start {
        downloader.waitForStoredImages(upTo: 60)
        done.resume(returning: task.isFinished)
      }
    }
    for _ in 0..<1000 { await Task.yield() }
    gate.open()

    #expect(await isFinished)
    #expect(try await task.response.isFromPixelCache)
    #expect(try await other.response.image.pixelWidth == 64)
    await downloader.drain()
  }

  /// Loads the image, whose response changes after its head was read and before its pixels are looked for.
  private func load(
    changing change: @escaping @Sendable (HeadDisk) -> Void
  ) async throws -> (response: ImageResponse, requests: Int) {
    // The pixels are removed together with their response.
    let pixels = MemoryPixelCache { [disk] in change(disk) }
    let transport = FakeTransport()
    let downloader = downloader(disk, pixels, transport)
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
