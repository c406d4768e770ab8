import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// The decisions of a slot, without a view and a downloader.
struct SlotStateTests {
  private let bench = SlotStateBench()

  // MARK: Requests

  @Test func memoryHitIsShownBeforeTheApplicationIsCalled() throws {
    try bench.request("1")
    #expect(bench.take() == ["end recovery", "look up"])
    #expect(bench.load == nil)

    bench.find(bench.red)

    #expect(bench.take() == ["draw report", "show red", "announce", "complete", "notify"])
    #expect(bench.results == ["1 loaded"])
    #expect(bench.activity == .ended(success: true))
    #expect(bench.load == nil)
  }

  @Test func missShowsThePlaceholderAndStartsTheLoad() throws {
    try bench.request("1")
    _ = bench.take()
    bench.find(nil)
    #expect(bench.take() == ["show placeholder", "start"])
    let load = try #require(bench.load)
    #expect(bench.startedLoad == nil)

    #expect(bench.canStart(load))
    bench.state.start(load)
    #expect(bench.take() == ["request"])
    bench.state.requested(load)

    #expect(bench.take() == ["start indicator", "notify"])
    #expect(bench.activity == .running(progress: nil))
    #expect(bench.startedLoad === load)
  }

  @Test func requestBeginsWhenTheCompletionsOfThePreviousLoadHaveBeenCalled() throws {
    _ = try bench.load("1")

    try bench.request("2")

    #expect(bench.url == "http://a.test/1")
    #expect(bench.take() == ["end", "cancel", "end indicator", "end recovery", "complete", "look up"])
    #expect(bench.results == ["1 cancelled"])
    #expect(bench.url == "http://a.test/2")
  }

