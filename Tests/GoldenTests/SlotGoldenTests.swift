import ScreenTurns
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The slots of a small view, a large view and a button, which load the same image.
@Suite(.screenTurn, .timeLimit(.minutes(5)))
struct SlotGoldenTests {
  private let transport = FakeTransport()
  private let cache = MemoryImageCache()
  private let test = TestWindow(size: Size(width: 272, height: 148))
  private let small = ImageView(frame: Rect(x: 8, y: 8, width: 96, height: 64))
  private let large = ImageView(frame: Rect(x: 132, y: 8, width: 132, height: 132))
  private let button = Button(frame: Rect(x: 8, y: 88, width: 96, height: 52))

  init() {
    test.window.backgroundColor = Stage.background
    for view in [small, large, button] {
      view.backgroundColor = Color(hex: 0x303848)
      view.cornerRadius = 10
      test.window.addSubview(view)
    }
    test.draw()
  }

  @Test func slotsShowASpinnerAndFadeTheImageIn() async throws {
    let completions = CompletionCounter(3)
    load(completions)
    // The spinner appears after 0.1 s.
    test.advance(by: 0.09)
    try expect(try test.window.image(), looksLike: "slots-requested")
    test.advance(by: 0.51)
    try expect(try test.window.image(), looksLike: "slots-waiting")

    try await transport.transfer(1).respond(with: Array("picture".utf8))
    try await completions.wait()
    test.advance(by: 0)
    // The spinner fades out in 0.15 s while the image fades in for 0.2 s.
    test.advance(by: 0.1)
    try expect(try test.window.image(), looksLike: "slots-arriving")
    test.advance(by: 0.2)
    try expect(try test.window.image(), looksLike: "slots-loaded")
    #expect(test.window.isIdle)
  }

  @Test func memoryHitIsShownImmediately() async throws {
    let first = CompletionCounter(3)
    load(first)
    try await transport.transfer(1).respond(with: Array("picture".utf8))
    try await first.wait()
    for view in [small, large] { view.image = nil }
    button.setBackgroundImage(nil, for: .normal)
    test.advance(by: 10)

    load(CompletionCounter(3))

    try expect(try test.window.image(), looksLike: "slots-loaded")
    #expect(transport.transfers.count == 1)
  }

  @Test func failedSlotsShowTheFailureImage() async throws {
    transport.respondToAll { $0.fail(.status(503)) }
    let completions = CompletionCounter(3)

    load(completions)
    try await completions.wait()
    test.advance(by: 0)
    test.advance(by: 1)

    try expect(try test.window.image(), looksLike: "slots-failed")
    #expect(test.window.isLoaded)
  }

  private func load(_ completions: CompletionCounter) {
    let downloader = ImageDownloader(transports: [transport], decoder: QuartersDecoder(), cache: cache)
    let address = "https://example.test/picture"
    let placeholder = Samples.slope(
      width: 48, height: 32, from: Color(hex: 0x405068), to: Color(hex: 0x283040))
    var options = SlotOptions(downloader: downloader)
    options.failureImage = Samples.disc(side: 40, color: Color(hex: 0xD05040))
    small.setImage(from: address, placeholder: placeholder, options: options) { _ in completions.countDown() }
    large.setImage(from: address, options: options) { _ in completions.countDown() }
    button.setBackgroundImage(from: address, for: .normal, placeholder: placeholder, options: options) { _ in
      completions.countDown()
    }
  }
}

/// Waits for several completion handlers.
private final class CompletionCounter {
  private var remaining: Int

  init(_ count: Int) { remaining = count }

  func countDown() { remaining -= 1 }

  func wait() async throws { try await until { remaining <= 0 } }
}

/// Decodes any bytes as the same image of 240x160 pixels, scaled for the target.
private nonisolated struct QuartersDecoder: ImageDecoding {
  func decode(_ data: [UInt8], options: DecodeOptions) -> Image {
    let size = options.target?.outputSize(sourceWidth: 240, sourceHeight: 160) ?? (240, 160)
    let image = Samples.quarters(width: size.0, height: size.1)
    return Image(image.bitmap, sourceWidth: 240, sourceHeight: 160)
  }
}
