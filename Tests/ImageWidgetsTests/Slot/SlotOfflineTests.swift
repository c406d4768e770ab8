import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// Slots whose downloader is offline: they wait for the switch, and load when it is turned.
@Suite(.timeLimit(.minutes(5)))
struct SlotOfflineTests {
  private let disk = MemoryDataCache()
  private let bench: SlotBench
  private let recorder = CompletionRecorder()

  init() { bench = SlotBench(disk: disk) }

  /// Stores a stale response of `http://a.test/1` on disk. The image is removed from memory unless `inMemory` is true.
  private func store(_ control: String = "max-age=0", inMemory: Bool = false) async throws {
    _ = bench.downloader.load(try ImageRequest("http://a.test/1")) { self.recorder.completion($0) }
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: ["Cache-Control": control, "ETag": "\"1\""])
    transfer.send(SlotBench.red)
    transfer.finish()
    await recorder.wait()
    #expect(await (try recorder.results[0].get()).isStored())
    if !inMemory { bench.downloader.removeAllCachedImages() }
  }

  private func view(_ address: String = "http://a.test/1") -> ImageView {
    let view = bench.view()
    view.setImage(from: address, options: bench.options, completion: recorder.completion)
    return view
  }

  /// Returns a view that was set offline, with an image in memory that is past its lifetime, once the load has ended.
  ///
  /// - Parameter prepare: Called when the image is in memory and on disk, before the switch is turned.
  private func viewOfAnExpiredImageOffline(
    _ control: String = "max-age=0", after prepare: () -> Void = {}
  ) async throws -> ImageView {
    try await store(control, inMemory: true)
    prepare()
    bench.clock.advance(by: 61)
    bench.downloader.isOffline = true
    let view = view()
    await recorder.wait(for: 2)
    return view
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

  @Test func missingImageIsLoadedWhenTheSwitchIsTurned() async throws {
    bench.downloader.isOffline = true
    let view = view()
    await recorder.wait()
    #expect(recorder.errors == [.offline])

    bench.clock.advance(by: 1000)
    bench.downloader.networkReturned()
    try await turn()
    #expect(bench.transport.transfers.isEmpty, "no polling")

    bench.downloader.isOffline = false
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await until { view.image != nil }
    #expect(view.imageActivity.activity == .ended(success: true))
    #expect(recorder.results.count == 1, "the completion was called for the failure")
  }

  @Test func allSlotsLoadAtOnceWhenTheSwitchIsTurned() async throws {
    bench.downloader.isOffline = true
    let views = (1...4).map { view("http://a.test/\($0)") }
    await recorder.wait(for: 4)

    bench.downloader.isOffline = false
    for number in 1...4 { try await bench.transfer(number).respond(with: SlotBench.red) }
    try await until { views.allSatisfy { $0.image != nil } }
  }

  @Test func staleImageIsShownAndRefreshedWhenTheSwitchIsTurned() async throws {
    try await store()
    bench.downloader.isOffline = true
    let view = view()
    await recorder.wait(for: 2)
    guard case .stale(_, .offline) = try recorder.results[1].get().freshness else {
      Issue.record("not stale")
      return
    }
    let shown = view.image
    bench.clock.advance(by: 30)
    try await turn()
    #expect(bench.transport.transfers.count == 1)

    bench.downloader.isOffline = false
    let transfer = try await bench.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    transfer.respond(status: 304, headers: ["Cache-Control": "max-age=60"])
    transfer.finish()
    try await until { bench.downloader.staleness(of: shown ?? .solid(width: 1, height: 1)) == nil }
    #expect(view.image === shown)
    #expect(bench.decoder.calls.count == 2, "one for each showing")
  }

  @Test func expiredImageInMemoryIsStaleAndRefreshedWhenTheSwitchIsTurned() async throws {
    let view = try await viewOfAnExpiredImageOffline()
    let shown = try #require(view.image)
    #expect(try recorder.results[1].get().freshness == .stale(age: 61, reason: .offline))
    try await turn()
    #expect(bench.transport.transfers.count == 1)

    bench.downloader.isOffline = false
    let transfer = try await bench.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    transfer.respond(status: 304, headers: ["Cache-Control": "max-age=300"])
    transfer.finish()
    await bench.downloader.drain()
    try await turn()
    #expect(view.image === shown)
    #expect(view.image.map { bench.downloader.staleness(of: $0) == nil } == true)

    bench.downloader.isOffline = true
    bench.downloader.isOffline = false
    try await turn()
    #expect(bench.transport.transfers.count == 2, "the server has confirmed the image")
  }

  @Test(
    "a slot with an expired image in memory still asks its server if the switch was turned for a moment only")
  func slotAsksAfterAMomentOnline() async throws {
    let view = try await viewOfAnExpiredImageOffline()

    bench.downloader.isOffline = false
    bench.downloader.isOffline = true
    try await turn()
    let count = bench.transport.transfers.count
    #expect(view.image != nil)

    bench.downloader.isOffline = false
    let transfer = try await bench.transfer(count + 1)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
  }

  @Test("an expired image in memory is shown offline, although it is no longer on disk")
  func expiredImageThatIsNotOnDiskIsShownOffline() async throws {
    let view = try await viewOfAnExpiredImageOffline { _ = disk.removeAllResponses() }
    let old = view.image
    #expect(old != nil)
    #expect(try recorder.results[1].get().source == .memory)

    bench.downloader.isOffline = false
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { view.image !== old }
    #expect(view.image != nil)
  }

  @Test func imageInMemoryThatNeedsItsServerWaitsForTheSwitch() async throws {
    let view = try await viewOfAnExpiredImageOffline("no-cache")
    #expect(recorder.errors == [.offline])
    #expect(view.image == nil)

    bench.downloader.isOffline = false
    let transfer = try await bench.transfer(2)
    #expect(transfer.request.headers["If-None-Match"] == "\"1\"")
    transfer.respond(status: 304, headers: ["Cache-Control": "max-age=300"])
    transfer.finish()
    try await until { view.image != nil }
  }

  @Test func shownImageThatNeedsItsServerStaysOfflineIfItWasDecodedAgain() async throws {
    try await store("no-cache", inMemory: true)
    let view = view()
    await recorder.wait(for: 2)
    let shown = try #require(view.image)
    // Another slot loads the image again, from the disk.
    bench.downloader.removeAllCachedImages()
    let other = self.view()
    let transfer = try await bench.transfer(2)
    transfer.respond(status: 304, headers: ["Cache-Control": "no-cache"])
    transfer.finish()
    try await until { other.image != nil }
    #expect(other.image !== shown)
    bench.clock.advance(by: 61)

    bench.downloader.isOffline = true
    view.setImage(from: "http://a.test/1", options: bench.options)
    #expect(view.image != nil)
    try await turn()
    #expect(view.image != nil)
  }

  @Test func runningLoadOfASlotEndsOfflineAndContinuesLater() async throws {
    let view = view()
    let first = try await bench.transfer(1)
    bench.downloader.isOffline = true
    await recorder.wait()
    #expect(recorder.errors == [.offline])
    #expect(first.isCancelled)

    bench.downloader.isOffline = false
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await until { view.image != nil }
  }

  @Test func revalidationBehindAShownImageIsStoppedSilently() async throws {
    try await store()
    let view = view()
    await recorder.wait(for: 2)
    let shown = view.image
    let transfer = try await bench.transfer(2)
    bench.downloader.isOffline = true
    try await turn()
    #expect(transfer.isCancelled)
    #expect(view.image === shown && shown != nil)
    #expect(recorder.results.count == 2)

    bench.downloader.isOffline = false
    try await bench.transfer(3).respond(with: SlotBench.large)
    try await until { !(view.image === shown) }
  }

  @Test func overlayShowsThatTheSlotWaits() async throws {
    bench.downloader.isOffline = true
    let view = view()
    await recorder.wait()
    let report = view.slots.slot(forKey: .contents)?.state.report
    #expect(report?.lines().map(\.long) == ["offline"])
    #expect(report?.lines().map(\.short) == ["offline"])
  }
}
