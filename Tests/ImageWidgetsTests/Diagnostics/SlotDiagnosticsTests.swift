import Synchronization
import Testing
import VitrineDiskCache
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The diagnostic messages of views that did not get their images. Other tests write to the same log.
@Suite(.serialized, .timeLimit(.minutes(5)))
final class SlotDiagnosticsTests {
  private let bench = SlotBench()
  private let lines = Lines()

  nonisolated private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func about(_ text: String) -> [String] { lines.withLock { $0 }.filter { $0.contains(text) } }
  }

  init() {
    let lines = lines
    DiagnosticLog.handler = { lines.add("\($0)") }
  }

  isolated deinit { DiagnosticLog.handler = nil }

  @Test func invalidURLWithoutACompletionLogsOneLineThatNamesTheView() {
    let view = ImageView(frame: Rect(x: 10, y: 20, width: 30, height: 40))
    view.accessibilityLabel = "Cover 1"
    bench.window.addSubview(view)

    view.setImage(from: "no/url/1\nof any kind", options: bench.options)

    #expect(lines.about("Cover 1") == ["ImageView “Cover 1” at 10,20 30x40: not a URL: no/url/1 of any kind"])
  }

  @Test(arguments: ["\u{1B}", "\u{7F}", "\u{9B}", "\r\n", "\u{2028}"])
  func charactersThatControlATerminalAreLoggedAsSpaces(control: String) {
    let view = ImageView(frame: Rect(x: 10, y: 20, width: 30, height: 40))
    view.accessibilityLabel = "Cover 5"
    bench.window.addSubview(view)

    view.setImage(from: "no url\(control)31m", options: bench.options)

    #expect(lines.about("Cover 5") == ["ImageView “Cover 5” at 10,20 30x40: not a URL: no url 31m"])
  }

  @Test func logOmitsLoginsAndKeys() async throws {
    let view = bench.view()
    view.accessibilityLabel = "Cover 2"

    view.setImage(from: "http//user:hidden@a.test/1", options: bench.options)
    view.setImage(from: "http://user:hidden@a.test/2?token=hidden", options: bench.options)
    try await bench.transfer(1).fail(.status(404))
    try await until { lines.about("Cover 2").count == 2 }

    #expect(lines.about("hidden").isEmpty)
    #expect(
      lines.about("Cover 2").last?.hasSuffix("the server responded with 404 (http://a.test/2?token=…)")
        == true)
  }

  @Test func bodyOverTheLimitIsReportedForAButtonsState() async throws {
    let button = Button(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    button.accessibilityLabel = "Play 3"
    bench.window.addSubview(button)

    button.setImage(from: "http://a.test/3", for: .selected, options: bench.options)
    try await bench.transfer(1).fail(.tooLarge(.body(bytes: 100)))
    try await until { !lines.about("Play 3").isEmpty }

    #expect(lines.about("Play 3").count == 1)
    #expect(lines.about("Play 3").first?.contains("more than 100 bytes (http://a.test/3)") == true)
    #expect(lines.about("Play 3").first?.contains("image for") == true)
  }

  @Test func diskCacheThatCannotBeWrittenIsReportedOnce() async throws {
    // Not even root can create this folder.
    let bench = SlotBench(disk: DiskImageCache(directory: "/proc/vitrine-diagnostics"))
    let bytes = SlotBench.red
    bench.transport.respondToAll { $0.respond(with: bytes) }

    for number in 1...3 {
      _ = try await bench.downloader.image(for: "http://a.test/disk/\(number)").isStored()
    }

    #expect(lines.about("/proc/vitrine-diagnostics").count == 1)
    #expect(
      lines.about("/proc/vitrine-diagnostics").first?.hasPrefix("disk cache: nothing is kept: ") == true)
  }

  @Test func cancelsAndNilURLsAreNotLogged() async throws {
    let view = bench.view()
    view.accessibilityLabel = "Cover 4"

    view.setImage(from: "http://a.test/4", options: bench.options)
    view.cancelImageLoad()
    view.setImage(from: nil as String?, options: bench.options)
    let recorder = CompletionRecorder()
    view.setImage(from: "bad", options: bench.options, completion: recorder.completion)
    await recorder.wait()

    #expect(lines.about("Cover 4").count == 1)
  }

  @Test func overlayMarksASlotWithAnInvalidURL() {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 200, height: 60))
    bench.window.addSubview(view)
    bench.window.showsDiagnostics = true

    view.setImage(from: "bad", options: bench.options)

    let texts = bench.window.drawList(for: bench.window.bounds).commands.compactMap {
      if case .text(let text, _, _, _) = $0 { text } else { nil }
    }
    #expect(texts == ["not a URL: bad"])
    view.setImage(from: nil as String?, options: bench.options)
    let isMarked = bench.window.drawList(for: bench.window.bounds).commands.contains {
      if case .text = $0 { true } else { false }
    }
    #expect(!isMarked)
  }
}
