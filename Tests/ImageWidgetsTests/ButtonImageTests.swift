import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Images and background images that a button loads.
@Suite(.timeLimit(.minutes(5)))
struct ButtonImageTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test("AF-B1 a background image is set when its load completes")
  func backgroundImageIsSetWhenItsLoadCompletes() async throws {
    let button = bench.button()
    #expect(button.backgroundImage(for: .normal) == nil)

    button.setBackgroundImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(button.backgroundImage(for: .normal) === recorder.images.first)
    #expect(button.image(for: .normal) == nil)
  }

  @Test("AF-B2 an image load that was cancelled and requested again completes")
  func imageLoadsWhenRequestedAgainAfterCancel() async throws {
    let button = bench.button()

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    button.cancelImageLoad(for: .normal)
    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(button.image(for: .normal) === recorder.images.first)
  }

  @Test("AF-B3 a background load that was cancelled and requested again completes")
  func backgroundLoadsWhenRequestedAgainAfterCancel() async throws {
    let button = bench.button()

    for _ in 0..<2 {
      button.cancelBackgroundImageLoad(for: .normal)
      button.setBackgroundImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    }
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(button.backgroundImage(for: .normal) === recorder.images.first)
  }

  @Test("AF-B7 a new URL for the state cancels the previous load")
  func newURLCancelsThePreviousLoad() async throws {
    let button = bench.button()

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    let first = try await bench.transfer(1)
    button.setImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: recorder.completion)
    first.respond(with: SlotBench.large)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(first.isCancelled)
    #expect(recorder.errors == [.cancelled])
    #expect(button.image(for: .normal)?.sourceWidth == 100)
  }

  @Test("AF-B8 YY-B1 a cached image is set before the call returns; the placeholder is not set")
  func cachedImageIsSetSynchronously() async throws {
    let image = Image.solid(width: 50, height: 50)
    bench.cache.insert(image, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let button = bench.button()
    let placeholder = Image.solid(width: 1, height: 1)

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: placeholder, options: bench.options,
      completion: recorder.completion)
    button.setBackgroundImage(
      from: "http://a.test/1", for: .normal, placeholder: placeholder, options: bench.options,
      completion: recorder.completion)

    #expect(button.image(for: .normal) === image)
    #expect(button.backgroundImage(for: .normal) === image)
    #expect(recorder.images == [image, image], "both completions were called before the calls returned")

    var shown: [Image?] = []
    var options = bench.options
    options.showsImage = { _, image in shown.append(image) }
    button.setImage(from: "http://a.test/1", for: .selected, placeholder: placeholder, options: options)
    button.setBackgroundImage(
      from: "http://a.test/1", for: .selected, placeholder: placeholder, options: options)

    #expect(shown == [image, image], "the placeholder was not shown before the image")
    #expect(bench.transport.transfers.isEmpty)
  }

  @Test("AF-B14 a missing URL is reported as a failure")
  func missingURLIsReportedAsFailure() async {
    let button = bench.button()

    button.setImage(from: nil, for: .selected, options: bench.options, completion: recorder.completion)
    await recorder.wait()

    #expect(recorder.errors == [.invalidURL("")])
  }

  @Test("AF-B6 the same URL for a loading state starts no second load; every completion is called (deviates)")
  func sameURLForTheStateJoinsTheLoad() async throws {
    let button = bench.button()

    for _ in 0..<2 {
      button.setImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(bench.transport.transfers.count == 1)
    #expect(recorder.images.count == 2)
  }

  @Test("AF-B9 a load without a placeholder clears the state's image, unless the policy keeps it (deviates)")
  func missingPlaceholderClearsThePreviousImage() {
    let button = bench.button()
    let old = Image.solid(width: 3, height: 3)
    button.setImage(old, for: .selected)
    var keeping = bench.options
    keeping.placeholderPolicy = .keepsPrevious

    button.setImage(from: "http://a.test/1", for: .selected, options: keeping)
    #expect(button.image(for: .selected) === old)
    button.setImage(from: "http://a.test/2", for: .selected, options: bench.options)

    #expect(button.image(for: .selected) == nil)
  }

  @Test("AF-B10 the image is set even with a completion (deviates), unless the options say otherwise")
  func completionDoesNotPreventSettingTheImage() async throws {
    let button = bench.button()
    var options = bench.options
    options.setsImage = false

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    button.setImage(
      from: "http://a.test/2", for: .selected, options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(button.image(for: .normal) != nil)
    #expect(button.image(for: .selected) == nil)
  }

  @Test("AF-B11 YY-B11 a cancel is reported as .cancelled, once, later (deviates); the image does not change")
  func cancelledLoadCallsItsCompletionOnce() async {
    let button = bench.button()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: placeholder, options: options,
      completion: recorder.completion)
    button.cancelImageLoad(for: .normal)
    button.cancelImageLoad(for: .normal)
    #expect(recorder.results.isEmpty)
    await recorder.wait()

    #expect(recorder.errors == [.cancelled])
    #expect(button.image(for: .normal) === placeholder)
    #expect(button.pendingSlots == 0)
  }

  @Test func placeholderSizeDoesNotLimitTheDecodedSize() async throws {
    let button = bench.button()
    button.imageSize = nil
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: .solid(width: 1, height: 1), options: bench.options,
      completion: recorder.completion)
    try await bench.transfer(1).respond(with: FakeDecoder.encodedImage(width: 1000, height: 500))
    await recorder.wait()
    #expect(button.image(for: .normal)?.pixelWidth == 76)
    button.setImage(
      from: "http://a.test/2", for: .normal, options: options, completion: recorder.completion)
    try await bench.transfer(2).respond(with: FakeDecoder.encodedImage(width: 500, height: 1000))
    await recorder.wait(for: 2)

    #expect(button.image(for: .normal)?.pixelHeight == 84)
  }

  @Test func nonzeroImageSizeStartsTheLoad() {
    let button = bench.button()
    button.imageSize = .zero

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options)
    #expect(bench.transport.transfers.isEmpty)
    button.imageSize = Size(width: 20, height: 20)

    #expect(bench.transport.transfers.count == 1)
  }

  @Test func largerImageSizeRequestsTheImageAgain() async throws {
    let button = bench.button()
    button.imageSize = Size(width: 20, height: 20)
    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    button.imageSize = Size(width: 60, height: 60)

    #expect(bench.transport.transfers.count == 2)
  }

  @Test func smallButtonDecodesItsImageToTheAvailableSize() async throws {
    let button = bench.button()
    button.imageSize = nil
    button.frame.size = Size(width: 24, height: 24)

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(bench.decoder.calls.map(\.target) == [DecodeTarget(width: 12, height: 12, mode: .fit)])
  }
}
