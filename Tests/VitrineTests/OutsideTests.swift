import Foundation
import Testing

/// A program outside the package, which sees public declarations only. All other tests see package declarations too.
@Suite(.timeLimit(.minutes(5)))
struct OutsideTests {
  private static let program = """
    import FoundationEssentials
    import VitrineConcurrency
    import VitrineGraphics
    import VitrineImageWidgets
    import VitrineLoading
    import VitrineWidgets

    struct Plain: ImageDecoding {
      func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
        guard data.count >= 2 else { throw .notAnImage(signature: data) }
        let (width, height) = (Int(data[0]), Int(data[1]))
        let size = options.outputSize(sourceWidth: width, sourceHeight: height)
        let bitmap = Bitmap(width: size.width, height: size.height, color: .white, format: options.pixelFormat)
        return Image(bitmap, sourceWidth: width, sourceHeight: height)
      }
      func memoryNeeded(for data: [UInt8], options: DecodeOptions) -> Int { 4096 }
      func progressiveDecoder(
        _ style: ImageRequest.Progressive, options: DecodeOptions
      ) -> (any ProgressiveImageDecoding)? { Previews() }
    }

    final class Previews: ProgressiveImageDecoding {
      func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
        Image(Bitmap(width: 1, height: 1, color: .black), isPreview: true)
      }
    }

    final class Countdown: DamageLocating {
      private(set) var damagedFrame: Int?
      func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
        damagedFrame = index < 3 ? nil : 3
        guard index < 3 else { throw .damaged("no frame 3") }
        return Bitmap(width: 1, height: 1, color: .black)
      }
    }

    struct Negative: ImageTransform {
      let identifier = "negative"
      func apply(to image: Image) throws(ImageError) -> Image {
        let source = image.bitmap
        return Image(width: source.width, height: source.height, scale: image.scale) { x, y in
          let color = source.color(x: x, y: y)
          return Color(
            red: 255 - color.red, green: 255 - color.green, blue: 255 - color.blue, alpha: color.alpha)
        }
      }
    }

    final class Constant: DataTransport, Cancellable {
      let schemes: Set<String> = ["constant"]
      func cancel() {}
      func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
        let body: [UInt8] = [1, 1]
        let head = TransportResponse(url: request.url, status: nil, expectedLength: body.count)
        receiver.transportDidReceive(head)
        if receiver.transportMayReceive(body.count, resume: {}) {
          body.withUnsafeBytes { receiver.transportDidReceive($0) }
        }
        receiver.transportDidFinish(.success(TransportMetrics(bytesReceived: body.count)))
        return self
      }
    }

    final class Images: ImageRequestCache, @unchecked Sendable {
      private var images: [ImageIdentity: Image] = [:]
      private func key(_ request: ImageRequest, _ identifier: String?) -> ImageIdentity {
        ImageIdentity(request, additionalIdentifier: identifier)
      }
      func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
        guard let image = images[key(request, additionalIdentifier)] else { return nil }
        guard let size = request.targetSize else { return image }
        return size.isSatisfied(by: image) ? image : nil
      }
      func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
        images[key(request, additionalIdentifier)] = image
      }
      func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
        images.removeValue(forKey: key(request, additionalIdentifier)) != nil
      }
      func removeAllImages() -> Bool {
        defer { images = [:] }
        return !images.isEmpty
      }
    }

    final class Responses: ImageDataCache, @unchecked Sendable {
      private var responses: [RequestIdentity: StoredResponse] = [:]
      func response(for identity: RequestIdentity) -> StoredResponse? { responses[identity] }
      func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
        responses[identity] = response
        return true
      }
      func removeResponse(for identity: RequestIdentity) -> Bool {
        responses.removeValue(forKey: identity) != nil
      }
      func removeAllResponses() -> Bool {
        defer { responses = [:] }
        return !responses.isEmpty
      }
      func containsResponse(for identity: RequestIdentity) -> Bool { responses[identity] != nil }
    }

    final class Ruler: TextMeasuring {
      func size(of text: String, font: Font) -> Size { Size(width: font.size, height: font.size) }
    }

    final class Meter: View {
      override func draw(into list: inout DrawList) {
        super.draw(into: &list)
        guard let window else { return }
        let font = Font.bold(12)
        let size = window.textMeasuring.size(of: "1", font: font)
        list.fill(bounds, color: currentTintColor)
        list.text("1", font: font, color: .black, at: .zero, size: size)
      }
      override func layoutSubviews() { setNeedsDisplay() }
      func show() {
        beginLoading()
        endLoading()
      }
    }

    struct Dot: IndicatorDrawing {
      func size(in availableSize: Size, scale: Double) -> Size { Size(width: 8, height: 8) }
      func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
        list.fill(rect, color: .white, cornerRadius: moment.progress ?? 4)
      }
    }

    struct Cut: TransitionDrawing {
      func draw(_ scene: TransitionScene, into list: inout DrawList) {
        if let image = scene.progress < 0.5 ? scene.old : scene.new { list.draw(image) }
      }
    }

    @MainActor func nextMoments() -> [Double?] {
      let scene = TransitionScene(progress: 0.5, old: nil, new: nil, rect: .zero)
      return [Dot().nextChange(after: IndicatorMoment(time: 1, progress: 0.5)), scene.progress]
    }

    final class Rows: ListViewDataSource, ListViewPrefetching {
      let prefetcher = ImagePrefetcher()
      var urls = ["constant:1"]
      func numberOfRows(in listView: ListView) -> Int { urls.count }
      func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
        let cell = listView.dequeueCell(ListCell.self)
        var options = SlotOptions(transition: .fadeThrough, indicator: .automatic)
        options.transition = .custom(Cut())
        options.indicator = .custom(Dot())
        cell.setImage(from: urls[row], placeholder: Image.solid(width: 1, height: 1), options: options)
        return cell
      }
      func listView(_ listView: ListView, prefetchRows rows: [Int]) {
        let target = listView.decodeTarget(for: Size(width: 8, height: 8), contentMode: .fit)
        prefetcher.prefetch(rows.map { urls[$0] }, targetSize: target)
      }
      func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int]) {
        prefetcher.cancel(rows.map { urls[$0] })
      }
    }

    @MainActor func load(_ feed: Feed) async throws {
      var configuration = ImageDownloader.Configuration()
      configuration.queue.maximumActiveDownloads = 2
      configuration.requests.transforms = [Negative()]
      configuration.memory.ledger = MemoryLedger(budget: 1 << 20)
      configuration.environment.clock = SystemLoadingClock()
      configuration.environment.trace = Trace(capacity: 16)
      let expiring = MemoryImageCache(timeToLive: 60, timer: SystemLoadingClock())
      let downloader = ImageDownloader(
        configuration: configuration, transports: [Constant(), LocalTransport()], decoder: Plain(),
        cache: expiring, dataCache: Responses())
      var request = try ImageRequest("constant:1")
      request.cache = .other(Images())
      feed.onChange = { [weak feed] _ in print(feed?.items.first?.url ?? "") }
      feed.reload()
      downloader.load("constant:1") { result in print(result) }
      downloader.removeCachedImage(for: "constant:1")
      print(downloader.cachedImage(for: "constant:1") == nil)
      print(await downloader.containsCachedData(for: "constant:1"))
      print(await downloader.removeAllCachedData())
      print(RequestIdentity(request).cacheKey)
      print(try await downloader.image(for: request))
    }

    """

  @Test(
    .enabled("the tests were built elsewhere") {
      FileManager.default.fileExists(atPath: IsolationTests.modules.path)
    })
  func protocolsCanBeImplementedWithPublicDeclarations() throws {
    let complaints = try IsolationTests.complaints(about: Self.program)

    #expect(!complaints.contains("error:"), "\(complaints)")
  }
}
