import Foundation
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// The frames of a second start, with the real transport, the real codecs and a folder.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct FirstFrameTests {
  private let world = FirstFrameWorld()

  @Test("the first frame of a second start has all images, without a server")
  func firstFrameOfASecondStartHasAllImages() async throws {
    try await world.fill()
    try await TestScreen.turns.begin()
    defer { TestScreen.turns.end() }
    let host = try world.host()
    defer { host.close() }
    let downloader = world.downloader()
    host.waitForImages(of: downloader)
    var sources: [ImageResponse.Source] = []
    let views = world.addViews(to: host.window, downloader) { sources.append($0) }

    host.turn(waitUpTo: 0)

    #expect(host.frameStatistics.presented == 1)
    #expect(views.allSatisfy { $0.image != nil && !$0.isInTransition })
    #expect(sources == views.map { _ in .disk })
  }

  @Test(
    "the first frame of a slideshow has its image",
    arguments: [Size(width: 400, height: 300), Size(width: 150, height: 300)])
  func firstFrameOfASlideshowHasItsImage(size: Size) async throws {
    try await world.fill()
    try await TestScreen.turns.begin()
    defer { TestScreen.turns.end() }
    let host = try world.host(size)
    defer { host.close() }
    let downloader = world.downloader()
    host.waitForImages(of: downloader)
    let view = world.addSlideshow(to: host.window, downloader)

    host.turn(waitUpTo: 0)

    #expect(host.frameStatistics.presented == 1)
    #expect(view.shownIndex == 0 && !view.isChanging && !view.isLoading)
    let screenshot = host.screenshot()
    let middle = screenshot.color(x: Int(size.width / 2), y: Int(size.height / 2))
    #expect(middle != .black)
    // An image of another shape lies over its backdrop.
    #expect(screenshot.color(x: 10, y: 10) != .black)
  }

  @Test func slideshowThatIsOpenedLaterHasItsImageInItsFirstFrame() async throws {
    try await world.fill()
    let screen = try await TestScreen(size: world.size)
    let downloader = world.downloader()
    screen.host.waitForImages(of: downloader)
    screen.advance(by: 1)

    let view = world.addSlideshow(to: screen.window, downloader)
    screen.advance(by: 0)

    #expect(view.shownIndex == 0 && !view.isLoading)
  }

  @Test("a screen that is opened later has its images in its first frame, on a manual clock too")
  func screenThatIsOpenedLaterHasItsImagesInItsFirstFrame() async throws {
    try await world.fill()
    let screen = try await TestScreen(size: world.size)
    let downloader = world.downloader()
    screen.host.waitForImages(of: downloader)
    screen.advance(by: 1)

    let views = world.addViews(to: screen.window, downloader)
    screen.advance(by: 0)

    #expect(views.allSatisfy { $0.image != nil && !$0.isInTransition })
    #expect(screen.advanceUntilIdle(limit: 0))
  }

  @Test("stale images are in the first frame; one that has changed dissolves, and the others do not move")
  func changedImageOfAScreenOfStaleImagesDissolves() async throws {
    let server = try FirstFrameWorld.server()
    defer { server.stop() }
    try await world.fill(from: server, query: "?maxage=0")
    let other = try Data(contentsOf: URL(filePath: FirstFrameWorld.gallery + "/13-ringed-world.jpg"))
    server.add(
      Resource(body: Array(other), contentType: "image/jpeg", headers: ["ETag": "\"changed\""]),
      at: "/gallery/02-bamboo-grove.jpg")
    server.clearLog()
    // The responses arrive after the first frame.
    server.behaviour = Behaviour(latency: .fixed(1000))
    let screen = try await TestScreen(size: world.size)
    let downloader = world.downloader()
    screen.host.waitForImages(of: downloader)

    let views = world.addViews(to: screen.window, downloader)
    screen.advance(by: 0)
    let stale = views.compactMap(\.image)
    #expect(stale.count == 4 && views.allSatisfy { !$0.isInTransition })
    #expect(stale.allSatisfy { downloader.staleness(of: $0) != nil })
    screen.advance(by: 1)
    try await until {
      views[1].image !== stale[1] && [0, 2, 3].allSatisfy { downloader.staleness(of: stale[$0]) == nil }
    }
    screen.advance(by: 0.1)

    #expect(views.map(\.isInTransition) == [false, true, false, false])
    for number in [0, 2, 3] { #expect(views[number].image === stale[number]) }
    #expect(screen.advanceUntilIdle(limit: 1))
    #expect(!views[1].isInTransition)
    let log = server.log
    #expect(log.allSatisfy { $0.headers["if-none-match"] != nil })
    #expect(log.map(\.status).sorted() == [200, 304, 304, 304])
  }

  @Test func diskThatHangsDoesNotKeepTheFirstFrameWaiting() async throws {
    let gate = Gate()
    let downloader = ImageDownloader(
      transports: [FakeTransport()], decoder: FakeDecoder(), dataCache: MemoryDataCache(gate: gate),
      pixelCache: DiskPixelCache(directory: world.folder))
    defer { gate.open() }
    try await presentFirstFrame(of: downloader) { views in
      for view in views { view.cancelImageLoad() }
    }
  }

  @Test func pixelsThatCannotBeReadDoNotKeepTheFirstFrameWaiting() async throws {
    try await world.fill()
    let gate = Gate()
    defer { gate.open() }
    let pixels = HeldPixelCache(DiskPixelCache(directory: world.folder), gate: gate)
    try await presentFirstFrame(of: world.downloader(pixelCache: pixels)) { views in
      await gate.waitUntilHeld(1)
      gate.open()
      try await until { views.allSatisfy { $0.image != nil } }
    }
  }

  /// Presents the first frame of a screen while the disk hangs, and expects that its images are still being loaded.
  private func presentFirstFrame(
    of downloader: ImageDownloader, then body: ([ImageView]) async throws -> Void
  ) async throws {
    try await TestScreen.turns.begin()
    defer { TestScreen.turns.end() }
    let host = try world.host()
    defer { host.close() }
    host.firstFrameWait = 0.02
    host.waitForImages(of: downloader)
    let views = world.addViews(to: host.window, downloader)

    host.turn(waitUpTo: 0)

    #expect(host.frameStatistics.presented == 1)
    #expect(views.allSatisfy { $0.image == nil && $0.isLoading })
    try await body(views)
  }

  @Test func diskHasAsMuchTimeAsTheFirstFrameWaits() {
    var configuration = Application.Configuration(
      dataCache: DiskImageCache(directory: world.folder), pixelCache: DiskPixelCache(directory: world.folder))
    #expect(configuration.downloading.diskPatience == 0.5)
    configuration.firstFrameWait = 2
    #expect(configuration.downloading.diskPatience == 2)
    configuration.pixelCache = nil
    #expect(configuration.downloading.diskPatience == 0.5, "no frame waits")
  }

  @Test func framesDoNotWaitWithoutCachesOfResponsesAndPixels() async throws {
    let screen = try await TestScreen(size: world.size)
    let pixels = DiskPixelCache(directory: world.folder)

    for (disk, pixelCache) in [(MemoryDataCache(), nil), (nil, pixels)] {
      let downloader = ImageDownloader(
        transports: [], decoder: FakeDecoder(), dataCache: disk, pixelCache: pixelCache)
      screen.host.waitForImages(of: downloader)
      #expect(screen.host.frameGate == nil)
    }
  }
}

