import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// `cachePolicy = .refresh`: the image from memory is shown, and then replaced by the image from the server.
@Suite(.timeLimit(.minutes(5)))
struct SlotRefreshTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private static let green = FakeDecoder.encodedImage(width: 100, height: 100, color: Color(hex: 0x00FF00))

  /// A view that refreshes an image that is in memory.
  private func refreshingView(_ options: SlotOptions? = nil) async throws -> ImageView {
    _ = bench.downloader.load(
      sized(try ImageRequest("http://a.test/1")), completion: { self.recorder.completion($0) })
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(
      from: request, placeholder: .solid(width: 1, height: 1), options: options ?? bench.options,
      completion: recorder.completion)
    return view
  }

  private func sized(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.targetSize = DecodeTarget(width: 100, height: 100)
    return request
  }

  @Test func imageFromMemoryIsShownDuringTheRefresh() async throws {
    let view = try await refreshingView()
    #expect(view.image === recorder.images[0], "at once")
    #expect(view.isLoadingImage)
    bench.run(until: 2)
    #expect(bench.images.count == 1, "no spinner over a shown image")

    try await bench.transfer(2).respond(with: Self.green)
    await recorder.wait(for: 2)
    #expect(view.image === recorder.images[1])
    #expect(view.image !== recorder.images[0])
    #expect(!view.isLoadingImage)
    #expect(
      bench.cache.image(for: sized(try ImageRequest("http://a.test/1")), additionalIdentifier: nil)
        === view.image)
  }

  @Test func imageStaysWhenTheRefreshFails() async throws {
    let view = try await refreshingView(
      SlotOptions(failureImage: .solid(width: 3, height: 3), downloader: bench.downloader))
    let shown = view.image
    try await bench.transfer(2).fail(.status(500))
    await recorder.wait(for: 2)
    #expect(recorder.errors == [.status(500)])
    #expect(view.image === shown)
    #expect(view.imageURL != nil)
  }

  @Test func cancelledRefreshKeepsTheImage() async throws {
    let view = try await refreshingView()
    let shown = view.image
    _ = try await bench.transfer(2)
    view.cancelImageLoad()
    await recorder.wait(for: 2)
    #expect(recorder.errors == [.cancelled])
    #expect(view.image === shown)
    #expect(!view.isLoadingImage)
  }

  @Test func refreshWithoutAnImageInMemoryLoadsAsUsual() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(
      from: request, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    #expect(view.image === placeholder)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    #expect(view.image === recorder.images[0])
  }

  @Test func slotThatWaitsForASizeRefreshesOnceItHasOne() async throws {
    _ = try await refreshingView()
    bench.transport.transfers[1].fail(.status(500))
    await recorder.wait(for: 2)
    let view = ImageView()
    bench.window.addSubview(view)
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    view.frame.size = Size(width: 100, height: 100)
    #expect(view.image === recorder.images[0])
    try await bench.transfer(3).respond(with: Self.green)
    await recorder.wait(for: 3)
    #expect(view.image === recorder.images[1])
  }

  @Test("SD-M28 an unchanged image stays, and the completion is called once")
  func unchangedImageStaysAfterRevalidation() async throws {
    let bench = SlotBench(disk: MemoryDataCache())
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let first = try await bench.transfer(1)
    first.respond(headers: ["ETag": "\"1\""])
    first.send(SlotBench.red)
    first.finish()
    await recorder.wait()
    let shown = view.image
    #expect(await (try recorder.results[0].get()).isStored())

    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .refresh
    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    let second = try await bench.transfer(2)
    #expect(second.request.headers["If-None-Match"] == "\"1\"")
    second.respond(status: 304)
    second.finish()
    await recorder.wait(for: 2)

    #expect(view.image === shown)
    #expect(try recorder.results[1].get().freshness == .revalidated)
    await bench.downloader.drain()
    #expect(recorder.results.count == 2)
  }
}
