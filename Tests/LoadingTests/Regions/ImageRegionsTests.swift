import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Regions of an image with a fake transport and a fake decoder.
@Suite(.timeLimit(.minutes(5))) @MainActor struct ImageRegionsTests {
  private let transport = FakeTransport()
  private let decoder = RegionFakeDecoder()
  private let ledger = MemoryLedger(budget: 10 << 20)
  private let downloader: ImageDownloader
  private let layouts = Recorder<RegionLayout?>()
  private let images = Recorder<Image?>()

  init() {
    var configuration = ImageDownloader.Configuration()
    configuration.decoding.threads = 1
    configuration.environment.clock = ManualLoadingClock()
    configuration.retries = .none
    configuration.memory.ledger = ledger
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport, LocalTransport()], decoder: decoder)
  }

  private let region = ImageRegion(reduction: 2, x: 10, y: 20, width: 30, height: 40)
  private let body = FakeDecoder.encodedImage(width: 640, height: 480)

  private func open(_ regions: ImageRegions, of content: ContentID? = nil) {
    regions.open(of: content) { [layouts] in layouts.add(try? $0.get()) }
  }

  /// Returns an image that was opened from the network.
  private func opened() async throws -> ImageRegions {
    let regions = try #require(ImageRegions(of: request(), from: downloader))
    open(regions)
    try await transport.transfer(1).respond(with: body)
    _ = try await layouts.wait(for: 1)
    return regions
  }

  @Test func imageFromTheNetworkIsLoadedAndOpened() async throws {
    let regions = try await opened()

    #expect(
      layouts.values == [
        RegionLayout(sourceWidth: 640, sourceHeight: 480, isMirrored: false, isFlipped: false)
      ])
    #expect(regions.layout == layouts.values[0])
    #expect(ledger.usage.decoding == body.count + RegionFakeDecoder.retainedBytes)
    open(regions)
    await drainMainQueue(rounds: 2)
    #expect(layouts.values.count == 1, "an open image is not opened again")
    #expect(transport.transfers.count == 1)
  }

  @Test func regionIsDecodedAndCountedUntilItIsReleased() async throws {
    let regions = try await opened()
    var decoded: [Image] = []

    _ = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    decoded = try await images.wait(for: 1).compactMap(\.self)

    #expect(decoder.decoded == [region])
    #expect(decoded.map(\.pixelWidth) == [30])
    #expect(decoded.map(\.format) == [.png])
    #expect(ledger.usage.shown == 30 * 40 * 4)
  }

  @Test func fileIsReadInPartsAndNotKept() async throws {
    let files = try LocalFiles()
    let url = try files.write(body, to: "a.jpg")
    let regions = try #require(ImageRegions(of: ImageRequest(url: url), from: downloader))

    open(regions)

    #expect(
      try await layouts.wait(for: 1) == [
        RegionLayout(sourceWidth: 640, sourceHeight: 480, isMirrored: false, isFlipped: false)
      ])
    #expect(ledger.usage.decoding == RegionFakeDecoder.retainedBytes)
    _ = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    #expect(try await images.wait(for: 1).first??.pixelHeight == 40)
  }

  @Test func fileThatHasReplacedTheShownImageIsNotOpened() async throws {
    let files = try LocalFiles()
    let url = try files.write(body, to: "a.jpg")
    let shown = ContentID(samplesOf: EncodedBytes(body))
    let regions = try #require(ImageRegions(of: ImageRequest(url: url), from: downloader))
    open(regions, of: shown)
    #expect(try await layouts.wait(for: 1)[0]?.sourceWidth == 640)
    regions.close()

    _ = try files.write(FakeDecoder.encodedImage(width: 640, height: 480, color: .white), to: "a.jpg")
    open(regions, of: shown)

    #expect(try await layouts.wait(for: 2)[1] == nil)
    #expect(!regions.isActive)
    #expect(ledger.usage.decoding == 0)
  }

  @Test func imageThatItsServerHasReplacedIsNotOpened() async throws {
    let regions = try #require(ImageRegions(of: request(), from: downloader))
    open(regions, of: ContentID(samplesOf: EncodedBytes(body)))
    try await transport.transfer(1).respond(
      with: FakeDecoder.encodedImage(width: 640, height: 480, color: .white))
    #expect(try await layouts.wait(for: 1) == [nil])

    open(regions, of: ContentID(samplesOf: EncodedBytes(body)))
    try await transport.transfer(2).respond(with: body)
    #expect(try await layouts.wait(for: 2)[1]?.sourceWidth == 640)
  }

  @Test(arguments: ["missing.jpg", "folder"])
  func unreadableFileIsNotOpened(name: String) async throws {
    let files = try LocalFiles()
    try FileManager.default.createDirectory(
      at: files.folder.appending(path: "folder"), withIntermediateDirectories: true)
    let regions = try #require(
      ImageRegions(of: ImageRequest(url: files.folder.appending(path: name)), from: downloader))

    open(regions)

    #expect(try await layouts.wait(for: 1) == [nil])
    #expect(!regions.isActive)
    #expect(ledger.usage.decoding == 0)
  }

  @Test func failedLoadAndImageThatIsDecodedAsAWholeAreNotOpened() async throws {
    let regions = try #require(ImageRegions(of: request(), from: downloader))
    open(regions)
    try await transport.transfer(1).fail(.transport(.connectionLost, message: "gone"))
    #expect(try await layouts.wait(for: 1) == [nil])

    open(regions)
    try await transport.transfer(2).respond(with: bytes("whole"))
    #expect(try await layouts.wait(for: 2) == [nil, nil])
    #expect(!regions.isActive)
    #expect(ledger.usage.decoding == 0)
  }

  @Test func closingCancelsTheLoadAndReleasesTheBytes() async throws {
    let regions = try #require(ImageRegions(of: request(), from: downloader))
    open(regions)
    let transfer = try await transport.transfer(1)
    regions.close()
    try await until { transfer.isCancelled }

    open(regions)
    try await transport.transfer(2).respond(with: body)
    _ = try await layouts.wait(for: 1)
    regions.close()
    #expect(ledger.usage.decoding == 0)
    #expect(layouts.values.count == 1)

    _ = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    #expect(try await images.wait(for: 1) == [nil])
  }

  @Test func cancelledRegionIsStoppedAndNotDelivered() async throws {
    let regions = try await opened()
    decoder.gate.close()
    let running = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    await decoder.gate.waitUntilHeld(1)
    let waiting = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }

    waiting.cancel()
    running.cancel()
    decoder.gate.open()
    await downloader.drain()
    await drainMainQueue(rounds: 2)

    #expect(images.values.isEmpty)
    #expect(decoder.decoded.isEmpty)
    #expect(ledger.usage.shown == 0)
  }

  @Test func regionsOfTheSameRowsAreDecodedTogetherFromTopToBottom() async throws {
    decoder.hasRows = true
    let regions = try await opened()

    let wanted = [(40, 100), (0, 100), (80, 100), (0, 20), (40, 20)]
    let loads = wanted.map { x, y in
      let region = ImageRegion(reduction: 1, x: x, y: y, width: 44 + x, height: 24)
      return regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    }
    let decoded = try await images.wait(for: 5)

    #expect(
      decoder.decoded == [
        ImageRegion(reduction: 1, x: 0, y: 20, width: 124, height: 24),
        ImageRegion(reduction: 1, x: 0, y: 100, width: 204, height: 24),
      ])
    #expect(
      decoded.map { $0?.pixelWidth } == [44, 84, 84, 44, 124], "in the order of the requests of each row")
    #expect(ledger.usage.shown == decoded.reduce(0) { $0 + ($1?.cost ?? 0) })
    withExtendedLifetime(loads) {}
  }

  @Test func cancelledRegionOfARunningBandIsNotDelivered() async throws {
    decoder.hasRows = true
    let regions = try await opened()
    decoder.gate.close()
    let (left, right) = (region, ImageRegion(reduction: 2, x: 36, y: 20, width: 50, height: 40))
    let cancelled = regions.decode(left, priority: .high) { [images] in images.add(try? $0.get()) }
    let kept = regions.decode(right, priority: .high) { [images] in images.add(try? $0.get()) }
    await decoder.gate.waitUntilHeld(1)

    cancelled.cancel()
    decoder.gate.open()

    #expect(try await images.wait(for: 1).map { $0?.pixelWidth } == [50])
    await downloader.drain()
    await drainMainQueue(rounds: 2)
    #expect(images.values.count == 1)
    withExtendedLifetime(kept) {}
  }

  @Test func downloaderIsNotIdleBeforeAllBandsAreDecoded() async throws {
    decoder.hasRows = true
    let regions = try await opened()
    let loads = [20, 100].map { y in
      let region = ImageRegion(reduction: 1, x: 0, y: y, width: 40, height: 20)
      return regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    }

    await downloader.drain()

    #expect(decoder.decoded.count == 2)
    withExtendedLifetime(loads) {}
  }

  @Test func cancelledRegionsLeaveTheDownloaderIdle() async throws {
    decoder.hasRows = true
    let regions = try await opened()
    regions.decode(region, priority: .high) { _ in }.cancel()

    await downloader.drain()

    #expect(decoder.decoded.isEmpty)
  }

  @Test func regionIsDecodedAfterABandThatWasCancelled() async throws {
    decoder.hasRows = true
    let regions = try await opened()
    decoder.gate.close()
    let cancelled = [0, 40].map { x in
      let region = ImageRegion(reduction: 1, x: x, y: 0, width: 44, height: 20)
      return regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    }
    await decoder.gate.waitUntilHeld(1)

    for load in cancelled { load.cancel() }
    let next = regions.decode(region, priority: .high) { [images] in images.add(try? $0.get()) }
    regions.close()
    decoder.gate.open()

    #expect(try await images.wait(for: 1).map { $0?.pixelWidth } == [30])
    #expect(decoder.decoded == [region])
    withExtendedLifetime(next) {}
  }

  @Test func regionsThatAreTooLargeTogetherAreDecodedAlone() async throws {
    decoder.hasRows = true
    decoder.largestWidth = 50
    let regions = try await opened()

    let parts = [0, 40, 80].map { ImageRegion(reduction: 1, x: $0, y: 0, width: 44, height: 20) }
    let loads = parts.map { regions.decode($0, priority: .high) { [images] in images.add(try? $0.get()) } }

    #expect(try await images.wait(for: 3).map { $0?.pixelWidth } == [44, 44, 44])
    #expect(decoder.decoded == parts)
    withExtendedLifetime(loads) {}
  }

  @Test func regionThatNeedsMoreThanTheBudgetIsRefused() async throws {
    let regions = try await opened()
    let errors = Recorder<ImageError?>()
    decoder.memory = 20 << 20

    _ = regions.decode(region, priority: .high) { result in
      if case .failure(let error) = result { errors.add(error) } else { errors.add(nil) }
    }

    let error = try await errors.wait(for: 1)[0]
    guard case .tooLarge(.memory(let needed, let allowed)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(needed > allowed)
    #expect(decoder.decoded.isEmpty)
  }

  @Test func pressureIsPassedOn() async throws {
    let regions = try await opened()
    let pressures = Recorder<Bool>()
    regions.onPressure = { pressures.add($0) }

    ledger.handlePressure(.warning)
    ledger.handlePressure(.critical)

    #expect(try await pressures.wait(for: 2) == [false, true])
    withExtendedLifetime(regions) {}
  }

  @Test func requestsThatAreDecodedAsAWholeHaveNoRegions() {
    #expect(ImageRegions(of: request(transforms: [GatedTransform()]), from: downloader) == nil)
    var data = request()
    data.decodes = false
    #expect(ImageRegions(of: data, from: downloader) == nil)
    #expect(ImageRegions(of: request(), from: Fixture().downloader) == nil, "a decoder without regions")
  }
}

