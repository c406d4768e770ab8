import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// The overlay that slots draw over their images while a window shows its diagnostics.
@Suite(.timeLimit(.minutes(5)))
struct DiagnosticsTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  private func texts() -> [String] {
    bench.window.drawList(for: bench.window.bounds).commands.compactMap { command in
      if case .text(let text, _, _, _) = command { text } else { nil }
    }
  }

  @Test func overlayShowsSizeSourceAndLoadTime() async throws {
    let view = bench.view()
    bench.window.showsDiagnostics = true
    bench.run(until: 1)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(texts().isEmpty)
    try await bench.transfer(1).respond(with: SlotBench.red)
    bench.window.now = 1.25
    await recorder.wait()

    let image = try #require(view.contents)
    #expect(texts() == ["\(image.pixelWidth)x\(image.pixelHeight)", "network 250 ms"])
  }

  @Test(arguments: [Double.infinity, 1e300, .nan])
  func overlayOfAViewOfAnySizeIsDrawn(height: Double) async throws {
    let view = bench.view()
    bench.window.showsDiagnostics = true
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    view.frame.size.height = height

    #expect(texts().count <= 2)
  }

  @Test func loadTimeStartsWhenTheViewEntersTheWindow() async throws {
    let cell = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    bench.window.showsDiagnostics = true
    cell.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    bench.window.now = 1
    bench.window.addSubview(cell)
    try await bench.transfer(1).respond(with: SlotBench.red)
    bench.window.now = 1.25
    await recorder.wait()

    #expect(texts().last == "network 250 ms")
  }

  @Test func imageLoadedOutsideAWindowHasNoLoadTime() async throws {
    let view = bench.view()
    bench.window.showsDiagnostics = true
    bench.window.now = 5
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    view.removeFromSuperview()
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    bench.window.addSubview(view)

    #expect(texts().last == "network")
  }

  @Test func imageFromMemoryHasNoLoadTime() throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let view = bench.view()
    bench.window.showsDiagnostics = true

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(texts() == ["100x100", "memory"])
  }

  @Test func overlayIsDrawnOnlyWhileDiagnosticsAreOn() throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options)
    #expect(texts().isEmpty)

    bench.window.showsDiagnostics = true
    #expect(bench.window.isDirty)
    #expect(!texts().isEmpty)
    bench.window.showsDiagnostics = false
    #expect(texts().isEmpty)
  }

  @Test func failureIsLabeled() async throws {
    let view = bench.view()
    bench.window.showsDiagnostics = true
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    try await bench.transfer(1).fail(.status(404))
    await recorder.wait()

    #expect(texts() == ["failed"] || texts() == ["\(ImageError.status(404))"])
  }

  @Test(
    "each source has its own color",
    arguments: ImageResponse.Source.allCases)
  func eachSourceHasItsOwnColor(source: ImageResponse.Source) throws {
    let report = try #require(
      SlotReport(.success(ImageResponse(image: .solid(width: 1, height: 1), source: source)), elapsed: 0))
    let others = ImageResponse.Source.allCases.filter { $0 != source }.compactMap {
      SlotReport(.success(ImageResponse(image: .solid(width: 1, height: 1), source: $0)), elapsed: 0)?.color
    }

    #expect(others.count == 3)
    #expect(!others.contains(report.color))
  }

  @Test(arguments: [
    (ImageResponse.Source.network, ImageResponse.Freshness.fresh, [String]()),
    (.memory, .fresh, []), (.disk, .fresh, ["fresh"]), (.disk, .revalidated, ["revalidated"]),
    (.disk, .stale(age: 3 * 3600 + 59, reason: .status(503)), ["stale, 3 h old"]),
    (.memory, .stale(age: 2 * 86_400, reason: nil), ["stale, 2 days old"]),
  ])
  func reportShowsTheFreshness(
    source: ImageResponse.Source, freshness: ImageResponse.Freshness, lines: [String]
  ) throws {
    let response = ImageResponse(
      image: .solid(width: 1, height: 1), source: source, freshness: freshness)
    let report = try #require(SlotReport(.success(response), elapsed: 0))
    #expect(report.lines().dropFirst(2).map(\.long) == lines)
  }

  @Test func reportShowsTheCountersOfALiveStream() throws {
    var counters = LiveImageStream.Statistics()
    let response = ImageResponse(image: .solid(width: 1, height: 1), source: .network)
    let report = try #require(SlotReport(.success(response), elapsed: 0))
    #expect(report.lines(nil, counters).last?.long == "live: 0 shown, 0 dropped")
    counters.framesDecoded = 12
    counters.framesDropped = 3
    #expect(report.lines(nil, counters).last?.long == "live: 12 shown, 3 dropped")
    #expect(report.lines(nil, counters).last?.short == "12 shown")
  }

  @Test func tinyImageIsMarkedByOneCommand() throws {
    let report = try #require(
      SlotReport(.success(ImageResponse(image: .solid(width: 1, height: 1), source: .memory)), elapsed: 0))
    let view = bench.view()
    var list = DrawList(visibleRect: Rect(x: 0, y: 0, width: 100, height: 100))

    report.draw(in: Rect(x: 0, y: 0, width: 16, height: 16), cornerRadius: 0, of: view, into: &list)

    #expect(list.commands.count == 1)
  }
}
