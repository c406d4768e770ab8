import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// A window and a downloader whose transport responds only when the test tells it to.
@MainActor
final class SlotBench {
  let transport = FakeTransport()
  let decoder: FakeDecoder
  /// The clock that times previews.
  let clock = ManualLoadingClock()
  let cache = MemoryImageCache()
  let downloader: ImageDownloader
  let window = Window(size: Size(width: 400, height: 300))

  init(
    disk: (any ImageDataCache)? = nil, decoder: FakeDecoder = FakeDecoder(showsPreviews: true),
    _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) {
    self.decoder = decoder
    // No retries and no rate limit: the test alone decides which transfers start and fail.
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.queue.rateLimit = nil
    configuration.environment.clock = clock
    configuration.environment.random = { 0 }
    configure(&configuration)
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: decoder, cache: cache,
      dataCache: disk)
  }

  static let red = FakeDecoder.encodedImage(width: 100, height: 100, color: Color(hex: 0xFF0000))
  static let large = FakeDecoder.encodedImage(width: 1000, height: 1000, color: Color(hex: 0x00FF00))

  /// Options that use the downloader of this bench.
  var options: SlotOptions { SlotOptions(downloader: downloader) }

  /// A view of 100x100 points in the window.
  func view() -> ImageView { add(ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))) }

  /// A button of 100x100 points in the window.
  func button() -> Button {
    let button = add(Button(frame: Rect(x: 0, y: 0, width: 100, height: 100)))
    button.imageSize = Size(width: 50, height: 50)
    return button
  }

  private func add<Added: View>(_ view: Added) -> Added {
    window.addSubview(view)
    return view
  }

  /// Waits until the transfer with this number, counted from 1, has started.
  func transfer(_ number: Int) async throws -> FakeTransfer {
    try await transport.transfer(number)
  }

  /// Runs 60 frames per second until the given time.
  func run(until end: Double) {
    while window.now < end { window.update(at: min(end, window.now + window.frameInterval)) }
  }

  /// Draws the window, as a host does.
  func draw() { _ = window.drawList(for: window.bounds) }

  /// The images that the window draws now.
  var images: [DrawList.ImageCommand] {
    window.drawList(for: window.bounds).commands.compactMap {
      if case .image(let image) = $0 { image } else { nil }
    }
  }
}

/// Records the results that completions receive, and waits for them.
@MainActor
final class CompletionRecorder {
  private(set) var results: [Result<ImageResponse, ImageError>] = []

  var completion: SlotCompletion { { self.results.append($0) } }

  /// Waits until `count` completions were called in total; fails the test if they are not.
  func wait(for count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) async {
    do {
      try await until { results.count >= count }
    } catch {
      Issue.record("\(results.count) of \(count) completions: \(error)", sourceLocation: sourceLocation)
    }
  }

  var images: [Image] { results.compactMap { try? $0.get().image } }
  var errors: [ImageError] { results.compactMap { if case .failure(let error) = $0 { error } else { nil } } }
}
