import Dispatch
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The indicators that are drawn over a slot while it loads.
@Suite("Indicators over a slot", .timeLimit(.minutes(1)))
struct SlotIndicatorTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  private func options(_ indicator: SlotOptions.Indicator) -> SlotOptions {
    var options = bench.options
    options.indicator = indicator
    return options
  }

  private func load(_ view: ImageView, _ indicator: SlotOptions.Indicator) {
    bench.window.update(at: bench.window.now)
    view.setImage(from: "http://a.test/1", options: options(indicator), completion: recorder.completion)
  }

  /// Waits until the main actor has received the events of a transfer.
  private func runMainQueue() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }

  private var commands: [DrawList.Command] { bench.window.drawList(for: bench.window.bounds).commands }

  /// The rounded fills; only bars draw them.
  private var bars: [Rect] {
    commands.compactMap {
      if case .fill(let rect, _, let radius) = $0, radius > 0 { rect } else { nil }
    }
  }

  private func receive(_ transfer: FakeTransfer, _ fraction: Double, of total: Int = 1000) async {
    transfer.send(Array(repeating: 0, count: Int(Double(total) * fraction)))
    await runMainQueue()
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
    await runMainQueue()
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
  func defaultSpinnerSparesAPlaceholder(hasPlaceholder: Bool) async throws {
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

  @Test func defaultSpinnerSparesThePreviousImage() async throws {
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

  // MARK: Custom indicators

  /// An indicator whose drawing the test sets.
  private final class Custom: IndicatorDrawing {
    var size = Size(width: 10, height: 10)
    var next: (Double) -> Double? = { _ in nil }
    var body: (Rect, inout DrawList) -> Void = { $1.fill($0, color: .white) }
    private(set) var moments: [IndicatorMoment] = []

    func size(in availableSize: Size, scale: Double) -> Size { size }
    func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
      moments.append(moment)
      body(rect, &list)
    }
    func nextChange(after moment: IndicatorMoment) -> Double? { next(moment.time) }
  }

  /// Runs frames until `end`, draws the dirty ones as a host does, and returns their number.
  private func framesDrawn(until end: Double) -> Int {
    var count = 0
    while bench.window.now < end {
      bench.window.update(at: min(end, bench.window.now + bench.window.frameInterval))
      guard bench.window.isDirty else { continue }
      count += 1
      for rect in bench.window.takeDirtyRects() { _ = bench.window.drawList(for: rect) }
    }
    return count
  }

  @Test func customIndicatorReceivesTimeProgressAndFrame() async throws {
    let custom = Custom()
    var place = Rect.zero
    custom.body = { rect, _ in place = rect }
    let view = bench.view()
    load(view, .custom(custom))
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 1000)
    await receive(transfer, 0.25)
    _ = framesDrawn(until: 1)

    #expect(place == Rect(x: 45, y: 45, width: 10, height: 10))
    #expect(custom.moments.last?.progress == 0.25)
    #expect(custom.moments.allSatisfy { $0.time >= 0.1 && $0.scale == 1 })
    transfer.fail(.emptyBody)
    await recorder.wait()
  }

  @Test func staticIndicatorIsDrawnOnce() {
    let custom = Custom()
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    let count = custom.moments.count

    #expect(framesDrawn(until: 3) == 0)
    #expect(custom.moments.count == count)
  }

  @Test(arguments: [-Double.infinity, -1, 0, .nan])
  func indicatorIsDrawnAtMostOncePerFrame(next: Double) {
    let custom = Custom()
    custom.next = { _ in next }
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    let before = custom.moments.count

    let frames = framesDrawn(until: 1.2)

    #expect(frames <= 61)
    #expect(custom.moments.count - before <= 61)
    #expect(bench.window.nextDeadline.map { $0 > bench.window.now } != false)
  }

  @Test(arguments: [
    Size(width: .nan, height: 10), Size(width: -5, height: 5), Size(width: 0, height: 0),
  ])
  func customIndicatorWithoutAValidSizeIsNotDrawn(size: Size) {
    let custom = Custom()
    custom.size = size
    load(bench.view(), .custom(custom))
    bench.run(until: 0.5)

    #expect(custom.moments.isEmpty)
    _ = commands
    #expect(custom.moments.isEmpty)
  }

  @Test func largeIndicatorIsClippedToTheSlot() {
    let custom = Custom()
    custom.size = Size(width: 1e9, height: .infinity)
    custom.body = { rect, list in list.fill(rect.inset(by: -50), color: .white) }
    load(bench.view(), .custom(custom))
    bench.run(until: 0.2)

    let clips = commands.compactMap { if case .pushClip(let rect) = $0 { rect } else { nil } }
    #expect(clips == [Rect(x: 0, y: 0, width: 100, height: 100)])
  }

  @Test(arguments: [(0, 5), (5, 0), (2, 4), (4, 1)])
  func unbalancedEnterAndLeaveDoNotAffectOtherViews(enters: Int, leaves: Int) {
    let custom = Custom()
    custom.body = { rect, list in
      for _ in 0..<enters { list.enter(origin: Point(x: 1000, y: 1000), opacity: 0, clip: .zero) }
      for _ in 0..<leaves { list.leave() }
    }
    let view = bench.view()
    let sibling = View(frame: Rect(x: 200, y: 200, width: 30, height: 30))
    sibling.backgroundColor = .white
    bench.window.addSubview(sibling)
    load(view, .custom(custom))
    bench.run(until: 0.2)

    let depth = commands.reduce(0) { depth, command in
      switch command {
      case .pushClip: depth + 1
      case .popClip: depth - 1
      default: depth
      }
    }
    #expect(depth == 0)
    #expect(commands.contains(.fill(sibling.frame, color: .white, cornerRadius: 0)))
  }

  @Test func slowIndicatorIsDrawnLessOften() {
    let custom = Custom()
    custom.next = { $0 }
    load(bench.view(), .custom(custom))
    _ = framesDrawn(until: 0.2)
    bench.window.frameWorkDuration = 0.05

    #expect(framesDrawn(until: 2.2) <= 11, "a slow indicator gets a fifth of the time")
  }

  @Test func indicatorMayRequestAnotherImageWhileItDraws() async throws {
    let custom = Custom()
    let view = bench.view()
    let options = bench.options
    var isDone = false
    custom.body = { [recorder, weak view] _, _ in
      guard !isDone else { return }
      isDone = true
      view?.setImage(from: "http://a.test/2", options: options, completion: recorder.completion)
    }
    load(view, .custom(custom))
    bench.run(until: 0.2)
    _ = commands
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.cancelled])
    #expect(recorder.images.count == 1)
    #expect(view.image === recorder.images.first)
  }

  // MARK: Bound indicators

  @Test func boundIndicatorsFollowTheirSlot() async throws {
    let view = bench.view()
    let indicator = ActivityIndicator()
    let bar = ProgressView()
    indicator.setAnimating(withStateOf: view.imageActivity)
    bar.setProgress(withProgressOf: view.imageActivity)
    #expect(!indicator.isAnimating)
    load(view, .none)
    await runMainQueue()
    #expect(indicator.isAnimating)
    #expect(bar.isIndeterminate)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: SlotBench.red.count)
    transfer.send(Array(SlotBench.red.prefix(10)))
    await runMainQueue()
    await runMainQueue()
    #expect(!bar.isIndeterminate)

    transfer.send(Array(SlotBench.red.dropFirst(10)))
    transfer.finish()
    await recorder.wait()
    await runMainQueue()
    await runMainQueue()

    #expect(!indicator.isAnimating)
    #expect(bar.progress == 1)
  }

  @Test func activityObserverMayStartAnotherLoad() async throws {
    let view = bench.view()
    var hasAsked = false
    let observation = view.imageActivity.observeActivity { [bench, recorder] in
      guard !hasAsked, !view.imageActivity.activity.isRunning else { return }
      hasAsked = true
      view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    load(view, .none)
    try await bench.transfer(1).fail(.emptyBody)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image === recorder.images.first)
    withExtendedLifetime(observation) {}
  }

  @Test("AF-A1 AF-A2 AF-A15 AF-A16 indicators follow a task; a released indicator is ignored")
  func boundIndicatorsFollowTheirTask() async throws {
    let indicator = ActivityIndicator()
    let bar = ProgressView()
    let task = bench.downloader.load(try ImageRequest("http://a.test/1"))
    do {
      let gone = ActivityIndicator()
      gone.setAnimating(withStateOf: task)
    }
    indicator.setAnimating(withStateOf: task)
    bar.setProgress(withProgressOf: task, animated: false)
    #expect(indicator.isAnimating)
    #expect(bar.isIndeterminate)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 2 * SlotBench.red.count)
    transfer.send(SlotBench.red)
    await runMainQueue()
    #expect(bar.progress == 0.5)

    transfer.finish()
    _ = try await task.response
    // Observers of the task are notified a turn or two after its awaiting callers.
    try await until { !indicator.isAnimating }

    #expect(bar.progress == 1)
    let late = ActivityIndicator()
    late.setAnimating(withStateOf: task)
    #expect(!late.isAnimating)
  }

  @Test("AF-A3 AF-A6 AF-A15 indicators stop while their task is paused; released indicators are ignored")
  func boundIndicatorsStopWhileTheirTaskIsPaused() async throws {
    let indicator = ActivityIndicator()
    let control = RefreshControl()
    let task = bench.downloader.load(try ImageRequest("http://a.test/1"))
    do {
      let (goneIndicator, goneControl) = (ActivityIndicator(), RefreshControl())
      goneIndicator.setAnimating(withStateOf: task)
      goneControl.setRefreshing(withStateOf: task)
    }
    indicator.setAnimating(withStateOf: task)
    control.setRefreshing(withStateOf: task)
    #expect(indicator.isAnimating && control.isRefreshing)

    task.pause()
    await runMainQueue()
    #expect(!indicator.isAnimating && !control.isRefreshing)
    #expect(task.activity == .paused)
    task.resume()
    await runMainQueue()
    #expect(indicator.isAnimating)

    indicator.setAnimating(withStateOf: nil)
    task.pause()
    await runMainQueue()
    #expect(indicator.isAnimating)
  }

  @Test("AF-A15 a slot whose load is paused is not active, and shows no indicator until the load resumes")
  func pausedSlotShowsNoIndicator() async throws {
    let view = bench.view()
    let bound = ActivityIndicator()
    bound.setAnimating(withStateOf: view.imageActivity)
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    _ = try await bench.transfer(1)
    let key = try #require(view.latestLoadOperationKey)
    let task = try #require(view.loadOperation(forKey: key) as? ImageTask)
    bench.run(until: 1)
    #expect(bound.isAnimating)

    task.pause()
    await runMainQueue()
    bench.run(until: 2)
    #expect(!bound.isAnimating && view.imageActivity.activity == .paused)
    let drawnWhilePaused = bench.window.drawList(for: bench.window.bounds).commands.count

    task.resume()
    await runMainQueue()
    bench.run(until: 3)
    #expect(bound.isAnimating && view.imageActivity.activity.isRunning)
    #expect(bench.window.drawList(for: bench.window.bounds).commands.count > drawnWhilePaused)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait()
    #expect(view.image != nil && !view.imageActivity.activity.isRunning)
  }

  @Test("AF-A4 AF-A5 a refresh control follows a task, cancelled or not")
  func refreshControlStopsWhenItsTaskIsCancelled() async throws {
    let control = RefreshControl()
    let task = bench.downloader.load(try ImageRequest("http://a.test/1"))
    do {
      let gone = RefreshControl()
      gone.setRefreshing(withStateOf: task)
    }
    control.setRefreshing(withStateOf: task)
    #expect(control.isRefreshing)

    task.cancel()
    await runMainQueue()
    await runMainQueue()

    #expect(!control.isRefreshing)
  }
}
