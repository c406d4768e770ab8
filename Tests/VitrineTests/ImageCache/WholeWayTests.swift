import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// Behaviors that need the real transport, the real codecs, or a window's clock.
@MainActor @Suite(.timeLimit(.minutes(5))) struct WholeWayTests {
  private let url = ImageCacheWorld.url

  @Test("AF-D7 a redirect is followed, and the image behind it is downloaded")
  func redirectIsFollowed() async throws {
    let server = try GalleryServer()
    server.add(Resource(body: try ImageCodecs().encode(.halves(), as: .png), headers: [:]), at: "/one.png")
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    let downloader = ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs())

    let response = try await downloader.image(for: "\(server.baseURL)/moved?redirect=%2Fone.png")

    #expect(response.image.pixelWidth == 20)
    #expect(response.http?.url.path == "/one.png")
    #expect(server.log.map(\.status) == [302, 200])
    await downloader.shutDown()
  }

  /// The real codecs, with a count of the preview decoders created.
  private final class CountingCodecs: ImageDecoding {
    private let codecs = ImageCodecs()
    private let made = Mutex<[ObjectIdentifier]>([])
    private let previewDecoders = Mutex<[ObjectIdentifier]>([])

    var decodersMade: Int { made.withLock { $0.count } }
    var previews: [ObjectIdentifier] { previewDecoders.withLock { $0 } }

    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      try codecs.decode(data, options: options)
    }

    func progressiveDecoder(
      _ style: ImageRequest.Progressive, options: DecodeOptions
    ) -> (any ProgressiveImageDecoding)? {
      guard let decoder = codecs.progressiveDecoder(style, options: options) else { return nil }
      made.withLock { $0.append(ObjectIdentifier(decoder)) }
      return Recording(decoder) { id in self.previewDecoders.withLock { $0.append(id) } }
    }

    private final class Recording: ProgressiveImageDecoding {
      let decoder: any ProgressiveImageDecoding
      let note: @Sendable (ObjectIdentifier) -> Void

      init(_ decoder: any ProgressiveImageDecoding, _ note: @escaping @Sendable (ObjectIdentifier) -> Void) {
        self.decoder = decoder
        self.note = note
      }

      func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
        note(ObjectIdentifier(decoder))
        return try decoder.image(of: data, expectedLength: expectedLength)
      }
    }
  }

  @Test("SD-D28 one decoder makes all previews of an animated image")
  func oneDecoderMakesAllPreviewsOfAnAnimation() async throws {
    let frames = (0..<4).map { number in
      Image.Frame(
        bitmap: Bitmap(width: 120, height: 120, format: .bgra) { x, y in
          Color(red: UInt8(x), green: UInt8(y), blue: UInt8(truncatingIfNeeded: x * y + number))
        }, duration: 0.1)
    }
    let body = try ImageCodecs().encode(Image(frames: frames, format: .gif))
    let (decoder, transport, clock) = (CountingCodecs(), FakeTransport(), ManualLoadingClock())
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    configuration.retries = .none
    let downloader = ImageDownloader(configuration: configuration, transports: [transport], decoder: decoder)
    var request = try ImageRequest(url)
    request.progressive = .scans
    let task = downloader.load(request)
    transport.transfers[0].respond(expectedLength: body.count)

    let step = body.count / 8
    for start in stride(from: 0, to: 4 * step, by: step) {
      let before = decoder.previews.count
      transport.transfers[0].send(Array(body[start..<start + step]))
      try await until { decoder.previews.count > before }
      try await until { downloader.ledger.usage.decoding == 0 }
      clock.advance(by: 10)
    }
    transport.transfers[0].send(Array(body[(4 * step)...]))
    transport.transfers[0].finish()
    let final = try await task.response

    #expect(decoder.decodersMade == 1)
    #expect(decoder.previews.count >= 4 && Set(decoder.previews).count == 1)
    #expect(!final.image.isPreview)
  }

  @Test(
    "SD-M10 of a transformed animation, memory has a still image with the transform's data, and disk the animation",
    arguments: [ImageFormat.gif, .png])
  func transformedAnimationIsCachedAsAStillImage(format: ImageFormat) async throws {
    struct Tagged: ImageTransform {
      let identifier = "tagged"
      private let circle: any ImageTransform = .circle()

      func apply(to image: Image) throws(ImageError) -> Image {
        try circle.apply(to: image).withUserData(["made": [7]])
      }
    }
    let frames = [40, 200].map { (red: UInt8) in
      Image.Frame(
        bitmap: Bitmap(width: 20, height: 10, color: Color(red: red, green: 0, blue: 0)), duration: 0.1)
    }
    let body = try ImageCodecs().encode(Image(frames: frames, format: format))
    let world = ImageCacheWorld()
    world.transport.respondToAll { $0.respond(with: body) }
    var request = try ImageRequest(url)
    request.transforms = [Tagged()]

    let response = try await world.downloader.image(for: request)
    #expect(await response.isStored())

    #expect(!response.image.isAnimated && response.image.pixelWidth == 10)
    #expect(response.image.userData == ["made": [7]])
    #expect(world.downloader.cachedImage(for: request) === response.image)
    #expect(world.downloader.cachedImage(for: try ImageRequest(url)) == nil)
    #expect(world.disk.response(for: RequestIdentity(try ImageRequest(url)))?.body == body)
    let original = try await world.downloader.image(for: try ImageRequest(url))
    #expect(original.source == .disk)
    #expect(original.image.pixelWidth == 20)
    #expect(original.userData.isEmpty)
    #expect(world.transport.transfers.count == 1)
  }

  @Test("a load is scaled down to its limit of bytes, and found in memory at that size")
  func loadIsScaledDownToItsByteLimit() async throws {
    let world = ImageCacheWorld()
    world.transport.respondToAll { transfer in
      let body = (try? ImageCodecs().encode(.halves(200, 200), as: .png)) ?? []
      transfer.respond(with: body)
    }
    var request = try ImageRequest(url)
    request.limits.scaleDownBytes = 100 * 100 * 4

    let image = try await world.downloader.image(for: request).image
    #expect(image.pixelWidth == 100 && image.sourceWidth == 200)
    #expect(try await world.downloader.image(for: request).image === image)
    #expect(world.transport.transfers.count == 1)
    // The scaled-down image is not used for a request without the limit, or for a size that needs more pixels.
    var sized = try ImageRequest(url)
    sized.targetSize = DecodeTarget(width: 150, height: 150)
    #expect(try await world.downloader.image(for: sized).image.pixelWidth == 150)
    #expect(try await world.downloader.image(for: try ImageRequest(url)).image.pixelWidth == 200)
    sized.limits.scaleDownBytes = 100 * 100 * 4
    #expect(world.downloader.cachedImage(for: sized) != nil)
  }

  @Test(
    "SD-U4 an image drawn by a program has the screen's scale, is not opaque, and has the drawn pixels",
    arguments: [1.0, 2, 3])
  func drawnImageHasTheScreensScale(scale: Double) {
    let window = Window(size: Size(width: 100, height: 100), scale: scale)
    let (red, clear) = (Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 0, alpha: 0))

    let drawn = window.image(size: Size(width: 10, height: 10)) { $0.x < 5 && $0.y < 5 ? red : clear }

    #expect(drawn.scale == scale && drawn.size == Size(width: 10, height: 10))
    #expect(!drawn.bitmap.isOpaque)
    let edge = Int(5 * scale)
    #expect(drawn.pixelWidth == 2 * edge && drawn.pixelHeight == 2 * edge)
    #expect(drawn.bitmap.color(x: edge - 1, y: edge - 1) == red)
    #expect(drawn.bitmap.color(x: edge, y: edge - 1).alpha == 0)
    #expect(drawn.bitmap.color(x: edge - 1, y: edge).alpha == 0)
  }

  @Test(
    "SD-U5 a name determines the scale of its image, and a missing image stays nil",
    arguments: [
      ("test@2x.gif", 2.0), ("test.gif", 1), ("@3x.png", 3), ("http://a.test/b@2x.png?c=@3x.png#@4x", 2),
      ("a@x.png", 1), ("a@0x.png", 1), ("a@2x/b.png", 1), ("a@2x", 2), ("2x.png", 1), ("a@2X.png", 1),
      ("", 1), ("@2x.tar.gz", 1), ("a@-2x.png", 1),
    ])
  func nameDeterminesTheScaleOfItsImage(name: String, scale: Double) {
    #expect(Image.scale(named: name) == scale)
    let image: Image? = .halves()
    let none: Image? = nil
    #expect(image?.withScale(Image.scale(named: name)).scale == scale)
    #expect(none?.withScale(Image.scale(named: name)) == nil)
  }

  /// A frame observer that counts frames, like a display link.
  private final class Ticker: FrameObserver {
    private(set) var durations: [Double] = []
    private var last: Double?

    func frame(at now: Double) -> NextFrame {
      if let last { durations.append(now - last) }
      last = now
      return .soon
    }

    func restart() { last = nil }
  }

  @Test(
    "SD-U2 a frame observer receives about a second of frames in a second, and can be stopped and started")
  func frameObserverCanBeStoppedAndStarted() {
    let window = Window(size: Size(width: 10, height: 10))
    let ticker = Ticker()
    func run(until end: Double) {
      while window.now < end { window.update(at: min(end, window.now + window.frameInterval)) }
    }
    window.update(at: 5)

    window.requestFrames(for: ticker, at: window.now)
    run(until: 6)
    #expect(abs(ticker.durations.reduce(0, +) - 1) < 0.2)
    #expect(ticker.durations.count > 30)

    let count = ticker.durations.count
    window.cancelFrames(for: ticker)
    run(until: 7)
    #expect(ticker.durations.count == count)

    ticker.restart()
    window.requestFrames(for: ticker, at: window.now)
    run(until: 8)
    #expect(ticker.durations.count > count + 30)
  }
}
