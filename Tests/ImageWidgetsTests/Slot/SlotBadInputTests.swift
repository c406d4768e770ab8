import FoundationEssentials
import Glibc
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Invalid URLs, extreme sizes, and failing or slow code of the caller.
@Suite("Bad input to slots", .timeLimit(.minutes(5)))
struct SlotBadInputTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private let placeholder = Image.solid(width: 1, height: 1)

  // MARK: URLs

  @Test(arguments: [
    "", " ", "\n", "\u{0}", "cover.jpg", "/cover.jpg", "../cover.jpg", "//a.test/cover.jpg", "?a=b", "#a",
    "://", ":", "1http://a.test/", "ht tp://a.test/", "http//a.test", "[::1]/a",
  ])
  func invalidURLTextFailsOnceAndAsynchronously(text: String) async {
    let view = bench.view()
    view.setImage(from: "http://a.test/before", options: bench.options, completion: recorder.completion)

    view.setImage(
      from: text, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    #expect(view.image === placeholder)
    #expect(recorder.errors == [.cancelled], "the previous load is cancelled; the failure is reported later")
    await recorder.wait(for: 2)
    await drainMainQueue(rounds: 100)

    #expect(recorder.errors == [.cancelled, .invalidURL(text)])
    #expect(recorder.results.count == 2)
    #expect(view.imageURL == nil)
    #expect(!view.isLoadingImage)
    #expect(view.pendingSlots == 0)
    #expect(bench.transport.running.isEmpty)
  }

  @Test func relativeURLWithoutBaseFails() async throws {
    let base = try ImageRequest("http://a.test/covers/").url
    let view = bench.view()

    view.setImage(
      from: URL(string: "1.jpg"), placeholder: placeholder, options: bench.options,
      completion: recorder.completion
    )
    await recorder.wait()
    #expect(recorder.errors == [.invalidURL("1.jpg")])
    #expect(view.image === placeholder)

    view.setImage(
      from: URL(string: "1.jpg", relativeTo: base), options: bench.options, completion: recorder.completion)
    #expect(view.imageURL == "http://a.test/covers/1.jpg", "a relative URL with a base is valid")
  }

  @Test func longURLIsLoadedAndCached() async throws {
    let text = "http://a.test/" + String(repeating: "a", count: 100_000)
    let view = bench.view()

    view.setImage(from: text, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    view.imageURL = nil
    view.setImage(from: try ImageRequest(text).url, options: bench.options, completion: recorder.completion)

    #expect(recorder.images.count == 2)
    #expect(view.image === recorder.images.first)
    #expect(view.imageURL == text)
  }

  @Test(arguments: ["a", " ", "\u{0}", "ä", "%", "://"])
  func longInvalidURLTextFails(piece: String) async {
    let text = String(repeating: piece, count: 100_000)
    let view = bench.view()

    view.setImage(
      from: text, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    await recorder.wait()

    #expect(recorder.errors == [.invalidURL(text)])
    #expect(view.image === placeholder)
    #expect(recorder.errors.first.map { "\($0)".count < 200 } == true, "the message is short")
  }

  @Test(arguments: ["gopher://a.test/1", "javascript:alert(1)", "file+http://a.test/1", "A:b"])
  func unsupportedSchemeFailsOnce(text: String) async {
    let view = bench.view()

    view.setImage(
      from: text, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    await recorder.wait()

    #expect(recorder.results.count == 1)
    #expect(recorder.errors.first.map { if case .unsupportedScheme = $0 { true } else { false } } == true)
    #expect(view.image === placeholder)
    #expect(view.pendingSlots == 0)
  }

  // MARK: Sizes

  private nonisolated static let sizes = [
    Size(width: Double.nan, height: .nan), Size(width: .nan, height: 10), Size(width: 10, height: .nan),
    Size(width: -1, height: 10), Size(width: Double.infinity, height: 10), Size(width: 1e300, height: 1e300),
    Size(width: 100_000, height: 100_000), Size(width: 100_000, height: 1),
    Size(width: 1e-300, height: 1e-300),
    Size(width: 0, height: 0), Size(width: 0, height: 50),
  ]

  @Test(arguments: sizes) func extremeSizesLeaveNoPendingLoad(size: Size) async {
    let view = bench.view()
    let button = bench.button()
    for mode in [ContentMode.fill, .fit, .center, .stretch] {
      view.contentMode = mode
      view.frame.size = size
      button.frame.size = size
      button.imageSize = size
      view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
      view.setHighlightedImage(
        from: "http://a.test/1", options: bench.options, completion: recorder.completion)
      button.setImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
      button.setBackgroundImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
      view.imageURL = nil
      view.highlightedImageURL = nil
      button.setImage(from: nil, for: .normal, options: bench.options)
      button.setBackgroundImage(from: nil, for: .normal, options: bench.options)
    }
    await recorder.wait(for: 16)

    #expect(recorder.errors.count == 16)
    #expect(view.pendingSlots == 0)
    #expect(button.pendingSlots == 0)
  }

  @Test(arguments: sizes) func viewThatGetsAValidSizeLoadsItsImage(size: Size) async throws {
    let view = bench.view()
    view.frame.size = size

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    for _ in 0..<3 { for transfer in bench.transport.running { transfer.respond(with: SlotBench.red) } }
    view.frame.size = Size(width: 50, height: 50)
    try await until {
      for transfer in bench.transport.running { transfer.respond(with: SlotBench.red) }
      return !recorder.results.isEmpty && view.pendingSlots == 0
    }

    #expect(recorder.images.count == 1)
    #expect(view.image != nil)
  }

  // MARK: Code of the caller

  private struct Refusal: ImageTransform {
    let identifier = "refusal"
    func apply(to image: Image) throws(ImageError) -> Image {
      throw .transform(identifier: identifier, message: "no")
    }
  }

  @Test(
    arguments: [SlotOptions.PlaceholderPolicy.whileLoading, .onFailure, .never, .keepsPrevious],
    [true, false])
  func throwingTransformIsShownAsAFailure(
    policy: SlotOptions.PlaceholderPolicy, hasFailureImage: Bool
  ) async throws {
    let view = bench.view()
    let plain = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.transforms = [Refusal()]
    var options = bench.options
    options.placeholderPolicy = policy
    options.failureImage = hasFailureImage ? .solid(width: 2, height: 2) : nil

    view.setImage(from: request, placeholder: placeholder, options: options, completion: recorder.completion)
    let other = CompletionRecorder()
    plain.setImage(from: "http://a.test/1", options: bench.options, completion: other.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()
    await other.wait()
    await drainMainQueue(rounds: 100)

    #expect(recorder.errors == [.transform(identifier: "refusal", message: "no")])
    #expect(recorder.results.count == 1)
    #expect(view.image == options.failureImage ?? (policy == .never ? nil : placeholder))
    #expect(view.pendingSlots == 0)
    #expect(other.images == [plain.image], "the request without a transform succeeds")
    #expect(bench.transport.transfers.count == 1)
  }

  /// An indicator that takes longer to draw than three frames last.
  private final class Sluggish: IndicatorDrawing {
    private(set) var count = 0
    func size(in availableSize: Size, scale: Double) -> Size { Size(width: 10, height: 10) }
    func draw(_ moment: IndicatorMoment, in rect: Rect, into list: inout DrawList) {
      count += 1
      usleep(50_000)
      list.fill(rect, color: .white)
    }
    func nextChange(after moment: IndicatorMoment) -> Double? { moment.time }
  }

  @Test func slowIndicatorDoesNotPreventLoads() async throws {
    let slow = Sluggish()
    let view = bench.view()
    let other = bench.view()
    var options = bench.options
    options.indicator = .custom(slow)
    bench.window.update(at: 0)
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    other.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    bench.run(until: 0.2)
    _ = bench.images
    #expect(slow.count == 1)

    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait()
    #expect(other.image === recorder.images.first)
    bench.run(until: 0.6)
    _ = bench.images
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)
    bench.run(until: 2)
    let count = slow.count
    _ = bench.images

    #expect(view.image === recorder.images.last)
    #expect(slow.count == count, "the indicator is no longer drawn")
    _ = bench.window.takeDirtyRects()
    #expect(bench.window.isIdle)
  }

  /// A cache that stores nothing.
  private final class Closed: ImageRequestCache {
    func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? { nil }
    func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {}
    func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool { false }
    func removeAllImages() -> Bool { false }
    func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool {
      false
    }
  }

  @Test func cacheThatRefusesEveryImageCausesALoadEachTime() async throws {
    let downloader = ImageDownloader(transports: [bench.transport], decoder: bench.decoder, cache: Closed())
    let options = SlotOptions(transition: .none, downloader: downloader)
    let view = bench.view()
    weak var before: Image?

    for number in 1...100 {
      var received: Result<ImageResponse, ImageError>?
      view.setImage(from: "http://a.test/1", options: options) { received = $0 }
      #expect(view.image == nil)
      try await bench.transfer(number).respond(with: SlotBench.red)
      try await until { received != nil }
      // A worker may hold the previous image for a moment.
      try await until { before == nil }
      #expect(before == nil)
      before = view.image
      #expect(before != nil)
      #expect(throws: Never.self) { try received?.get() }
    }

    #expect(bench.transport.transfers.count == 100)
    #expect(view.pendingSlots == 0)
  }

  // MARK: Other threads

  /// The compiler refuses to set a slot from another thread. Code that wrongly assumes the main actor ends the program
  /// with a message.
  @Test func assumingTheMainActorOnAnotherThreadEndsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let view = await View()
      await Task.detached { pretendToBeTheMainActor { view.imageURL = "http://a.test/1" } }.value
    }
  }
}

nonisolated private func pretendToBeTheMainActor(_ body: @MainActor () -> Void) {
  MainActor.assumeIsolated(body)
}
