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
    var decoder = FakeDecoder()
    /// True to return animations of two equal frames.
    var isAnimated = false
    var storageIdentifier: String? { "fake 1" }
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      let image = try decoder.decode(data, options: options)
      let frame = Image.Frame(bitmap: image.bitmap)
      return isAnimated ? Image(frames: [frame, frame]) : image
    }
  }

  private func store(_ body: [UInt8]) {
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    _ = disk.store(
      StoredResponse(response: response, body: body, requested: 0, received: 0), for: request().identity)
  }

  /// Returns a reader of pixels that were made from the body `old`.
  private func reader(_ pixels: MemoryPixelCache, isAnimated: Bool = false) throws -> PixelReader {
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: request(), nil))
    _ = pixels.store(
      image, isAnimated: isAnimated, for: PixelKey(identity: request().identity, variant: variant),
      of: HeadDisk.digest(Self.old))
    return try #require(PixelReader(disk, pixels, variants, ledger: MemoryLedger(), countsImages: false))
  }

  private func find(
    _ reader: PixelReader, isForSlot: Bool = false, onlyFirstFrame: Bool = false
  ) -> PixelReader.Find {
    let key = ProcessedImageKey(request(), additionalIdentifier: nil)
    let wanted = WantedImage(
      key: key, request: request(), additionalIdentifier: nil, isForSlot: isForSlot,
      onlyFirstFrame: onlyFirstFrame)
    return reader.find([wanted], of: request(), on: request().identity)
  }

  @Test("the stored image of a slot that refreshes it is preceded by a smaller variant")
  @MainActor func storedImageIsPrecededByASmallerVariant() async throws {
    store(Self.old)
    var configuration = ImageDownloader.Configuration()
    configuration.environment.wallClock = { 10 }
    let variants = try #require(PixelVariants(Decoder(), configuration))
    var smaller = request()
    smaller.targetSize = DecodeTarget(width: 16, height: 12)
    let pixels = MemoryPixelCache()
    _ = pixels.store(
      .solid(width: 16, height: 12), isAnimated: false,
      for: PixelKey(
        identity: request().identity, variant: try #require(variants.variant(of: smaller, nil))),
      of: HeadDisk.digest(Self.old))
    let gate = Gate(isOpen: false)
    let downloader = ImageDownloader(
      configuration: configuration, transports: [FakeTransport()],
      decoder: Decoder(decoder: FakeDecoder(gate: gate)), dataCache: disk, pixelCache: pixels)
    let (previews, results) = (Recorder<Int>(), Recorder<Int>())

    _ = downloader.loadStoredImage(
      request(), additionalIdentifier: nil, preview: { previews.add($0.pixelWidth) },
      completion: { results.add((try? $0.get().image.pixelWidth) ?? 0) })

    #expect(try await previews.wait(for: 1) == [16])
    gate.open()
    #expect(try await results.wait(for: 1) == [64])
    await downloader.drain()
  }

  @Test("pixels that were made for another scale of the display are not found")
  func pixelsOfAnotherScaleAreNotFound() throws {
    store(Self.old)
    let reader = try reader(MemoryPixelCache())
    guard case .images = find(reader) else {
      Issue.record("the pixels of the first scale are not found")
      return
    }
    var larger = request()
    larger.imageScale = 2
    let wanted = WantedImage(
      key: ProcessedImageKey(larger, additionalIdentifier: nil), request: larger, additionalIdentifier: nil,
      isForSlot: false, onlyFirstFrame: false)

    guard case .incomplete = reader.find([wanted], of: larger, on: larger.identity) else {
      Issue.record("pixels of another scale are found")
      return
    }
  }

  @Test func pixelsOfTheStoredBodyAreFound() throws {
    store(Self.old)
    guard case .images(let head, true, let images, _, _) = find(try reader(MemoryPixelCache())) else {
      Issue.record("the pixels are not found")
      return
    }
    #expect(head.body == HeadDisk.digest(Self.old) && head.response.body.isEmpty)
    #expect(images.count == 1 && images.values.first === image)
    #expect(disk.bodiesRead == 0)
  }

  @Test(
    "a body is looked for after its head only if the cache may have bodies without heads",
    arguments: [true, false])
  func responseWithoutHead(findsAllHeads: Bool) async throws {
    let (disk, pixels) = (HeadDisk(findsAllHeads: findsAllHeads), MemoryPixelCache())
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: Self.old) }
    let downloader = downloader(disk, pixels, transport, Decoder(), clock: ManualLoadingClock())

    let response = try await downloader.image(for: request())

    #expect(response.source == .network)
    #expect(disk.bodiesRead == (findsAllHeads ? 0 : 1))
  }

  // MARK: Smaller variants

  /// Looks for the image in another size than that of the stored pixels.
  private func findLarger(
    _ reader: PixelReader, target: DecodeTarget? = nil, transforms: [any ImageTransform] = [],
    isForSlot: Bool = true
  ) -> [Image]? {
    let larger = request(target: target ?? DecodeTarget(width: 100, height: 100), transforms: transforms)
    let wanted = WantedImage(
      key: ProcessedImageKey(larger, additionalIdentifier: nil), request: larger, additionalIdentifier: nil,
      isForSlot: isForSlot)
    guard
      case .images(_, _, let images, let firstFrames, let smaller) = reader.find(
        [wanted], of: larger, on: larger.identity)
    else { return nil }
    #expect(images.isEmpty && firstFrames.isEmpty)
    return Array(smaller.values)
  }

  @Test func smallerVariantIsFoundForASlot() throws {
    store(Self.old)
    let reader = try reader(MemoryPixelCache())

    #expect(findLarger(reader) == [image])
    #expect(findLarger(reader, isForSlot: false) == nil)
    #expect(findLarger(reader, target: DecodeTarget(width: 64, height: 47)) == nil, "it has more pixels")
    #expect(findLarger(reader, target: DecodeTarget(width: .max, height: .max)) == [image])
    #expect(findLarger(reader, transforms: [CircleTransform()]) == nil, "another image")
    #expect(disk.bodiesRead == 0)
  }

  @Test func smallerVariantOfAReplacedBodyIsNotFound() throws {
    store(Self.new)
    #expect(findLarger(try reader(MemoryPixelCache())) == nil)
  }

  @MainActor @Test func slotIsShownTheSmallerVariantAndThenReceivesTheImage() async throws {
    let gate = Gate()
    let (disk, pixels) = (HeadDisk(gate: gate), MemoryPixelCache())
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    let body = FakeDecoder.encodedImage(width: 640, height: 480)
    _ = disk.store(
      StoredResponse(response: response, body: body, requested: 0, received: 0), for: request().identity)
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    let variant = try #require(variants.variant(of: request(target: .init(width: 64, height: 48)), nil))
    _ = pixels.store(
      image, isAnimated: false, for: PixelKey(identity: request().identity, variant: variant),
      of: HeadDisk.digest(body))
    // A clock that stands still: a body that waits at the gate is not late.
    let downloader = downloader(disk, pixels, FakeTransport(), clock: ManualLoadingClock())
    var shown: [Image] = []

    let task = downloader.load(
      request(target: .init(width: 320, height: 240)), isForSlot: true, preview: { shown.append($0) })
    try await until { !shown.isEmpty }
    await gate.waitUntilHeld(1)

    #expect(shown == [image] && !image.isPreview)
    gate.open()
    let result = try await task.response
    #expect(result.image.pixelWidth == 320 && result.source == .disk && !result.isFromPixelCache)
    #expect(!result.hasStoredFirstFrame)
    #expect(shown == [image])
    await downloader.drain()
  }

  // MARK: Animations

  @Test(arguments: [(true, false), (false, true)])
  func firstFrameOfAnAnimationIsFoundApart(isForSlot: Bool, onlyFirstFrame: Bool) throws {
    store(Self.old)
    let reader = try reader(MemoryPixelCache(), isAnimated: true)
    guard
      case .images(_, _, let images, let firstFrames, _) = find(
        reader, isForSlot: isForSlot, onlyFirstFrame: onlyFirstFrame)
    else {
      Issue.record("the first frame is not found")
      return
    }
    #expect(images.isEmpty && firstFrames.count == 1 && firstFrames.values.first === image)
    #expect(disk.bodiesRead == 0)
  }

  @Test func bodyOfAnAnimationIsReadIfNoFirstFrameIsShown() throws {
    store(Self.old)
    guard case .incomplete = find(try reader(MemoryPixelCache(), isAnimated: true)) else {
      Issue.record("the body is not read")
      return
    }
  }

  @Test func firstFrameAndAnimationSharePixels() throws {
    let variants = try #require(PixelVariants(Decoder(), ImageDownloader.Configuration()))
    var first = request()
    first.animation = .firstFrame
    #expect(variants.variant(of: first, nil) == variants.variant(of: request(), nil))
  }

  /// Returns a downloader with the pixels of the first frame, and the disk whose bodies are read at a gate.
  private func animationDownloader(
    _ transport: FakeTransport = FakeTransport(), bodiesAt gate: Gate
  ) throws -> (downloader: ImageDownloader, disk: HeadDisk) {
    let (disk, pixels) = (HeadDisk(gate: gate), MemoryPixelCache())
    let response = TransportResponse(url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    _ = disk.store(
      StoredResponse(response: response, body: Self.old, requested: 0, received: 0), for: request().identity)
    _ = try reader(pixels, isAnimated: true)
    // A clock that stands still: a body that waits at the gate is not late.
    let clock = ManualLoadingClock()
    return (downloader(disk, pixels, transport, Decoder(isAnimated: true), clock: clock), disk)
  }

  @MainActor @Test func slotIsShownTheFirstFrameAndThenReceivesTheAnimation() async throws {
    let gate = Gate()
    let (downloader, _) = try animationDownloader(bodiesAt: gate)
    var shown: [Image] = []
    var results: [Result<ImageResponse, ImageError>] = []

    let task = downloader.load(
      request(), isForSlot: true, completion: { results.append($0) }, preview: { shown.append($0) })
    try await until { !shown.isEmpty }
    await gate.waitUntilHeld(1)

    #expect(shown == [image] && !image.isPreview && results.isEmpty)
    #expect(downloader.cachedImage(for: request()) == nil)
    // The first frame of the window does not wait for the other frames of the image.
    await withCheckedContinuation { done in
      BlockingThread.start {
        downloader.waitForStoredImages(upTo: 60)
        done.resume()
      }
    }
    gate.open()
    let response = try await task.response
    try await until { !results.isEmpty }
    #expect(response.image.isAnimated && response.source == .disk && results.count == 1)
    #expect(shown == [image])
    #expect(downloader.cachedImage(for: request()) === response.image)
    await downloader.drain()
  }

  @Test func requestForTheFirstFrameReadsNoBodyAndLeavesMemoryToTheAnimation() async throws {
    let (downloader, disk) = try animationDownloader(bodiesAt: Gate(isOpen: true))
    var first = request()
    first.animation = .firstFrame

    let still = try await downloader.image(for: first)
    #expect(still.image === image && still.isFromPixelCache && disk.bodiesRead == 0)

    let animated = try await downloader.image(for: request())
    #expect(animated.image.isAnimated && animated.source == .disk)
    #expect(downloader.cachedImage(for: first)?.isAnimated == false)
    await downloader.drain()
  }

  @MainActor @Test func missingBodyIsFetchedAfterTheFirstFrame() async throws {
    let gate = Gate()
    let (downloader, disk) = try animationDownloader(bodiesAt: gate)
    var shown: [Image] = []
    let task = downloader.load(request(), isForSlot: true, preview: { shown.append($0) })
    await gate.waitUntilHeld(1)
    _ = disk.removeResponse(for: request().identity)
    gate.open()

    let response = try await task.response

    #expect(response.source == .network && response.image.isAnimated && response.image.pixelWidth == 32)
    #expect(shown == [image])
    await downloader.drain()
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
    _ disk: any ImageDataCache, _ pixels: MemoryPixelCache, _ transport: FakeTransport,
    _ decoder: Decoder = Decoder(), clock: any LoadingClock = ManualLoadingClock()
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.wallClock = { 10 }
    configuration.environment.clock = clock
    transport.respondToAll { $0.respond(with: Self.new) }
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: decoder, dataCache: disk,
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
