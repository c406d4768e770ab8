import Synchronization
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// A downloader with a fake transport, a fake decoder and a manual clock. Retries are off by default.
struct Fixture {
  let transport: FakeTransport
  let gate: Gate
  let decoder: FakeDecoder
  let cache: MemoryImageCache
  let disk: MemoryDataCache?
  let clock = ManualLoadingClock()
  let downloader: ImageDownloader

  init(
    _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in },
    decodingIsHeld: Bool = false, endsCancelled: Bool = true, disk: MemoryDataCache? = nil,
    dataCache: (any ImageDataCache)? = nil, cache observed: ObservedCache? = nil
  ) {
    var configuration = ImageDownloader.Configuration()
    configuration.decoding.threads = 2
    configuration.environment.clock = clock
    configuration.environment.random = { 0 }
    configuration.retries = .none
    configure(&configuration)
    transport = FakeTransport(endsCancelled: endsCancelled)
    gate = Gate(isOpen: !decodingIsHeld)
    decoder = FakeDecoder(gate: gate)
    cache = observed?.memory ?? MemoryImageCache()
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport, LocalTransport()], decoder: decoder,
      cache: observed ?? cache, dataCache: dataCache ?? disk)
    self.disk = disk
  }

  static let body = FakeDecoder.encodedImage(width: 64, height: 48)

  /// Loads `request`, answers its transfer with `body` if it starts one, and returns the response.
  @discardableResult
  func loaded(_ request: ImageRequest, identifier: String? = nil) async throws -> ImageResponse {
    let started = transport.transfers.count
    let task = downloader.load(request, additionalIdentifier: identifier)
    if transport.transfers.count > started { transport.transfers[started].respond(with: Self.body) }
    return try await task.response
  }
}

/// Returns a request for `http://HOST/NAME`.
func request(
  _ name: String = "a.jpg", host: String = "a.test", priority: ImageRequest.Priority = .normal,
  policy: ImageRequest.CachePolicy = .useCache, target: DecodeTarget? = nil,
  transforms: [any ImageTransform] = []
) -> ImageRequest {
  ImageRequest(
    url: url(name, host: host), priority: priority, cachePolicy: policy, targetSize: target,
    transforms: transforms)
}

/// A transform that waits at a gate, and records whether it has been cancelled by then.
final class GatedTransform: ImageTransform {
  let identifier = "gated"
  let gate = Gate()
  private let sawCancellation = Atomic(false)

  var wasCancelled: Bool { sawCancellation.load(ordering: .relaxed) }

  func apply(to image: Image) -> Image { image }

  func apply(to image: Image, cancellation: DecodeCancellation) throws(ImageError) -> Image {
    gate.pass()
    sawCancellation.store(cancellation.isCancelled, ordering: .relaxed)
    try cancellation.check()
    return image
  }
}

/// The values reported on the main actor, in order, with a way to wait for them.
@MainActor final class Recorder<Value: Sendable> {
  private(set) var values: [Value] = []

  func add(_ value: Value) { values.append(value) }

  /// Waits until there are `count` values, and returns all values.
  func wait(
    for count: Int, file: StaticString = #fileID, line: Int = #line
  ) async throws -> [Value] {
    try await until(file: file, line: line) { values.count >= count }
    return values
  }
}