/// Decodes regions of the images of a `FakeDecoder`.
private final class RegionFakeDecoder: ImageRegionDecoding {
  static let retainedBytes = 1000

  private struct Regions: ImageRegionDecoder {
    let layout: RegionLayout
    let format = ImageFormat.png
    let decoder: RegionFakeDecoder
    var retainedBytes: Int { RegionFakeDecoder.retainedBytes }

    func rows(of region: ImageRegion) -> Range<Int>? {
      decoder.hasRows ? region.y * region.reduction..<(region.y + region.height) * region.reduction : nil
    }

    func memoryNeeded(for region: ImageRegion) -> Int { max(region.byteCount, decoder.memory) }

    func decode(_ region: ImageRegion, cancellation: DecodeCancellation) throws(ImageError) -> Bitmap {
      decoder.gate.pass()
      try cancellation.check()
      guard region.width <= decoder.largestWidth else { throw .tooLarge(.pixels(0)) }
      decoder.recorded.withLock { $0.append(region) }
      return Bitmap(width: region.width, height: region.height, color: .white)
    }
  }

  let gate = Gate(isOpen: true)
  private let whole = FakeDecoder()
  fileprivate let recorded = Mutex<[ImageRegion]>([])
  private let need = Mutex(0)
  private let rows = Mutex(false)
  private let width = Mutex(Int.max)

  var decoded: [ImageRegion] { recorded.withLock { $0 } }
  /// The least number of bytes that a region needs.
  var memory: Int {
    get { need.withLock { $0 } }
    set { need.withLock { $0 = newValue } }
  }

  /// True if regions of the same rows are decoded together.
  var hasRows: Bool {
    get { rows.withLock { $0 } }
    set { rows.withLock { $0 = newValue } }
  }
  /// The largest width of a region that is decoded.
  var largestWidth: Int {
    get { width.withLock { $0 } }
    set { width.withLock { $0 = newValue } }
  }

  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try whole.decode(data, options: options)
  }

  func memoryForRegions(of bytes: EncodedBytes) -> Int { bytes.count }

  func regionDecoder(
    for bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) -> any ImageRegionDecoder {
    let numbers = String(decoding: bytes.prefix(100), as: UTF8.self).split(separator: " ").compactMap {
      Int($0)
    }
    guard numbers.count >= 2 else { throw .notSupported }
    return Regions(
      layout: RegionLayout(
        sourceWidth: numbers[0], sourceHeight: numbers[1], isMirrored: false, isFlipped: false), decoder: self
    )
  }
}
