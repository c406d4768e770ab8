import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The writes of pixels beside the loads of slots.
@Suite(.timeLimit(.minutes(5))) struct PixelWriterTests {
  /// The body of an image that has fewer bytes of pixels, which are always worth storing.
  private static let body = FakeDecoder.encodedImage(width: 4, height: 4, count: 1000)

  /// The codec of the tests, with a name on disk.
  private struct Decoder: ImageDecoding {
    let decoder = FakeDecoder()
    var storageIdentifier: String? { "fake 1" }
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      try decoder.decode(data, options: options)
    }
  }

  private let pixels = MemoryPixelCache()
  private let transport = FakeTransport()
  private let clock = ManualLoadingClock()
  private let downloader: ImageDownloader

  init() {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: Decoder(), dataCache: HeadDisk(),
      pixelCache: pixels)
  }

  /// Loads an image for a slot and answers the request.
  private func load(_ name: String) async throws {
    let count = transport.transfers.count
    let task = downloader.load(request(name), isForSlot: true)
    try await transport.transfer(count + 1).respond(with: Self.body, DiskWorld.minute)
    _ = try await task.response
  }

  @Test func pixelsAreWrittenWhenNoSlotWaits() async throws {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    try await load("a.jpg")
    try await until { !downloader.engine.isBusy }
    #expect(pixels.count == 0)
    other.cancel()
    try await until { pixels.count == 1 }
    await downloader.drain()
  }

  @Test func pixelsAreWrittenAfterASecondWhileSlotsWait() async throws {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    try await load("a.jpg")
    try await until { !downloader.engine.isBusy }
    #expect(pixels.count == 0)
    clock.advance(by: PixelWrites.longestWait)
    try await until { pixels.count == 1 }
    other.cancel()
    await downloader.drain()
  }

  @Test func pixelsThatWaitAreWrittenAtTheEndOfTheProgram() async throws {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    for name in ["a.jpg", "b.jpg"] { try await load(name) }
    downloader.finishWriting(within: 60)
    #expect(pixels.count == 2)
    other.cancel()
    await downloader.drain()
  }

  @Test func pixelsOfARemovedResponseAreNotWritten() async throws {
    let other = downloader.load(request("other.jpg"), isForSlot: true)
    _ = try await transport.transfer(1)
    for name in ["a.jpg", "b.jpg"] { try await load(name) }
    #expect(await downloader.removeCachedData(for: request("a.jpg")))
    other.cancel()
    await downloader.drain()
    #expect(pixels.count == 1)
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
