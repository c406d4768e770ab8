import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Slots that show a stale image because their server failed.
@Suite("Slots with a stale image", .timeLimit(.minutes(5)))
struct SlotStaleImageTests {
  private nonisolated static let down = ImageError.transport(.cannotConnect, message: "refused")

  private struct StaleWorld {
    let bench = SlotBench(disk: MemoryDataCache())
    let recorder = CompletionRecorder()

    /// Returns a view that shows a stale image.
    @MainActor func view(_ headers: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": "\"1\""])
      async throws
      -> ImageView
    {
      let view = bench.view()
      view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
      let first = try await bench.transfer(1)
      first.respond(headers: headers)
      first.send(SlotBench.red)
      first.finish()
      await recorder.wait()
      _ = await (try recorder.results[0].get()).isStored()
      bench.downloader.removeAllCachedImages()
      view.imageURL = nil
      view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
      return view
    }
  }

  /// Returns the stale image that a view shows.
  private func staleImage(of view: ImageView, in world: StaleWorld) async throws -> Image? {
    await world.recorder.wait(for: 2)
    guard case .stale(_, nil) = try world.recorder.results[1].get().freshness else {
      Issue.record("not stale")
      return nil
    }
    return view.image
  }

  /// Advances the time until a transfer starts. The next probe is due within two minutes of the previous failure. The
  /// time stands still during a disk lookup, so that no lookup is late.
  private func probe(_ number: Int, in world: StaleWorld) async throws -> FakeTransfer {
    try await until {
      world.bench.downloader.waitForStoredImages(upTo: 60)
      world.bench.clock.advance(by: 1)
      return world.bench.transport.transfers.count >= number
    }
    return try await world.bench.transfer(number)
  }

  @Test func staleImageIsReplacedWhenTheServerRecovers() async throws {
    let world = StaleWorld()
    let view = try await world.view()
    let stale = try await staleImage(of: view, in: world)
    try await world.bench.transfer(2).fail(Self.down)

    let probe = try await probe(3, in: world)
    #expect(probe.request.headers["If-None-Match"] == "\"1\"")
    #expect(view.image === stale)
    probe.respond(with: SlotBench.large)
    try await until { !(view.image === stale) }

    #expect(view.image?.sourceWidth == 1000)
    #expect(world.recorder.results.count == 2)
  }

  @Test func staleImageStaysWhileItsServerIsDown() async throws {
    let world = StaleWorld()
    let view = try await world.view()
    let stale = try await staleImage(of: view, in: world)
    try await world.bench.transfer(2).fail(Self.down)

    for number in 3...5 {
      try await probe(number, in: world).fail(.status(503))
      #expect(view.image === stale)
    }
  }

  @Test func staleImageFromMemoryIsRefreshed() async throws {
    let world = StaleWorld()
    let first = try await world.view()
    _ = try await staleImage(of: first, in: world)
    try await world.bench.transfer(2).fail(Self.down)
    first.removeFromSuperview()
    let second = world.bench.view()
    second.setImage(
      from: "http://a.test/1", options: world.bench.options, completion: world.recorder.completion)
    #expect(world.recorder.results.count == 3, "from memory")
    #expect(try world.recorder.results[2].get().freshness.age != nil)

    try await probe(3, in: world).respond(with: SlotBench.large)
    try await until { !(second.image?.sourceWidth != 1000) }
  }
}
