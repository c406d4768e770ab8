import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The indicators that are drawn over a slot while it loads.
@Suite("Indicators over a slot", .timeLimit(.minutes(5)))
struct SlotIndicatorTests: IndicatorSlots {
  let bench = SlotBench()
  let recorder = CompletionRecorder()

  /// The rounded fills; only bars draw them.
  private var bars: [Rect] {
    commands.compactMap {
      if case .fill(let rect, _, let radius) = $0, radius > 0 { rect } else { nil }
    }
  }

  @Test("SD-W22 a slot has one indicator, which shows the download progress")
  func barShowsTheDownloadProgress() async throws {
    let view = bench.view()
    load(view, .bar)
    bench.run(until: 0.2)
    #expect(bars.count == 2, "the track and the moving piece")
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 1000)

    await receive(transfer, 0.5)
    bench.run(until: 1)

    #expect(bars.map(\.width) == [60, 30])
    transfer.fail(.emptyBody)
    await recorder.wait()
  }

  @Test func barWithoutAKnownLengthStaysIndeterminate() async throws {
    let view = bench.view()
    load(view, .bar)
    let transfer = try await bench.transfer(1)
    transfer.respond()
    await receive(transfer, 0.5)
    bench.run(until: 0.5)
    let before = bars
    bench.run(until: 0.6)

    #expect(bars != before)
    transfer.fail(.emptyBody)
    await recorder.wait()
  }

  @Test("SD-W22 a finished load fills the bar while the bar fades out")
  func finishedLoadFillsTheBarWhileItFadesOut() async throws {
    let view = bench.view()
    load(view, .bar)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: SlotBench.red.count)
    transfer.send(Array(SlotBench.red.prefix(10)))
    await drainMainQueue()
    bench.run(until: 0.5)
    transfer.send(Array(SlotBench.red.dropFirst(10)))
    transfer.finish()
    await recorder.wait()

    bench.run(until: 0.55)

    #expect(bars.map(\.width) == [60, 60])
    bench.run(until: 2)
    #expect(bars.isEmpty)
  }

  @Test func ringImageFollowsProgress() async throws {
    let view = bench.view()
    load(view, .ring)
    bench.run(until: 0.2)
    let unknown = bench.images.map(\.image)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 1000)
    await receive(transfer, 0.5)
    bench.run(until: 1)
    let half = bench.images.map(\.image)
    bench.run(until: 2)

    #expect(unknown.count == 1 && half.count == 1)
    #expect(half != unknown)
    #expect(bench.images.map(\.image) == half)
    transfer.fail(.emptyBody)
    await recorder.wait()
  }

  @Test(
    "A spinner is shown where no placeholder is, and over a placeholder if asked for",
    arguments: [true, false])
  func defaultSpinnerIsNotDrawnOverAPlaceholder(hasPlaceholder: Bool) async throws {
    let view = bench.view()
    let placeholder = hasPlaceholder ? Image.solid(width: 4, height: 4) : nil
    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options(.automatic),
      completion: recorder.completion)
    bench.run(until: 0.5)
    #expect(bench.images.count == 1)
    #expect((bench.images.first?.image == placeholder) == hasPlaceholder)

    view.setImage(from: "http://a.test/2", placeholder: placeholder, options: options(.activity))
    bench.run(until: 1)

    #expect(bench.images.count == (hasPlaceholder ? 2 : 1))
    await recorder.wait()
  }

  @Test func defaultSpinnerIsNotDrawnOverThePreviousImage() async throws {
    let view = bench.view()
    view.image = .solid(width: 4, height: 4)
    var options = options(.automatic)
    options.placeholderPolicy = .keepsPrevious

    view.setImage(from: "http://a.test/1", options: options)
    bench.run(until: 0.5)

    #expect(bench.images.map(\.image) == [view.image])
    view.cancelImageLoad()
  }

  @Test func indicatorNoneDrawsNothing() async throws {
    let view = bench.view()
    load(view, .none)
    bench.run(until: 5)

    #expect(bench.images.isEmpty && bars.isEmpty)
    try await bench.transfer(1).fail(.emptyBody)
    await recorder.wait()
  }

  @Test(arguments: [SlotOptions.Indicator.activity, .bar, .ring])
  func tinySlotShowsNoIndicator(indicator: SlotOptions.Indicator) {
    let view = bench.view()
    view.frame.size = Size(width: 11, height: 11)
    load(view, indicator)
    bench.run(until: 0.5)

    #expect(bench.images.isEmpty && bars.isEmpty)
  }

  nonisolated enum End: CaseIterable, Sendable { case cancel, failure, noURL, clear }

  @Test("SD-W29 the indicator disappears on cancel, on failure, and without a URL", arguments: End.allCases)
  func indicatorDisappearsWhenTheLoadEnds(end: End) async throws {
    let view = bench.view()
    load(view, .bar)
    bench.run(until: 0.2)
    #expect(!bars.isEmpty)

    switch end {
    case .cancel: view.cancelImageLoad()
    case .failure: try await bench.transfer(1).fail(.status(500))
    case .noURL: view.setImage(from: nil, options: options(.bar))
    case .clear: view.imageURL = nil
    }
    await recorder.wait()
    bench.run(until: 1)

    #expect(bars.isEmpty)
  }
}
