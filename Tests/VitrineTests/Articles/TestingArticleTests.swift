import Testing
import Vitrine
import VitrineTesting

/// The tests that the article Testing shows.
@Suite(.timeLimit(.minutes(5)))
struct TestingArticleTests {
  @MainActor @Test func coverFadesInAfterLoading() async throws {
    let transport = FakeTransport()
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let test = TestWindow(size: Size(width: 200, height: 100))
    let cover = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    test.window.addSubview(cover)

    cover.setImage(from: "https://example.com/cover.jpg", options: SlotOptions(downloader: downloader))
    let transfer = try await transport.transfer(1)
    transfer.respond(with: FakeDecoder.encodedImage(width: 640, height: 640))
    try await until { cover.contents != nil }

    test.advance(by: 0.1)
    #expect((0.1...0.9).contains(test.images.last?.opacity ?? 0))
    #expect(test.advanceUntilIdle())
    #expect(cover.contents?.pixelWidth == 100)
  }

  @MainActor @Test func brokenServerShowsTheFailureImage() async throws {
    let transport = FakeTransport()
    transport.respondToAll { $0.fail(.status(503)) }
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let cover = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let broken = Image.solid(width: 8, height: 8)

    let options = SlotOptions(failureImage: broken, downloader: downloader)
    var result: Result<ImageResponse, ImageError>?
    cover.setImage(from: "https://example.com/cover.jpg", options: options) { result = $0 }
    try await until { result != nil }

    #expect(throws: ImageError.status(503)) { try result?.get() }
    #expect(cover.contents == broken)
  }

  @MainActor @Test func coverLoadsFromDiskAfterARestartWithoutANetwork() async throws {
    let disk = MemoryDataCache()
    let online = FakeTransport()
    online.respondToAll { $0.respond(with: FakeDecoder.encodedImage(width: 640, height: 640)) }
    let request = try ImageRequest("https://example.com/cover.jpg")
    let first = ImageDownloader(transports: [online], decoder: FakeDecoder(), dataCache: disk)
    #expect(try await first.image(for: request).isStored())

    let offline = FakeTransport()
    offline.respondToAll { $0.fail(.timedOut(.connect(seconds: 10))) }
    let second = ImageDownloader(transports: [offline], decoder: FakeDecoder(), dataCache: disk)
    disk.change(RequestIdentity(request)) { $0.received -= 86400 }
    let response = try await second.image(for: request)

    #expect(response.source == .disk)
    guard case .stale(_, reason: .timedOut) = response.freshness else {
      Issue.record("\(response.freshness)")
      return
    }
  }

  @MainActor @Test func tapSelectsTheButton() {
    let test = TestWindow(size: Size(width: 200, height: 100))
    let play = Button(frame: Rect(x: 0, y: 0, width: 200, height: 64))
    play.setTitle("Play", for: .normal)
    play.setTitle("Playing", for: .selected)
    play.addAction(for: .touchUpInside) { $0.isSelected.toggle() }
    test.window.addSubview(play)

    test.tap(at: play.frame.center)

    #expect(test.texts == ["Playing"])
  }

  final class WideText: TextMeasuring {
    func size(of text: String, font: Font) -> Size { Size(width: 20 * Double(text.count), height: 20) }
  }

  @MainActor @Test func labelIsAsWideAsItsText() {
    let test = TestWindow(size: Size(width: 400, height: 100), textMeasuring: WideText())
    let title = Label("Cover")
    test.window.addSubview(title)

    #expect(title.sizeThatFits(test.window.bounds.size) == Size(width: 100, height: 20))
  }

  struct Dot: IndicatorDrawing {
    func size(in availableSize: Size, scale: Double) -> Size { Size(width: 8, height: 8) }

    func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
      list.fill(rect, color: moment.progress == nil ? .black : .white)
    }
  }

  @MainActor @Test func dotIsWhiteOnceTheProgressIsKnown() {
    let rect = Rect(x: 0, y: 0, width: 8, height: 8)

    let drawn = DrawnContents(in: rect) {
      Dot().draw(IndicatorMoment(time: 0, progress: 0.5), in: rect, into: &$0)
    }

    #expect(drawn.fills(of: .white) == [rect])
  }

  @Test func momentOfATransitionIsDrawnWithoutAWindow() {
    let rect = Rect(x: 0, y: 0, width: 8, height: 8)
    let image = Image.solid(width: 8, height: 8)
    let scene = TransitionScene(
      progress: 0.25, old: nil, new: DrawList.ImageCommand(image: image, destination: rect), rect: rect)

    let drawn = DrawnContents(in: rect) { list in
      guard var new = scene.new else { return }
      new.opacity = scene.progress
      list.draw(new)
    }

    #expect(drawn.images.map(\.image) == [image])
    #expect(drawn.images.map(\.opacity) == [0.25])
  }

  @MainActor @Test func coverIsHalfWayThroughItsFade() async throws {
    let screen = try await TestScreen(size: Size(width: 64, height: 48))
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: FakeDecoder.encodedImage(width: 640, height: 480)) }
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let cover = ImageView(frame: Rect(x: 8, y: 8, width: 48, height: 32))
    screen.window.addSubview(cover)

    var options = SlotOptions(downloader: downloader)
    options.transition = .crossDissolve(0.25)
    cover.setImage(from: "https://example.com/cover.jpg", options: options)
    try await screen.load()
    screen.advance(by: 0.125)

    try screen.expect("cover-half-way")
  }

  @MainActor @Test func coverIsDrawn() async throws {
    let screen = try await TestScreen(size: Size(width: 64, height: 48))
    let cover = ImageView(frame: screen.window.bounds)
    cover.image = .solid(.white, width: 64, height: 48)
    screen.window.addSubview(cover)

    let expected = Bitmap(width: 64, height: 48, color: .white)
    let comparison = ImageComparison(of: screen.screenshot(), with: expected, tolerance: .exact)

    #expect(comparison.isMatch, "\(comparison)")
  }
}
