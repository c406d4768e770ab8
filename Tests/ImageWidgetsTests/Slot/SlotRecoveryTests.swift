import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Slots whose requests failed with retryable errors: the requests are sent again while the slots are on the screen.
@Suite("Slots that recover", .timeLimit(.minutes(5)))
struct SlotRecoveryTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private nonisolated static let down = ImageError.transport(.cannotConnect, message: "refused")

  /// Returns when the work posted to the main actor before this call is done.
  private func turn() async throws {
    let request = try ImageRequest("nothing://a.test/")
    for _ in 0..<3 {
      var isDone = false
      _ = bench.downloader.load(request) { _ in isDone = true }
      try await until { isDone }
    }
  }

  /// Returns a view in a row of views that fit the window's height.
  private func view(_ number: Int = 0) -> ImageView {
    let view = bench.view()
    view.frame.origin.x = Double(number % 4) * 100
    return view
  }

  /// Returns a view whose first load has failed.
  private func failedView(
    _ error: ImageError = down, _ change: (inout SlotOptions) -> Void = { _ in }
  ) async throws -> ImageView {
    let view = view()
    var options = bench.options
    change(&options)
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(error)
    await recorder.wait()
    return view
  }

  @Test(arguments: [
    down, .status(503), .status(521), .status(429), .timedOut(.connect(seconds: 10)),
    .timedOut(.stall(seconds: 15)),
    .transport(.outOfResources, message: "Out of memory"), .tooLarge(.memory(needed: 1, allowed: 2)),
  ])
  func retryableFailureIsFollowedByTheImage(error: ImageError) async throws {
    let view = try await failedView(error)
    #expect(recorder.errors == [error])
    #expect(view.imageActivity.activity == .ended(success: false))

    bench.clock.advance(by: 2)
    let probe = try await bench.transfer(2)
    #expect(!view.isLoadingImage, "the retry is not visible")
    #expect(bench.window.isLoaded)
    probe.respond(with: SlotBench.red)
    try await until { !(view.image == nil) }

    #expect(view.image?.sourceWidth == 100)
    #expect(view.imageURL == "http://a.test/1")
    #expect(view.imageActivity.activity == .ended(success: true))
    #expect(recorder.results.count == 1, "the completion was called for the failure")
    #expect(bench.clock.wakes.isEmpty, "no timer remains")
  }

  @Test(arguments: [
    ImageError.status(404), .status(401), .tooLarge(.body(bytes: 1)),
    .tooLarge(.memory(needed: 2, allowed: 1)), .decoding(.jpeg, message: ""),
    .notAnImage(signature: [0, 0, 0, 0x20]),
  ])
  func permanentFailureIsNotRetried(error: ImageError) async throws {
    _ = try await failedView(error)

    #expect(bench.clock.wakes.isEmpty)
    bench.clock.advance(by: 1000)
    bench.downloader.networkReturned()
    bench.downloader.clockStepped()
    try await turn()
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: ["data:,x", "file:///x.jpg"])
  func localBytesThatAreNotAnImageAreNotReadAgain(url: String) async throws {
    let transport = FakeTransport(schemes: ["data", "file"])
    bench.downloader.transports = [transport]

    view().setImage(from: url, options: bench.options, completion: recorder.completion)
    try await transport.transfer(1).respond(with: Array("x".utf8))
    await recorder.wait()

    #expect(recorder.errors == [.notAnImage(signature: Array("x".utf8))])
    #expect(bench.clock.wakes.isEmpty, "another decode would fail as well")
  }

  @Test(arguments: [TrustFailure.notYetValid, .expired])
  func certificateIsCheckedAgainWhenTheClockIsSet(cause: TrustFailure) async throws {
    let view = try await failedView(.untrustedServer(host: "a.test", cause: cause, message: ""))
    bench.clock.advance(by: 59)
    try await turn()
    #expect(bench.transport.transfers.count == 1)

    bench.downloader.clockStepped()
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
  }

  @Test func expiredCertificateIsCheckedAgainWithinTwoMinutes() async throws {
    let view = try await failedView(.untrustedServer(host: "a.test", cause: .expired, message: ""))

    bench.clock.advance(by: 120)
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
  }

  /// A captive portal, or a proxy that is starting, may have responded in place of the server.
  @Test(arguments: [
    ImageError.contentType("text/html"), .redirectRefused(.downgrade), .emptyBody,
    .transport(.unsupported, message: "Received HTTP/0.9 when not allowed"),
    .transport(.unexpectedEncoding, message: ""),
    .untrustedServer(host: "a.test", cause: .unknownAuthority, message: ""),
  ])
  func imageReplacesTheResponseOfACaptivePortalWithinTwoMinutes(error: ImageError) async throws {
    let view = try await failedView(error)
    bench.clock.advance(by: 59)
    try await turn()
    #expect(bench.transport.transfers.count == 1, "no probe within the first minute")

    bench.clock.advance(by: 61)
    try await bench.transfer(2).fail(error)
    try await until { !bench.clock.wakes.isEmpty }
    bench.clock.advance(by: 120)
    try await bench.transfer(3).respond(with: SlotBench.red)
    try await until { view.image != nil }
    #expect(bench.clock.wakes.isEmpty, "no timer remains")
  }

  @Test func imageReplacesTheResponseOfACaptivePortalWhenTheNetworkReturns() async throws {
    let view = try await failedView(.contentType("text/html"))

    bench.downloader.networkReturned()
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
    #expect(bench.clock.now == 0)
  }

  @Test func certificateCheckedBeforeTheClockWasSetIsCheckedAgainAtOnce() async throws {
    let error = ImageError.untrustedServer(host: "a.test", cause: .notYetValid, message: "")
    let view = view()
    view.setImage(from: "https://a.test/1", options: bench.options, completion: recorder.completion)
    let first = try await bench.transfer(1)
    bench.downloader.clockStepped()
    first.fail(error)
    await recorder.wait()

    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
    #expect(bench.clock.now == 0)
  }

  @Test func fileReadIsRetriedAfterAStall() async throws {
    let view = view()
    let hung = ImageError.timedOut(.stall(seconds: 15))
    let files = FakeTransport(schemes: ["file"])
    bench.downloader.transports = [files]
    view.setImage(from: "file:///a.jpg", options: bench.options, completion: recorder.completion)
    try await files.waitUntilStarted(1)
    files.transfers[0].fail(hung)
    await recorder.wait()
    #expect(recorder.errors == [hung])

    bench.clock.advance(by: 2)
    try await files.waitUntilStarted(2)
    files.transfers[1].respond(with: SlotBench.red)
    try await until { view.image != nil }
  }

  @Test func retryAfterOfOneHourIsObeyed() async throws {
    let view = view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let refused = try await bench.transfer(1)
    refused.respond(status: 503, headers: ["Retry-After": "3600"])
    refused.fail(.status(503))
    await recorder.wait()

    bench.clock.advance(by: 3599)
    try await turn()
    #expect(bench.transport.transfers.count == 1)

    bench.clock.advance(by: 1)
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
  }

  @Test func unstableNetworkIsProbedAtMostOnceInTwoSeconds() async throws {
    _ = try await failedView()
    bench.downloader.networkReturned()
    try await bench.transfer(2).fail(Self.down)
    for _ in 0..<20 {
      bench.downloader.networkReturned()
      try await turn()
      bench.clock.advance(by: 0.05)
    }
    #expect(bench.transport.transfers.count == 2)

    bench.clock.advance(by: 1)
    _ = try await bench.transfer(3)
    #expect(bench.clock.now == 2_000_000_000)
  }

  @Test func probesContinueUntilAnImageLoads() async throws {
    let view = try await failedView()
    for number in 2...6 {
      bench.clock.advance(by: 120)
      try await bench.transfer(number).fail(Self.down)
      try await until { !(bench.clock.wakes.isEmpty) }
    }
    bench.clock.advance(by: 120)
    try await bench.transfer(7).respond(with: SlotBench.red)
    try await until { !(view.image == nil) }
    #expect(bench.transport.transfers.count == 7)
  }

  @Test func manySlotsOfOneHostSendOneProbe() async throws {
    let views = (0..<40).map { view($0) }
    bench.downloader.maximumActiveDownloadsPerHost = 100
    bench.downloader.maximumActiveDownloads = 100
    for (number, view) in views.enumerated() {
      view.setImage(
        from: "http://a.test/\(number)", options: bench.options, completion: recorder.completion)
    }
    try await bench.transport.waitUntilStarted(40)
    for transfer in bench.transport.transfers { transfer.fail(Self.down) }
    await recorder.wait(for: 40)

    bench.clock.advance(by: 2)
    let probe = try await bench.transfer(41)
    bench.clock.advance(by: 100)
    try await turn()
    #expect(bench.transport.transfers.count == 41)

    let body = SlotBench.red
    bench.transport.respondToAll { $0.respond(with: body) }
    probe.respond(with: SlotBench.red)
    try await until { !(views.contains(where: { $0.image == nil })) }
    #expect(bench.transport.transfers.count == 80, "each once")
    #expect(recorder.results.count == 40)
  }

  /// By default, a page of type text/html with the status 200 is refused by the decoder only.
  @Test(arguments: ["\u{FEFF}\n<!DOCTYPE html>", ""])
  func onlyOneSlotOfAHostProbesACaptivePortal(page: String) async throws {
    let views = (0..<4).map { view($0) }
    for (number, view) in views.enumerated() {
      view.setImage(
        from: "http://a.test/\(number)", options: bench.options, completion: recorder.completion)
    }
    try await bench.transport.waitUntilStarted(4)
    for transfer in bench.transport.transfers { transfer.respond(with: Array(page.utf8)) }
    await recorder.wait(for: 4)

    bench.clock.advance(by: 120)
    try await bench.transfer(5).respond(with: Array(page.utf8))
    try await until { !bench.clock.wakes.isEmpty }
    try await turn()
    #expect(bench.transport.transfers.count == 5, "the page does not show that the server responds")

    bench.clock.advance(by: 120)
    let body = SlotBench.red
    bench.transport.respondToAll { $0.respond(with: body) }
    try await until { !views.contains { $0.image == nil } }
    #expect(bench.transport.transfers.count == 9, "the image releases the other slots")
  }

  @Test func successOfAnotherRequestToTheHostTriggersTheRetry() async throws {
    let view = try await failedView()
    let task = bench.downloader.load(try ImageRequest("http://a.test/other"))
    try await bench.transfer(2).respond(with: SlotBench.red)
    _ = try await task.response

    try await bench.transfer(3).respond(with: SlotBench.red)
    try await until { !(view.image == nil) }
    #expect(bench.clock.now == 0)
  }

  @Test func returnOfTheNetworkTriggersTheRetry() async throws {
    let view = try await failedView()
    bench.downloader.networkReturned()
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { !(view.image == nil) }
    #expect(bench.clock.now == 0)
  }

  @Test func failureImageStaysDuringRetries() async throws {
    let placeholder = Image.solid(width: 1, height: 1)
    let view = try await failedView { $0.failureImage = placeholder }
    bench.run(until: 2)
    let shown = bench.images.map(\.image)

    bench.clock.advance(by: 2)
    let probe = try await bench.transfer(2)
    bench.run(until: 4)
    #expect(bench.images.map(\.image) == shown, "neither a spinner nor another image")
    probe.fail(Self.down)
    try await until { !(bench.clock.wakes.isEmpty) }
    bench.run(until: 6)
    #expect(bench.images.map(\.image) == shown)
    #expect(view.image === placeholder)
  }

  // MARK: Slots that leave the screen

  enum Leaving: CaseIterable { case hidden, transparent, scrolledAway, removed, parentHidden }

  @Test(arguments: Leaving.allCases)
  func invisibleSlotIsNotRetried(_ leaving: Leaving) async throws {
    let view = view()
    let group = View(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    bench.window.addSubview(group)
    group.addSubview(view)
    group.clipsToBounds = true
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).fail(Self.down)
    await recorder.wait()

    switch leaving {
    case .hidden: view.isHidden = true
    case .transparent: view.alpha = 0
    case .scrolledAway: group.boundsOrigin.y = 500
    case .removed: view.removeFromSuperview()
    case .parentHidden: group.isHidden = true
    }
    bench.clock.advance(by: 2)
    try await turn()
    #expect(bench.transport.transfers.count == 1)
    #expect(bench.clock.wakes.isEmpty, "slots off the screen have no timer")

    switch leaving {
    case .hidden: view.isHidden = false
    case .transparent: view.alpha = 1
    case .scrolledAway: group.boundsOrigin.y = 0
    case .removed: group.addSubview(view)
    case .parentHidden: group.isHidden = false
    }
    bench.draw()
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { !(view.image == nil) }
  }

  @Test func requestForAnotherImageStopsTheRetries() async throws {
    let view = try await failedView()
    view.setImage(from: "http://b.test/2", options: bench.options, completion: recorder.completion)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    bench.clock.advance(by: 1000)
    bench.downloader.networkReturned()
    try await turn()
    #expect(bench.transport.transfers.count == 2)
    #expect(bench.clock.wakes.isEmpty)
  }

  @Test func cancelStopsTheRetries() async throws {
    let view = try await failedView()
    bench.clock.advance(by: 2)
    let probe = try await bench.transfer(2)
    view.cancelImageLoad()
    try await until { !(!probe.isCancelled) }

    bench.downloader.networkReturned()
    bench.clock.advance(by: 1000)
    try await turn()
    #expect(bench.transport.transfers.count == 2)
  }

  @Test func releasedViewStopsTheRetries() async throws {
    var view: ImageView? = try await failedView()
    view?.removeFromSuperview()
    view = nil
    bench.clock.advance(by: 1000)
    bench.downloader.networkReturned()
    try await turn()
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func neverRecoveryPolicyDisablesRetries() async throws {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = bench.clock
    configuration.recovery = .never
    let downloader = ImageDownloader(
      configuration: configuration, transports: [bench.transport], decoder: bench.decoder)
    _ = try await failedView { $0.downloader = downloader }

    downloader.networkReturned()
    bench.clock.advance(by: 1000)
    try await turn()
    #expect(bench.transport.transfers.count == 1)
  }

  // MARK: Observers and completions

  private final class Watch: SlotObserver {
    var recovered: [ImageError?] = []
    var reasons: [(image: Image, error: ImageError)] = []

    func slotWillLoad() {}
    func slotDidSettle(_ result: Result<ImageResponse, ImageError>) {}
    func slotDidRecover(_ response: ImageResponse, from failure: ImageError?) { recovered.append(failure) }
    func slotDidFailToRefresh(_ image: Image, because error: ImageError) { reasons.append((image, error)) }
  }

  /// The observer receives events of the slots of all tests, so this load fails with an error that no other test uses.
  @Test func observerIsNotifiedOfTheRecoveryAndOfImagesThatStayStale() async throws {
    let error = ImageError.transport(.cannotConnect, message: "observed")
    let view = try await failedView(error)
    let watch = Watch()
    let before = View.slotObserver
    View.slotObserver = watch
    defer { View.slotObserver = before }

    bench.clock.advance(by: 2)
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
    #expect(watch.recovered.count { $0 == error } == 1)

    let world = SlotBench(disk: MemoryDataCache())
    let recorder = CompletionRecorder()
    let other = world.view()
    func show() {
      other.setImage(from: "http://a.test/1", options: world.options, completion: recorder.completion)
    }
    show()
    let first = try await world.transfer(1)
    first.respond(headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""])
    first.send(SlotBench.red)
    first.finish()
    await recorder.wait()
    #expect(await (try recorder.results[0].get()).isStored())
    world.downloader.removeAllCachedImages()
    other.imageURL = nil
    show()
    await recorder.wait(for: 2)
    let stale = try #require(other.image)
    try await world.transfer(2).fail(error)
    try await until { watch.reasons.contains { $0.image === stale } }
    #expect(watch.reasons.filter { $0.image === stale }.map(\.error) == [error])
  }
}
