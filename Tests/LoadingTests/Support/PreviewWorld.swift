import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A downloader whose transfers arrive in chunks, and whose decoder makes previews.
@MainActor struct PreviewWorld {
  let transport = FakeTransport()
  let clock = ManualLoadingClock()
  let ledger: MemoryLedger
  let decoder: FakeDecoder
  let cache = MemoryImageCache()
  let downloader: ImageDownloader

  init(
    showsPreviews: Bool = true, gate: Gate? = nil, previewGate: Gate? = nil, budget: Int = .max,
    previewMemoryKept: Int = 0, disk: (any ImageDataCache)? = nil,
    _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) {
    ledger = MemoryLedger(budget: budget)
    var configuration = ImageDownloader.Configuration()
    configuration.decoding.threads = 2
    configuration.environment.clock = clock
    configuration.retries = .none
    configuration.memory.ledger = ledger
    configure(&configuration)
    decoder = FakeDecoder(
      gate: gate, showsPreviews: showsPreviews, previewGate: previewGate, previewMemoryKept: previewMemoryKept
    )
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport, LocalTransport()], decoder: decoder,
      cache: cache, dataCache: disk)
  }

  static let fullBody = FakeDecoder.encodedImage(width: 64, height: 48, count: 10_000)

  /// A range of the 10,000 bytes of an image of 64x48 pixels.
  func body(_ range: some RangeExpression<Int>) -> [UInt8] { Array(Self.fullBody[range]) }

  @discardableResult
  func load(
    _ recorder: Recorder<Image>?, _ style: ImageRequest.Progressive = .scans, name: String = "a.jpg",
    target: DecodeTarget? = nil, transforms: [any ImageTransform] = []
  ) -> ImageTask {
    var request = request(name, target: target, transforms: transforms)
    request.progressive = style
    return downloader.load(request, preview: { image in recorder?.add(image) })
  }

  /// Sends the head of a response, and returns its transfer.
  func begin(_ number: Int = 0, headers: HTTPHeaders = [:]) -> FakeTransfer {
    transport.transfers[number].respond(headers: headers, expectedLength: 10_000)
    return transport.transfers[number]
  }

  /// Waits until nothing is being decoded.
  func waitUntilDecoded() async throws {
    try await until { ledger.usage.decoding == 0 }
  }

  /// Advances the clock until `count` transfers have started.
  func advanceClock(untilStarted count: Int) throws {
    try blockUntil {
      guard transport.transfers.count < count else { return true }
      clock.advance(by: 1)
      return false
    }
  }
}