/// A folder for caches on disk, and images of a server.
@MainActor
private final class FirstFrameWorld {
  let folder = FileManager.default.temporaryDirectory.appending(path: "first-frame-\(UUID().uuidString)").path
  let size = Size(width: 400, height: 100)
  private var urls: [String] = []

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// - Parameters:
  ///   - clock: The clock of the downloader. One that stands still by default: no lookup is late.
  ///   - pixelCache: The cache of pixels; nil for that of the folder.
  func downloader(
    clock: any LoadingClock = ManualLoadingClock(), pixelCache: (any ImagePixelCache)? = nil
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    return ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs(),
      dataCache: DiskImageCache(directory: folder),
      pixelCache: pixelCache ?? DiskPixelCache(directory: folder))
  }

  /// A window off screen, in real time. The first frame may wait for long, because the machine may be busy.
  func host(_ size: Size? = nil) throws -> SDLHost {
    var configuration = SDLHost.Configuration()
    configuration.size = size ?? self.size
    configuration.videoDriver = "offscreen"
    configuration.readsGamepads = false
    let host = try SDLHost(configuration: configuration)
    host.firstFrameWait = 10
    return host
  }

  /// The folder of the images.
  static let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery").standardizedFileURL
    .path

  static func server() throws -> GalleryServer { try GalleryServer(images: gallery) }

  /// Shows all images once, so that the disk has them. Stops the server.
  func fill() async throws {
    let server = try Self.server()
    defer { server.stop() }
    try await fill(from: server)
  }

  /// Shows all images of a server once. `query` can change its responses.
  func fill(from server: GalleryServer, query: String = "") async throws {
    urls = ["01-first-light", "02-bamboo-grove", "03-sun-path", "05-evening-dunes"].map {
      "\(server.baseURL)/gallery/\($0).jpg\(query)"
    }
    // Pixels are stored if they take long to decode.
    let downloader = downloader(clock: SystemLoadingClock())
    let window = Window(size: size)
    let views = addViews(to: window, downloader)
    try await until { views.allSatisfy { $0.image != nil } }
    await downloader.shutDown(cancelling: false)
    downloader.finishWriting(within: 60)
  }

  /// Adds a slideshow of the images that fills the window.
  func addSlideshow(to window: Window, _ downloader: ImageDownloader) -> SlideshowView {
    let view = SlideshowView(frame: window.bounds)
    view.downloader = downloader
    view.setSlides(Slides(urls.map { Slide($0) }))
    window.addSubview(view)
    return view
  }

  /// Adds a view for each image.
  func addViews(
    to window: Window, _ downloader: ImageDownloader,
    onImage: @escaping (ImageResponse.Source) -> Void = { _ in }
  ) -> [ImageView] {
    let urls = urls.isEmpty ? ["http://a.test/1"] : urls
    return urls.enumerated().map { index, url in
      let view = ImageView(frame: Rect(x: Double(index) * 100, y: 0, width: 100, height: 100))
      view.contentMode = .fill
      window.addSubview(view)
      view.setImage(from: url, options: SlotOptions(downloader: downloader)) { result in
        if case .success(let response) = result { onImage(response.source) }
      }
      return view
    }
  }
}

/// A cache on disk whose reads wait at a gate.
private final class HeldPixelCache: ImagePixelCache {
  private let cache: DiskPixelCache
  private let gate: Gate

  init(_ cache: DiskPixelCache, gate: Gate) { (self.cache, self.gate) = (cache, gate) }

  func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    gate.pass()
    return cache.pixels(for: key, of: body, reserving: reserve)
  }

  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool {
    cache.store(image, isAnimated: isAnimated, for: key, of: body)
  }

  func removePixels(of identity: RequestIdentity) { cache.removePixels(of: identity) }

  func removeAllPixels() { cache.removeAllPixels() }

  var byteLimit: Int { cache.byteLimit }
}
