import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// Slots that show a stale stored image at once, and what their server says later.
@Suite(.timeLimit(.minutes(5)))
struct SlotStaleAtOnceTests {
  private nonisolated static let stale: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": "\"1\""]
  private static let green = FakeDecoder.encodedImage(width: 100, height: 100, color: Color(hex: 0x00FF00))

  private let disk = MemoryDataCache()
  private let bench: SlotBench
  private let recorder = CompletionRecorder()

  init() { bench = SlotBench(disk: disk) }

  /// Stores a response of `http://a.test/1` on disk. The image is not in memory.
  private func store(_ headers: HTTPHeaders = stale) async throws {
    try await load(headers)
    bench.downloader.removeAllCachedImages()
  }

  /// Loads `http://a.test/1` into memory and stores its response on disk.
  private func load(_ headers: HTTPHeaders = stale, target: DecodeTarget? = nil) async throws {
    var request = try ImageRequest("http://a.test/1")
    request.targetSize = target
    _ = bench.downloader.load(request) { self.recorder.completion($0) }
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: headers)
    transfer.send(SlotBench.red)
    transfer.finish()
    await recorder.wait()
    #expect(await (try recorder.results[0].get()).isStored())
  }

  /// Shows `http://a.test/1`, whose server must be asked each time, in a view. Returns the image a minute later, when it
  /// no longer serves loads from memory.
  private func showStrictImage(in view: ImageView) async throws -> Image {
    try show(in: view)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: ["Cache-Control": "no-cache", "ETag": "\"1\""])
    transfer.send(SlotBench.red)
    transfer.finish()
    await recorder.wait()
    await bench.downloader.drain()
    bench.clock.advance(by: 61)
    return try #require(view.image)
  }

  private func show(
    in view: ImageView, policy: ImageRequest.CachePolicy = .useCache, _ options: SlotOptions? = nil
  ) throws {
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = policy
    view.setImage(from: request, options: options ?? bench.options, completion: recorder.completion)
  }

  /// Returns when the slot's request has joined the request to the server, whose transfer is returned.
  private func revalidation() async throws -> FakeTransfer {
    let transfer = try await bench.transfer(2)
    try await turn()
    return transfer
  }

  /// Returns when the work posted to the main actor before this call is done.
  private func turn() async throws {
    let request = try ImageRequest("nothing://a.test/")
    for _ in 0..<3 {
      var isDone = false
      _ = bench.downloader.load(request) { _ in isDone = true }
      try await until { isDone }
    }
  }

  @Test func changedImageDissolves() async throws {
    try await store()
    let view = bench.view()
    bench.run(until: 0.1)
    try show(in: view)
    await recorder.wait(for: 2)
    let shown = view.image
    #expect(shown != nil)
    #expect(try recorder.results[1].get().freshness.age != nil)
    bench.run(until: 1)
    #expect(!view.isInTransition)

    let transfer = try await revalidation()
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    transfer.respond(with: Self.green)
    try await until { !(view.image === shown) }
    #expect(view.isInTransition)
    #expect(recorder.results.count == 2, "the completion was called for the stale image")
    #expect(bench.transport.transfers.count == 2)
  }

  @Test func changedImageWithoutATransitionAppearsAtOnce() async throws {
    try await store()
    let view = bench.view()
    try show(in: view, SlotOptions(transition: .none, downloader: bench.downloader))
    await recorder.wait(for: 2)
    let shown = view.image
    try await revalidation().respond(with: Self.green)
    try await until { !(view.image === shown) }
    #expect(!view.isInTransition)
  }

  @Test func confirmedImageDoesNotMove() async throws {
    try await store()
    let view = bench.view()
    bench.run(until: 0.1)
    try show(in: view)
    await recorder.wait(for: 2)
    let shown = view.image
    bench.run(until: 1)

    let transfer = try await revalidation()
    transfer.respond(status: 304, headers: ["Cache-Control": "max-age=60"])
    transfer.finish()
    try await until { bench.downloader.staleness(of: view.image ?? .solid(width: 1, height: 1)) == nil }
    await bench.downloader.drain()
    try await turn()

    #expect(view.image === shown)
    #expect(!view.isInTransition)
    #expect(bench.decoder.calls.count == 2, "one for each showing")
    #expect(bench.transport.transfers.count == 2)
    let report = view.slots.slot(forKey: .contents)?.state.report
    #expect(report?.lines().contains { $0.long == "revalidated" } == true)
  }

  @Test func manySlotsOfOneURLCauseOneRequest() async throws {
    try await store()
    let views = (0..<10).map { _ in bench.view() }
    for view in views { try show(in: view) }
    await recorder.wait(for: 11)
    let transfer = try await revalidation()
    let shown = views.map(\.image)
    #expect(Set(shown.compactMap { $0 }).count == 1)

    transfer.respond(with: Self.green)
    try await until { views.allSatisfy { $0.image != shown[0] } }
    #expect(Set(views.compactMap(\.image)).count == 1)
    #expect(bench.transport.transfers.count == 2)
  }

  @Test(arguments: ["max-age=0, must-revalidate", "no-cache"])
  func revalidationIsObeyed(control: String) async throws {
    try await store(["Cache-Control": control, "ETag": "\"1\""])
    let view = bench.view()
    try show(in: view)
    let transfer = try await revalidation()
    #expect(view.image == nil)
    transfer.respond(status: 304)
    transfer.finish()
    await recorder.wait(for: 2)
    #expect(view.image != nil)
  }

  @Test func staleWhileRevalidateRepaintsTheSlot() async throws {
    try await store(["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"1\""])
    let view = bench.view()
    try show(in: view)
    await recorder.wait(for: 2)
    let shown = view.image
    try await revalidation().respond(with: Self.green)
    try await until { !(view.image === shown) }
    #expect(bench.transport.transfers.count == 2)
  }

  @Test(
    "an image in memory whose lifetime has ended is shown at once, and replaced by the image of its server",
    arguments: [ContentMode.fit, .center])
  func imageInMemoryIsShownWhileItsServerIsAsked(mode: ContentMode) async throws {
    try await load()
    bench.clock.advance(by: 61)
    let view = bench.view()
    view.contentMode = mode

    try show(in: view)

    let shown = try #require(view.image)
    #expect(!view.isInTransition)
    await recorder.wait(for: 2)
    #expect(try recorder.results[1].get().freshness.age != nil)
    #expect(view.image === shown)
    bench.run(until: 1)
    try await revalidation().respond(with: Self.green)
    try await until { view.image !== shown }
    #expect(view.isInTransition && bench.transport.transfers.count == 2)
  }

  @Test(
    "an image in memory with must-revalidate or no-cache waits for its server after its lifetime",
    arguments: ["max-age=0, must-revalidate", "no-cache"], [true, false])
  func strictImageInMemoryWaitsForItsServer(control: String, isSmaller: Bool) async throws {
    try await load(
      ["Cache-Control": control, "ETag": "\"1\""],
      target: isSmaller ? DecodeTarget(width: 50, height: 50) : nil)
    bench.clock.advance(by: 61)
    let view = bench.view()

    try show(in: view)

    let confirmation = try await revalidation()
    #expect(view.image == nil && view.isLoadingImage)
    #expect(confirmation.request.headers["If-None-Match"] == "\"1\"")
    confirmation.respond(status: 304)
    confirmation.finish()
    await recorder.wait(for: 2)
    #expect(view.image?.pixelWidth == 100)
  }

  @Test func strictImageThatTheViewShowsStaysWhileItsServerIsAsked() async throws {
    let view = bench.view()
    let shown = try await showStrictImage(in: view)

    try show(in: view)

    let confirmation = try await revalidation()
    #expect(view.image === shown)
    confirmation.respond(status: 304)
    confirmation.finish()
    await recorder.wait(for: 2)
    #expect(view.image?.pixelWidth == 100)
  }

  @Test func strictImageThatTheViewShowsStaysWhileALargerOneIsLoaded() async throws {
    let view = bench.view()
    view.frame = Rect(x: 0, y: 0, width: 40, height: 40)
    let shown = try await showStrictImage(in: view)
    #expect(shown.pixelWidth < 100)
    bench.downloader.isOffline = true
    view.frame = Rect(x: 0, y: 0, width: 100, height: 100)

    try show(in: view)

    await recorder.wait(for: 2)
    #expect(recorder.errors == [.offline] && view.image === shown)
  }

  @Test func imagePastItsLifetimeIsReportedAsStaleIfOnlyCachesAreUsed() async throws {
    try await load()
    bench.clock.advance(by: 61)
    let view = bench.view()

    try show(in: view, policy: .cacheOnly)

    await recorder.wait(for: 2)
    #expect(try recorder.results[1].get().freshness == .stale(age: 61, reason: nil))
    #expect(view.image != nil && !view.isLoadingImage && bench.transport.transfers.count == 1)
  }

  @Test func strictImageIsShownToRequestsThatUseNoDisk() async throws {
    try await load(["Cache-Control": "no-cache", "ETag": "\"1\""])
    bench.clock.advance(by: 61)
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.cache = .memoryOnly

    view.setImage(from: request, options: bench.options)

    #expect(view.image != nil && !view.isLoadingImage)
  }

  // MARK: Without a recovery

  /// Shows the stale image in a view whose downloader does not send failed requests again.
  private func withoutRecovery() async throws -> (bench: SlotBench, view: ImageView) {
    try await store()
    let bench = SlotBench(disk: disk) { $0.recovery = .never }
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    await recorder.wait(for: 2)
    return (bench, view)
  }

  @Test func changedImageIsShownWithoutARecovery() async throws {
    let (bench, view) = try await withoutRecovery()
    let shown = view.image

    try await bench.transfer(1).respond(with: Self.green)

    try await until { view.image !== shown }
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func failedRevalidationIsFinalWithoutARecovery() async throws {
    let (bench, view) = try await withoutRecovery()
    let shown = view.image
    try await turn()
    try await bench.transfer(1).fail(.status(503))
    await bench.downloader.drain()

    for _ in 0..<3 {
      try await turn()
      bench.downloader.networkReturned()
      bench.clock.advance(by: 1000)
    }
    #expect(bench.transport.transfers.count == 1 && view.image === shown)
  }

  // MARK: Refresh

  @Test func refreshShowsTheStoredImageFirst() async throws {
    try await store(["Cache-Control": "max-age=60", "ETag": "\"1\""])
    let view = bench.view()
    try show(in: view, policy: .refresh)
    try await until { view.image != nil }
    let stored = view.image
    #expect(view.isLoadingImage)
    #expect(recorder.results.count == 1, "the completion waits for the server")
    bench.run(until: 2)
    #expect(bench.images.count == 1, "no spinner over a shown image")

    let transfer = try await revalidation()
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    transfer.respond(with: Self.green)
    await recorder.wait(for: 2)
    #expect(view.image !== stored)
    #expect(try recorder.results[1].get().image === view.image)
    #expect(view.isInTransition)
    #expect(!view.isLoadingImage)
  }

  @Test("a stored image that arrives before its slot was drawn does not fade in")
  func refreshShowsTheStoredImageOfAnUndrawnSlotAtOnce() async throws {
    try await store(["Cache-Control": "max-age=60", "ETag": "\"1\""])
    bench.window.isInRealTime = true
    let view = bench.view()
    try show(in: view, policy: .refresh)
    try await until { view.image != nil }
    #expect(view.isLoadingImage)
    #expect(!view.isInTransition)

    #expect(bench.images.map(\.image) == [view.image], "drawn without a spinner")
    try await revalidation().respond(with: Self.green)
    await recorder.wait(for: 2)
    #expect(view.isInTransition)
  }

  @Test func refreshWithAFailingServerKeepsTheStoredImage() async throws {
    try await store()
    let view = bench.view()
    try show(in: view, policy: .refresh)
    try await until { view.image != nil }
    let stored = view.image
    try await revalidation().fail(.status(503))
    await recorder.wait(for: 2)

    guard case .stale(_, .status(503)) = try recorder.results[1].get().freshness else {
      Issue.record("not stale")
      return
    }
    #expect(view.image === stored)
  }

  /// Refreshes an image in a view that shows a smaller variant while the stored image is being decoded, and fails.
  private func failedRefresh(_ gate: Gate) async throws -> (bench: SlotBench, view: ImageView) {
    try await store()
    let bench = SlotBench(disk: disk, decoder: FakeDecoder(gate: gate))
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    await gate.waitUntilHeld(1)
    let slot = try #require(view.slots.slot(forKey: .contents))
    let load = try #require(view.slots.slot(forKey: .contents).flatMap { $0.state.load })
    slot.state.received(provisional: .solid(width: 10, height: 10), of: load, in: slot.scene)
    slot.performEffects()
    try await bench.transfer(1).fail(.status(404))
    await drainMainQueue(rounds: 6)
    #expect(view.image?.pixelWidth == 10 && view.isLoadingImage && recorder.results.count == 1)
    return (bench, view)
  }

  @Test("a refresh that fails shows the stored image of which its slot shows a smaller variant")
  func failedRefreshWaitsForTheStoredImage() async throws {
    let gate = Gate()
    let view = try await failedRefresh(gate).view

    gate.open()

    await recorder.wait(for: 2)
    #expect(recorder.errors == [.status(404)])
    #expect(view.image?.pixelWidth == 100 && !view.isLoadingImage)
  }

  @Test(
    "a refresh that has failed and waits for the stored image ends with a cancel, and with the view",
    arguments: [true, false])
  func failedRefreshEnds(isReleased: Bool) async throws {
    let gate = Gate()
    let bench: SlotBench
    do {
      let failed = try await failedRefresh(gate)
      bench = failed.bench
      if isReleased { failed.view.removeFromSuperview() } else { failed.view.cancelImageLoad() }
    }

    await recorder.wait(for: 2)
    #expect(recorder.errors == [.status(404)])
    gate.open()
    await bench.downloader.drain()
    await drainMainQueue(rounds: 3)
    #expect(recorder.results.count == 2)
  }

  @Test func cancelledTaskOfARefreshEndsAtOnce() async throws {
    try await store()
    let gate = Gate()
    let bench = SlotBench(disk: disk, decoder: FakeDecoder(gate: gate))
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    await gate.waitUntilHeld(1)
    view.slots.slot(forKey: .contents)?.state.load?.task?.cancel()

    await recorder.wait(for: 2)
    #expect(recorder.errors == [.cancelled] && !view.isLoadingImage)
    gate.open()
    await bench.downloader.drain()
  }

  @Test(arguments: ["max-age=0, must-revalidate", "no-cache"])
  func refreshObeysRevalidation(control: String) async throws {
    try await store(["Cache-Control": control, "ETag": "\"1\""])
    let view = bench.view()
    try show(in: view, policy: .refresh)
    let transfer = try await revalidation()
    await disk.waitUntilLookedUp(3)
    try await turn()
    #expect(view.image == nil)
    transfer.respond(with: Self.green)
    await recorder.wait(for: 2)
    #expect(view.image != nil)
  }

  @Test func cancelledRefreshKeepsTheStoredImage() async throws {
    try await store()
    let view = bench.view()
    try show(in: view, policy: .refresh)
    try await until { view.image != nil }
    let stored = view.image
    view.cancelImageLoad()
    await recorder.wait(for: 2)
    #expect(recorder.errors == [.cancelled])
    #expect(view.image === stored)
  }
}
