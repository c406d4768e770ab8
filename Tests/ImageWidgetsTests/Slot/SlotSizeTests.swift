import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@Suite(.timeLimit(.minutes(5)))
struct SlotSizeTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test func imageIsDecodedToTheSizeOfTheView() async throws {
    let view = bench.view()
    bench.window.scale = 2

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(bench.decoder.calls.map(\.target) == [DecodeTarget(width: 200, height: 200, mode: .fill)])
    #expect(view.image?.pixelWidth == 200)
  }

  @Test func decodeTargetOfAViewFollowsBoundsScaleAndContentMode() {
    let view = bench.view()
    #expect(view.decodeTarget() == DecodeTarget(width: 100, height: 100, mode: .fill))
    bench.window.scale = 1.5
    view.contentMode = .fit

    #expect(view.decodeTarget() == DecodeTarget(width: 150, height: 150, mode: .fit))
    #expect(
      view.decodeTarget(for: Size(width: 33, height: 10), contentMode: .stretch)
        == DecodeTarget(width: 50, height: 15, mode: .fill))
    #expect(view.decodeTarget(contentMode: .center) == nil)
    #expect(view.decodeTarget(for: .zero) == nil)
    #expect(ImageView().decodeTarget(for: Size(width: 8, height: 8)) == DecodeTarget(width: 8, height: 8))
  }

  @Test func imagePrefetchedAtTheDecodeTargetIsShownAtOnce() async throws {
    let view = bench.view()
    let prefetcher = ImagePrefetcher(downloader: bench.downloader)
    var isPrefetched = false
    prefetcher.prefetch(
      ["http://a.test/1"], targetSize: view.decodeTarget(), completion: { _ in isPrefetched = true })
    bench.transport.transfers[0].respond(with: SlotBench.large)
    try await until { isPrefetched }

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(view.image?.pixelWidth == 100)
    #expect(bench.decoder.calls.count == 1)
  }

  @Test func fitContentModeDecodesToFit() async throws {
    let view = bench.view()
    view.contentMode = .fit

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(bench.decoder.calls.map(\.target) == [DecodeTarget(width: 100, height: 100, mode: .fit)])
  }

  @Test func viewWithoutASizeLoadsOnceItHasOne() async throws {
    let view = ImageView()
    bench.window.addSubview(view)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(bench.transport.transfers.isEmpty)
    #expect(bench.window.isLoaded)
    view.frame = Rect(x: 0, y: 0, width: 40, height: 30)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(bench.decoder.calls.map(\.target) == [DecodeTarget(width: 40, height: 30, mode: .fill)])
  }

  @Test("YY-B12 a load that never started is cancelled like any other load")
  func loadWithoutASizeCanBeCancelled() async {
    let view = ImageView()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.cancelImageLoad()
    await recorder.wait()
    view.cancelImageLoad()

    #expect(recorder.errors == [.cancelled])
    #expect(bench.transport.transfers.isEmpty)
  }

  @Test func targetSizeOfTheRequestOverridesTheViewSize() async throws {
    let view = ImageView()
    var request = try ImageRequest("http://a.test/1")
    request.targetSize = DecodeTarget(width: 7, height: 7)

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(bench.decoder.calls.map(\.target) == [request.targetSize])
  }

  @Test func viewThatGrowsMuchKeepsItsImageUntilTheLargerImageLoads() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()
    let small = view.image

    view.frame.size = Size(width: 140, height: 140)
    #expect(bench.transport.transfers.count == 1)
    view.frame.size = Size(width: 160, height: 160)
    #expect(view.image === small)
    let again = try await bench.transfer(2)
    #expect(view.image === small)
    again.respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelWidth == 160)
  }

  @Test func imageOfFullSizeIsNotRequestedAgain() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    view.frame.size = Size(width: 400, height: 300)

    #expect(!view.isLoadingImage)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func failedImageIsNotRequestedAgainWhenTheViewGrows() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).fail(.status(404))
    await recorder.wait()

    view.frame.size = Size(width: 400, height: 300)

    #expect(bench.transport.transfers.count == 1)
  }
}
