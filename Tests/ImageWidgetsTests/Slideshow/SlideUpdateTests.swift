import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Slides whose stored images are stale: they are shown at once, and replaced if their server has another image.
@Suite(.timeLimit(.minutes(5)))
struct SlideUpdateTests {
  private let bench = SlideshowBench(disk: MemoryDataCache())
  private static let other = FakeDecoder.encodedImage(width: 800, height: 600, color: Color(hex: 0x00FF00))

  private var window: Window { bench.window }

  /// True if the image on top is the one that the server has now.
  private var showsOther: Bool {
    bench.images.last?.image.bitmap.color(x: 0, y: 0) == Color(hex: 0x00FF00)
  }

  /// Stores the stale image of a slide on disk.
  private func store(_ index: Int) async throws {
    let task = bench.slots.downloader.load(try ImageRequest("http://a.test/\(index)"))
    let transfer = try await bench.slots.transfer(1)
    transfer.respond(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"])
    transfer.send(SlideshowBench.photo)
    transfer.finish()
    #expect(await (try task.response).isStored())
    bench.slots.downloader.removeAllCachedImages()
  }

  /// Shows a slideshow of one slide, and returns its image.
  private func showSlide() async throws -> Image? {
    bench.view.setSlides(SlideshowBench.slides(1))
    window.addSubview(bench.view)
    try await until { !bench.shown.isEmpty }
    bench.draw()
    return bench.images.first?.image
  }

  @Test func shownSlideIsReplacedByTheNewImage() async throws {
    try await store(0)
    let old = try #require(try await showSlide())
    let transfer = try await bench.slots.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")

    transfer.respond(with: Self.other)

    try await until { bench.images.first?.image != old }
    #expect(bench.images.count == 1 && bench.shown == [0])
    await bench.slots.downloader.drain()
    #expect(bench.transport.transfers.count == 2)
  }

  @Test func newImageDissolves() async throws {
    try await store(0)
    bench.view.transition = .crossDissolve(1)
    _ = try await showSlide()
    bench.slots.run(until: 2)
    let old = try #require(bench.images.first?.image)
    try await bench.slots.transfer(2).respond(with: Self.other)

    try await until { bench.view.isChanging }
    #expect(bench.images.first?.image == old)
    bench.slots.run(until: 3)
    #expect(bench.images.count == 1 && bench.images.first?.image != old)
  }

  @Test func confirmedSlideStays() async throws {
    try await store(0)
    let old = try #require(try await showSlide())
    let transfer = try await bench.slots.transfer(2)
    transfer.respond(status: 304)
    transfer.finish()
    await bench.slots.downloader.drain()
    await drainMainQueue(rounds: 3)

    #expect(bench.images.map(\.image) == [old])
    #expect(bench.transport.transfers.count == 2)
  }

  @Test func nextSlideIsReplacedBeforeItIsShown() async throws {
    try await store(1)
    bench.view.setSlides(SlideshowBench.slides(2))
    window.addSubview(bench.view)
    try await bench.slots.transfer(2).respond(with: SlideshowBench.photo)
    let transfer = try await bench.slots.transfer(3)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    try await until { !bench.view.isPreparing }
    transfer.respond(with: Self.other)
    await bench.slots.downloader.drain()
    await drainMainQueue(rounds: 6)

    try await bench.run(until: 10.1)

    try await until { showsOther }
    #expect(bench.shown == [0, 1] && bench.images.count == 1)
  }

  @Test func serverThatHasFailedIsAskedWhenTheNetworkReturns() async throws {
    try await store(0)
    bench.slots.downloader.isOffline = true
    let old = try #require(try await showSlide())
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)

    bench.slots.downloader.isOffline = false
    try await bench.slots.transfer(2).respond(with: Self.other)

    try await until { bench.images.first?.image != old }
    #expect(bench.shown == [0])
  }

  /// Advances the clock until a server has been asked more than `count` times.
  private func transfer(after count: Int) async throws -> FakeTransfer {
    try await until {
      bench.slots.clock.advance(by: 1)
      return bench.transport.transfers.count > count
    }
    return bench.transport.transfers[count]
  }

  @Test func serverThatFailsIsAskedAgainAndAfterARequestThatTheReturnOfTheNetworkReplaces() async throws {
    try await store(0)
    let old = try #require(try await showSlide())
    let refused = ImageError.transport(.cannotConnect, message: "refused")
    try await bench.slots.transfer(2).fail(refused)
    let stuck = try await transfer(after: 2)
    await drainMainQueue(rounds: 3)
    bench.slots.downloader.networkReturned()
    await drainMainQueue(rounds: 3)
    stuck.fail(refused)
    try await transfer(after: 3).fail(refused)
    await drainMainQueue(rounds: 3)

    try await transfer(after: 4).respond(with: Self.other)

    try await until { bench.images.first?.image != old }
    #expect(bench.shown == [0])
  }

  @Test func newImageWaitsForTheTransitionToItsSlide() async throws {
    try await store(1)
    bench.view.transition = .crossDissolve(1)
    bench.view.setSlides(SlideshowBench.slides(2))
    window.addSubview(bench.view)
    try await bench.slots.transfer(2).respond(with: SlideshowBench.photo)
    let transfer = try await bench.slots.transfer(3)
    try await bench.run(until: 11.3)
    #expect(bench.view.isChanging && bench.images.count == 2)
    let images = bench.images.map(\.image)

    transfer.respond(with: Self.other)
    await bench.slots.downloader.drain()
    await drainMainQueue(rounds: 6)
    bench.slots.run(until: 11.5)
    #expect(bench.images.map(\.image) == images)

    try await until {
      if bench.view.isChanging { bench.slots.run(until: window.now + 0.1) }
      return !bench.view.isChanging && showsOther
    }
    #expect(bench.shown == [0, 1] && bench.images.count == 1)
  }
}
