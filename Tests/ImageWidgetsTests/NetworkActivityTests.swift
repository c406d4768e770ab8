import Dispatch
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The indicator of network activity, with time advanced by the test.
@Suite("Network activity", .timeLimit(.minutes(5)))
struct NetworkActivityTests {
  private let network = NetworkActivity()
  private let test = TestWindow()
  private let watch: NetworkActivityWatch
  private let shown = Shown()

  private final class Shown { var values: [Bool] = [] }

  init() {
    watch = NetworkActivityWatch(network, in: test.window)
    watch.onChange = { [shown] in shown.values.append($0) }
  }

  /// Waits until the main actor has received the counted activity.
  private func runMainQueue() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }

  private func begin() async {
    network.increment()
    await runMainQueue()
  }

  private func end() async {
    network.decrement()
    await runMainQueue()
  }

  private func load(_ result: (FakeTransfer) -> Void) async throws {
    let transport = FakeTransport()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.networkActivity = network
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder())
    let task = downloader.load(try ImageRequest("http://a.test/1"))
    try await transport.waitUntilStarted(1)
    await runMainQueue()
    result(transport.transfers[0])
    _ = try? await task.response
    await runMainQueue()
  }

  @Test("AF-A7 without delays the indicator turns on and off with a request that succeeds")
  func indicatorTurnsOnAndOffForASuccess() async throws {
    (watch.activationDelay, watch.completionDelay) = (0, 0)

    try await load { $0.respond(with: SlotBench.red) }

    #expect(shown.values == [true, false])
  }

  @Test("AF-A8 without delays the indicator turns on and off with a request that fails")
  func indicatorTurnsOnAndOffForAFailure() async throws {
    (watch.activationDelay, watch.completionDelay) = (0, 0)

    try await load { $0.fail(.status(404)) }

    #expect(shown.values == [true, false])
  }

  @Test("AF-A9 the indicator appears and disappears after its delays")
  func delaysPostponeShowingAndHiding() async {
    (watch.activationDelay, watch.completionDelay) = (1, 1)
    await begin()
    test.advance(by: 0.99)
    #expect(shown.values == [])
    test.advance(by: 0.02)
    #expect(shown.values == [true])
    test.advance(by: 0.99)
    await end()
    test.advance(by: 0.99)
    #expect(shown.values == [true])

    test.advance(by: 0.02)

    #expect(shown.values == [true, false])
  }

  @Test func defaultDelaysMatchAFNetworking() {
    #expect(watch.activationDelay == 1.0)
    #expect(watch.completionDelay == 0.17)
  }

  @Test("AF-A10 overlapping requests are one activity")
  func overlappingRequestsAreOneActivity() async {
    await begin()
    test.advance(by: 1)
    await begin()
    test.advance(by: 2)
    await end()
    test.advance(by: 2)
    await end()
    test.advance(by: 2)

    #expect(shown.values == [true, false])
  }

  @Test("AF-A12 a request shorter than the activation delay is never shown")
  func requestShorterThanTheDelayIsNotShown() async {
    await begin()
    test.advance(by: 0.9)
    await end()
    test.advance(by: 5)

    #expect(shown.values.isEmpty)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func requestIsShownIfItRunsWhenThePreviousDelayEnds() async {
    await begin()
    test.advance(by: 0.2)
    await end()
    test.advance(by: 0.7)
    await begin()
    test.advance(by: 0.11)

    #expect(shown.values == [true])
  }

  @Test func shortRequestLeavesNoDeadline() async {
    await begin()
    #expect(test.window.nextDeadline == 1.0)
    test.advance(by: 0.2)
    await end()

    #expect(test.window.nextDeadline == nil)
    await begin()
    #expect(test.window.nextDeadline == 1.0)
    await end()
    test.advance(by: 1)
    await begin()
    #expect(test.window.nextDeadline == 2.2)
  }

  @Test("AF-A13 a request within the completion delay keeps the indicator visible")
  func requestWithinTheCompletionDelayKeepsTheIndicator() async {
    await begin()
    test.advance(by: 1.5)
    await end()
    test.advance(by: 0.1)
    await begin()
    test.advance(by: 5)
    #expect(shown.values == [true])
    #expect(watch.isVisible)

    await end()
    test.advance(by: 0.2)

    #expect(shown.values == [true, false])
  }

  @Test("AF-A14 a disabled indicator shows nothing, and disappears at once")
  func disabledWatchHidesTheIndicatorAtOnce() async {
    await begin()
    test.advance(by: 1.5)
    watch.isEnabled = false
    #expect(shown.values == [true, false])
    await begin()
    test.advance(by: 5)
    #expect(shown.values == [true, false])
    #expect(test.window.nextDeadline == nil)

    watch.isEnabled = true
    test.advance(by: 1.1)

    #expect(shown.values == [true, false, true], "running requests are shown again")
  }

  @Test func indicatorAnimatesWhileTheNetworkIsBusy() async {
    let indicator = NetworkActivityIndicator(network)
    await begin()
    test.window.addSubview(indicator)
    test.advance(by: 0.9)
    #expect(!indicator.isAnimating)
    test.advance(by: 0.2)
    #expect(indicator.isAnimating)
    #expect(test.window.isIdle)

    indicator.removeFromSuperview()

    #expect(!indicator.isAnimating)
    #expect(indicator.watch == nil)
  }

  @Test func windowIsIdleOnceTheIndicatorIsHidden() async {
    await begin()
    test.advance(by: 1.1)
    await end()
    #expect(!test.window.isIdle)

    test.advance(by: 0.2)

    #expect(shown.values == [true, false])
    #expect(test.window.isIdle)
  }

  @Test func progressViewFollowsTheActivity() async {
    let bar = ProgressView()
    bar.setProgress(withProgressOf: watch)
    await begin()
    test.advance(by: 1.1)
    #expect(bar.isIndeterminate)
    await end()
    test.advance(by: 0.2)

    #expect(!bar.isIndeterminate)
  }
}
