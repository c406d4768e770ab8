import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// `SlotOptions.refreshInterval`: the image is requested again and again while its slot is on the screen.
@Suite(.timeLimit(.minutes(5)))
struct SlotRefreshIntervalTests {
  private static let green = FakeDecoder.encodedImage(width: 100, height: 100, color: Color(hex: 0x00FF00))
  private let bench: SlotBench
  private let recorder = CompletionRecorder()

  init() { self.init(bench: SlotBench(disk: MemoryDataCache())) }

  private init(bench: SlotBench) { self.bench = bench }

  /// A view that shows the first image and refreshes it every 7 s. No other part sets a timer of 7 s.
  private func refreshedView(_ interval: Double = 7) async throws -> ImageView {
    let view = bench.view()
    set(view, interval)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: ["ETag": "\"1\""])
    transfer.send(SlotBench.red)
    transfer.finish()
    await recorder.wait()
    return view
  }

  private func set(_ view: View, _ interval: Double) {
    var options = bench.options
    options.refreshInterval = interval
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
  }

  /// Waits until a timer for the next interval is set.
  private func timer(_ interval: Double = 7) async throws {
    try await until { bench.clock.wakes.contains(bench.clock.now.advanced(bySeconds: interval)) }
  }

  /// Advances the clock to just before the end of an interval, and then to its end.
  private func passInterval(_ count: Int, _ interval: Double = 7) async throws -> FakeTransfer {
    bench.clock.advance(by: interval - 0.1)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == count)
    bench.clock.advance(by: 0.1)
    return try await bench.transfer(count + 1)
  }

  @Test func newImageReplacesTheShownOneAfterEachInterval() async throws {
    let view = try await refreshedView()
    for count in 1...3 {
      let shown = view.image
      let transfer = try await passInterval(count)
      #expect(!view.isLoadingImage, "without a visible sign")
      transfer.respond(with: count % 2 == 1 ? Self.green : SlotBench.red)
      try await until { view.image !== shown }
    }
    #expect(recorder.results.count == 1)
  }

  @Test func imageThatAnotherSlotHasReplacedIsShownOnceItIsConfirmed() async throws {
    let first = try await refreshedView()
    let old = first.image
    try await timer()
    bench.clock.advance(by: 3)
    let second = bench.view()
    set(second, 7)
    await recorder.wait(for: 2)
    #expect(second.image === old)
    bench.clock.advance(by: 4)
    let changed = try await bench.transfer(2)
    changed.respond(headers: ["ETag": "\"2\""])
    changed.send(Self.green)
    changed.finish()
    try await until { first.image !== old }
    await bench.downloader.drain()
    #expect(second.image === old)

    bench.clock.advance(by: 3)
    let confirmed = try await bench.transfer(3)
    #expect(confirmed.request.headers["If-None-Match"] == "\"2\"")
    confirmed.respond(status: 304)
    confirmed.finish()

    try await until { second.image !== old }
    #expect(second.image?.bitmap.color(x: 0, y: 0) == Color(hex: 0x00FF00))
  }

  @Test func unchangedImageStaysAndIsRequestedWithAConditionAgain() async throws {
    let view = try await refreshedView()
    let shown = view.image
    for count in 1...3 {
      let transfer = try await passInterval(count)
      #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
      transfer.respond(status: 304, headers: ["ETag": "\"1\""])
      transfer.finish()
      try await timer()
    }
    #expect(view.image === shown)
  }

  @Test func failureKeepsTheImageAndTheRefreshGoesOn() async throws {
    let view = try await refreshedView()
    let shown = view.image
    try await passInterval(1).fail(.status(404))
    try await timer()
    #expect(view.image === shown)
    let second = try await passInterval(2)
    second.respond(with: Self.green)
    try await until { view.image !== shown }
  }

  @Test func failureIsRetriedAtTheNextIntervalWithoutARecovery() async throws {
    let tests = Self(bench: SlotBench(disk: MemoryDataCache()) { $0.recovery = .never })
    let view = try await tests.refreshedView()
    let shown = view.image
    try await tests.passInterval(1).fail(.status(503))
    try await tests.timer()

    try await tests.passInterval(2).respond(with: Self.green)
    try await until { view.image !== shown }
  }

  @Test func refreshThatFailsOfflineIsSentWhenTheSwitchIsTurnedEvenWithoutARecovery() async throws {
    let tests = Self(bench: SlotBench(disk: MemoryDataCache()) { $0.recovery = .never })
    _ = try await tests.refreshedView()
    tests.bench.downloader.isOffline = true
    tests.bench.clock.advance(by: 8)
    await drainMainQueue(rounds: 6)
    #expect(tests.bench.transport.transfers.count == 1)

    tests.bench.downloader.isOffline = false
    _ = try await tests.bench.transfer(2)
  }

  @Test func permanentFailureIsRetriedAfterTheInterval() async throws {
    let view = bench.view()
    set(view, 7)
    try await bench.transfer(1).fail(.status(404))
    await recorder.wait()
    try await passInterval(1).respond(with: SlotBench.red)
    try await until { !(view.image == nil) }
    #expect(recorder.errors == [.status(404)])
  }

  @Test func hiddenViewIsRefreshedWhenItIsDrawnAgain() async throws {
    let view = try await refreshedView()
    view.isHidden = true
    bench.clock.advance(by: 30)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)

    view.isHidden = false
    bench.draw()
    _ = try await bench.transfer(2)
  }

  @Test func stateThatTheButtonDoesNotShowIsNotRefreshed() async throws {
    let button = bench.button()
    var options = bench.options
    options.refreshInterval = 7
    button.setImage(
      from: "http://a.test/1", for: .highlighted, options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    bench.draw()
    bench.clock.advance(by: 30)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)

    button.isHighlighted = true
    bench.draw()
    _ = try await bench.transfer(2)
  }

  @Test func refreshEndsWithItsRequest() async throws {
    let view = try await refreshedView()
    view.cancelImageLoad()
    bench.clock.advance(by: 30)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: [Double.nan, .infinity, -Double.infinity])
  func invalidIntervalIsNoInterval(interval: Double) async throws {
    _ = try await refreshedView(interval)
    bench.clock.advance(by: 1_000)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: [0.0, -1, 0.01]) func shortIntervalIsATenthOfASecond(interval: Double) async throws {
    _ = try await refreshedView(interval)
    bench.clock.advance(by: 0.09)
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)
    bench.clock.advance(by: 0.02)
    _ = try await bench.transfer(2)
  }
}
