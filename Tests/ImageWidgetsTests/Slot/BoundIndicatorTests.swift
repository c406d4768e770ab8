import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Indicators that follow a slot or a task.
@Suite("Indicators bound to a slot or a task", .timeLimit(.minutes(5)))
struct BoundIndicatorTests: IndicatorSlots {
  let bench = SlotBench()
  let recorder = CompletionRecorder()

  @Test func boundIndicatorsFollowTheirSlot() async throws {
    let view = bench.view()
    let indicator = ActivityIndicator()
    let bar = ProgressView()
    indicator.setAnimating(withStateOf: view.imageActivity)
    bar.setProgress(withProgressOf: view.imageActivity)
    #expect(!indicator.isAnimating)
    load(view, .none)
    await drainMainQueue()
    #expect(indicator.isAnimating)
    #expect(bar.isIndeterminate)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: SlotBench.red.count)
    transfer.send(Array(SlotBench.red.prefix(10)))
    await drainMainQueue()
    await drainMainQueue()
    #expect(!bar.isIndeterminate)

    transfer.send(Array(SlotBench.red.dropFirst(10)))
    transfer.finish()
    await recorder.wait()
    await drainMainQueue()
    await drainMainQueue()

    #expect(!indicator.isAnimating)
    #expect(bar.progress == 1)
  }

  @Test func activityObserverMayStartAnotherLoad() async throws {
    let view = bench.view()
    var hasRequested = false
    let observation = view.imageActivity.observeActivity { [bench, recorder] in
      guard !hasRequested, !view.imageActivity.activity.isRunning else { return }
      hasRequested = true
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
    await drainMainQueue()
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
    await drainMainQueue()
    #expect(!indicator.isAnimating && !control.isRefreshing)
    #expect(task.activity == .paused)
    task.resume()
    await drainMainQueue()
    #expect(indicator.isAnimating)

    indicator.setAnimating(withStateOf: nil)
    task.pause()
    await drainMainQueue()
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
    await drainMainQueue()
    bench.run(until: 2)
    #expect(!bound.isAnimating && view.imageActivity.activity == .paused)
    let drawnWhilePaused = bench.window.drawList(for: bench.window.bounds).commands.count

    task.resume()
    await drainMainQueue()
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
    await drainMainQueue()
    await drainMainQueue()

    #expect(!control.isRefreshing)
  }
}