  @Test func requestOfACompletionReplacesTheRequestThatHasNotBegun() throws {
    _ = try bench.load("1")
    let bench = bench
    var inner: [String] = []
    bench.onEffect["complete"] = {
      try? bench.request("3")
      inner = bench.take()
    }

    try bench.request("2")
    let outer = bench.take()

    #expect(inner.last == "look up")
    #expect(bench.url == "http://a.test/3")
    #expect(outer.isEmpty, "nothing is left for the outer call")
    #expect(inner.contains("complete later"))
    #expect(
      bench.results == ["1 cancelled"], "the completion of the replaced request is called after the setter")
    bench.find(bench.red)
    _ = bench.take()
    #expect(bench.results == ["1 cancelled", "3 loaded"])
  }

  @Test func lookupOfAReplacedRequestIsIgnored() throws {
    try bench.request("1")
    _ = bench.take()
    try bench.request("2")
    _ = bench.take()
    bench.find(nil)
    _ = bench.take()

    bench.find(bench.red)

    #expect(bench.take() == [])
    #expect(bench.load != nil)
  }

  @Test func replacedLoadIsNeitherStartedNorShown() throws {
    try bench.request("1")
    _ = bench.take()
    bench.find(nil)
    _ = bench.take()
    let first = try #require(bench.load)
    let second = try bench.load("2")

    bench.state.start(first)
    bench.state.requested(first)
    bench.find(bench.red, for: first)
    #expect(!bench.progressed(first))
    bench.state.received(preview: bench.red, of: first, in: bench.scene)

    #expect(bench.take() == [])
    #expect(bench.load === second)
    #expect(bench.target == bench.placeholder)
  }

  @Test func clearByACompletionDropsTheAcceptedRequest() throws {
    _ = try bench.load("1")
    let bench = bench
    bench.onEffect["complete"] = {
      _ = bench.state.clear()
      bench.performEffects()
    }

    try bench.request("2")

    #expect(!bench.take().contains("look up"))
    #expect(bench.url == nil)
    #expect(bench.target == nil)
    bench.find(bench.red)
    #expect(bench.take() == [])
  }

  // MARK: Cancelling

  @Test func cancelKeepsThePlaceholderAndCallsTheCompletionLater() throws {
    _ = try bench.load("1")

    bench.state.cancel(in: bench.scene)

    #expect(bench.take() == ["end", "cancel", "end indicator", "end recovery", "notify"])
    #expect(bench.results == [])
    #expect(bench.url == nil)
    #expect(bench.target == bench.placeholder)
    #expect(bench.activity == .ended(success: false))
  }

  @Test func lateSuccessOfACancelledLoadCountsAsCancelled() throws {
    let load = try bench.load("1")
    bench.state.cancel(in: bench.scene)
    _ = bench.take()

    bench.respond(bench.red, to: load)

    #expect(bench.take() == ["complete"])
    #expect(bench.results == ["1 cancelled"])
    #expect(bench.target == bench.placeholder)
  }

  @Test func detachedLoadPassesItsResultToItsCompletionOnly() throws {
    let first = try bench.load("1")
    let second = try bench.load("2", SlotOptions(cancelsPrevious: false))
    #expect(bench.runningLoads.map { $0 === first || $0 === second } == [true, true])

    bench.respond(bench.red, to: first)

    #expect(bench.take() == ["complete"])
    #expect(bench.results == ["1 loaded"])
    #expect(bench.target == bench.placeholder)
    #expect(bench.load === second)
  }

  // MARK: Results

  @Test func imageEndsTheIndicatorBeforeTheApplicationIsCalled() throws {
    let load = try bench.load("1")

    bench.respond(bench.red, to: load)

    #expect(
      bench.take() == [
        "end", "fill indicator", "draw report", "show red animated", "announce", "complete", "notify",
        "check size",
      ])
    #expect(bench.load == nil)
  }

  @Test func failureBeginsTheRecovery() throws {
    let load = try bench.load("1", SlotOptions(failureImage: bench.failureImage))

    bench.fail(load)

    let effects = bench.take()
    #expect(effects.contains("begin recovery"))
    #expect(effects.contains("show failure image animated"))
    #expect(bench.results == ["1 failed"])
  }

  @Test(arguments: [true, false]) func onlyAStaleImageBeginsTheRecovery(isStale: Bool) throws {
    try bench.request("1")
    _ = bench.take()

    bench.find(bench.red, isStale: isStale)

    #expect(bench.take().contains("begin recovery") == isStale)
  }

  @Test func cancelledResultIsNotAnnounced() throws {
    let load = try bench.load("1")

    bench.fail(load, .cancelled)

    #expect(!bench.take().contains("announce"))
    #expect(bench.url == nil)
    #expect(bench.target == bench.placeholder)
  }

  @Test func completionMayWaitForTheTransition() throws {
    let load = try bench.load("1", SlotOptions(waitsForTransition: true))

    bench.respond(bench.red, to: load)

    #expect(bench.take().contains("complete after transition"))
    #expect(bench.results == [])
    try bench.request("2")
    #expect(
      bench.take().suffix(2) == ["complete", "look up"], "at the latest before the next request begins")
    #expect(bench.results == ["1 loaded"])
  }

  @Test func recoveredImageIsNotShownOverAnImageOfTheApplication() throws {
    try bench.request("1")
    _ = bench.take()
    bench.find(bench.red, isStale: true)
    _ = bench.take()
    let slotRequest = SlotRequest(
      request: try ImageRequest("http://a.test/1"), additionalIdentifier: nil, placeholder: nil,
      options: SlotOptions()
    ).forRefresh
    bench.target = .solid(width: 3, height: 3)

    bench.state.recovered(
      slotRequest, ImageResponse(image: bench.green, source: .network), from: nil, isStale: false,
      in: bench.scene)

    #expect(bench.take() == ["end recovery"])
  }

  @Test func refusedSourceShowsThePlaceholderAndCompletesLater() {
    bench.refuse(isNil: false)

    #expect(
      bench.take() == [
        "end recovery", "complete later", "show refusal", "draw report", "show placeholder", "announce",
        "notify",
      ])
    #expect(bench.results == [])
    #expect(bench.report != nil)
  }

  @Test func missingSourceIsNoFailureOfTheReport() {
    bench.refuse(isNil: true)
    _ = bench.take()

    #expect(bench.report == nil)
    #expect(bench.target == bench.placeholder)
  }

  // MARK: Size

  @Test func loadWithoutASizeWaitsForASize() throws {
    bench.needed = .unknown
    try bench.request("1")
    _ = bench.take()
    bench.find(nil)
    _ = bench.take()
    let load = try #require(bench.load)
    #expect(!bench.canStart(load))
    #expect(bench.activity == .paused)

    bench.needed = .target(DecodeTarget(width: 10, height: 10))
    bench.state.sizeChanged(in: bench.scene, isRunning: false)
    #expect(bench.take() == ["look up load"])
    bench.find(nil, for: load)
    #expect(bench.take() == ["start"])
    #expect(bench.canStart(load))
  }

  @Test func grownViewRequestsALargerImageOncePerSize() throws {
    bench.needed = .target(DecodeTarget(width: 50, height: 50))
    let load = try bench.load("1")
    bench.respond(.solid(width: 50, height: 50, sourceWidth: 1000, sourceHeight: 1000), to: load)
    _ = bench.take()
    let small = bench.target

    bench.needed = .target(DecodeTarget(width: 200, height: 200))
    bench.state.sizeChanged(in: bench.scene, isRunning: false)
    #expect(bench.take() == ["look up load"])
    let larger = try #require(bench.load)
    bench.find(nil, for: larger)
    _ = bench.take()
    bench.state.start(larger)
    #expect(bench.take() == ["request"])
    bench.fail(larger)
    _ = bench.take()
    bench.state.sizeChanged(in: bench.scene, isRunning: false)

    #expect(bench.take() == [])
    #expect(bench.target == small)
    #expect(bench.url == "http://a.test/1")
  }

  @Test(arguments: [true, false]) func runningLoadIsRequestedAgainAtAMuchLargerSize(isRunning: Bool) throws {
    _ = try bench.load("1")

    bench.needed = .target(DecodeTarget(width: 200, height: 200))
    bench.state.sizeChanged(in: bench.scene, isRunning: isRunning)

    #expect(bench.take() == (isRunning ? ["request again"] : []))
  }

  @Test func pausedLoadShowsNoIndicator() throws {
    let load = try bench.load("1")

    bench.state.pauseChanged(load, isPaused: true, .paused)
    #expect(bench.take() == ["end indicator", "notify"])
    bench.state.pauseChanged(load, isPaused: false, .running(progress: 0.5))
    #expect(bench.take() == ["start indicator", "notify"])
  }

  // MARK: Previews

  @Test func latestPreviewIsShownAtTheEndOfATransition() throws {
    let load = try bench.load("1")
    bench.state.received(preview: bench.red, of: load, in: bench.scene)
    #expect(bench.take() == ["show red animated"])

    bench.state.received(preview: .solid(width: 5, height: 5), of: load, in: bench.scene)
    #expect(bench.take() == ["await red"])
    bench.state.received(preview: bench.green, of: load, in: bench.scene)
    #expect(bench.take() == [])
    bench.state.transitionEnded(to: bench.red)

    #expect(bench.take() == ["show green animated"])
  }

  @Test func cancelledLoadRestoresTheImageBeforeThePreview() throws {
    let load = try bench.load("1")
    bench.state.received(preview: bench.red, of: load, in: bench.scene)
    _ = bench.take()

    bench.state.cancel(in: bench.scene)

    #expect(bench.take().contains("show placeholder"))
  }
}
