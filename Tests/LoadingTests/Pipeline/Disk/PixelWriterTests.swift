import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The times at which pixels are written while slots load images.
@Suite(.timeLimit(.minutes(5))) struct PixelWriterTests {
  /// A body with more bytes than the pixels of its image. Such pixels are always stored.
  private static let body = FakeDecoder.encodedImage(width: 4, height: 4, count: 1000)

  /// The codec of the tests, with a name on disk.
  private struct Decoder: ImageDecoding {
    let decoder = FakeDecoder()
    let clock: ManualLoadingClock
    var storageIdentifier: String? { "fake 1" }
    /// Decodes for a millisecond.
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      clock.advance(by: 0.001)
      return try decoder.decode(data, options: options)
    }
  }

  private let pixels = MemoryPixelCache()
  private let transport = FakeTransport()
  private let clock = ManualLoadingClock()
  private let downloader: ImageDownloader

  init() { downloader = Self.downloader(transport, pixels, clock) }

  private static func downloader(
    _ transport: FakeTransport, _ pixels: MemoryPixelCache, _ clock: ManualLoadingClock
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: Decoder(clock: clock),
      dataCache: HeadDisk(), pixelCache: pixels)
  }

  /// Begins a load for a slot, which is not answered.
  private func keepSlotWaiting() async throws -> ImageTask {
    let task = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    return task
  }

  /// Loads an image for a slot and answers the request.
  private func load(_ name: String) async throws {
    let count = transport.transfers.count
    let task = downloader.load(request(name), isForSlot: true)
    try await transport.transfer(count + 1).respond(with: Self.body, DiskWorld.minute)
    _ = try await task.response
  }

  @Test func pixelsAreWrittenWhenNoSlotWaits() async throws {
    let other = try await keepSlotWaiting()
    try await load("a.jpg")
    try await until { !downloader.engine.isBusy }
    #expect(pixels.count == 0)
    other.cancel()
    try await until { pixels.count == 1 }
    await downloader.drain()
  }

  @Test func pixelsAreWrittenAfterASecondWhileSlotsWait() async throws {
    let other = try await keepSlotWaiting()
    try await load("a.jpg")
    try await until { !downloader.engine.isBusy }
    #expect(pixels.count == 0)
    clock.advance(by: SlotHold.longestWait)
    try await until { pixels.count == 1 }
    other.cancel()
    await downloader.drain()
  }

  @Test func pixelsThatWaitAreWrittenAtTheEndOfTheProgram() async throws {
    let other = try await keepSlotWaiting()
    try await load("a.jpg")
    try await load("b.jpg")
    downloader.finishWriting(within: 60)
    #expect(pixels.count == 2)
    other.cancel()
    await downloader.drain()
  }

  @Test func pixelsOfARemovedResponseAreNotWritten() async throws {
    let other = try await keepSlotWaiting()
    try await load("a.jpg")
    try await load("b.jpg")
    #expect(await downloader.removeCachedData(for: request("a.jpg")))
    other.cancel()
    await downloader.drain()
    #expect(pixels.count == 1)
  }

  @Test("pixels are not written to a disk that is slower than the decoder", arguments: [(40e6, 1), (1e6, 0)])
  func pixelsAreWrittenToAFastDisk(readSpeed: Double, count: Int) async throws {
    let pixels = MemoryPixelCache(readSpeed: readSpeed)
    let downloader = Self.downloader(transport, pixels, clock)
    let task = downloader.load(request("a.jpg"))
    try await transport.transfer(1).respond(with: Fixture.body, DiskWorld.minute)
    _ = try await task.response
    await downloader.drain()
    #expect(pixels.count == count)
  }

  @Test func loadsOfTheApplicationDoNotKeepPixelsWaiting() async throws {
    let other = downloader.load(request("other.jpg"))
    _ = try await transport.transfer(1)
    try await load("a.jpg")
    try await until { pixels.count == 1 }
    other.cancel()
    await downloader.drain()
  }
}
