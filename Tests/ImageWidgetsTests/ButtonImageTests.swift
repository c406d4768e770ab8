import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@Suite(.timeLimit(.minutes(1)))
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

  @Test("AF-B4 the image and the background of a state load independently")
  func imageAndBackgroundLoadIndependently() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options)
    button.setBackgroundImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: recorder.completion)
    button.cancelImageLoad(for: .normal)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(bench.transport.transfers[0].isCancelled)
    #expect(button.backgroundImage(for: .normal) != nil)
  }

  @Test("AF-B5 each state has its own slot")
  func eachStateHasItsOwnSlot() async throws {
    let button = bench.button()
    let states: [ControlState] = [.normal, .highlighted, .selected, .disabled, [.selected, .highlighted]]

    for (index, state) in states.enumerated() {
      button.setImage(
        from: "http://a.test/\(index)", for: state, options: bench.options, completion: recorder.completion)
    }
    for index in states.indices { try await bench.transfer(index + 1).respond(with: SlotBench.red) }
    await recorder.wait(for: states.count)

    #expect(Set(states.compactMap { button.image(for: $0) }).count == states.count)
    #expect(states.map { button.imageURL(for: $0) } == states.indices.map { "http://a.test/\($0)" })
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

  @Test("AF-B12 a state change shows the normal image and starts no load")
  func stateChangeShowsTheNormalImageWithoutALoad() async throws {
    let button = bench.button()
    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    button.isSelected = true

    #expect(button.currentImage === recorder.images.first)
    #expect(bench.transport.transfers.count == 1)
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

  @Test("AF-B13 a compound state loads independently of the normal state (deviates)")
  func compoundStateLoadsIndependently() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: [.selected, .highlighted], options: bench.options)
    button.setImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: recorder.completion)
    button.cancelImageLoad(for: [.selected, .highlighted])
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(bench.transport.transfers[0].isCancelled)
    #expect(button.image(for: .normal) != nil)
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

  @Test(
    "SD-W5 SD-W6 SD-W7 an image and its URL are set when the load completes",
    arguments: [
      (ButtonSlot.image, ControlState.normal), (.image, .highlighted), (.background, .normal),
    ])
  func imageAndURLAreSetWhenTheLoadCompletes(slot: ButtonSlot, state: ControlState) async throws {
    let button = bench.button()

    if slot == .image {
      button.setImage(
        from: "http://a.test/1", for: state, options: bench.options, completion: recorder.completion)
      #expect(button.isLoadingImage(for: state))
    } else {
      button.setBackgroundImage(
        from: "http://a.test/1", for: state, options: bench.options, completion: recorder.completion)
      #expect(button.isLoadingBackgroundImage(for: state))
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    let isImage = slot == .image
    #expect(recorder.images.count == 1)
    #expect(
      (isImage ? button.image(for: state) : button.backgroundImage(for: state)) === recorder.images.first)
    #expect(
      (isImage ? button.imageURL(for: state) : button.backgroundImageURL(for: state)) == "http://a.test/1")
    #expect((isImage ? button.backgroundImageURL(for: state) : button.imageURL(for: state)) == nil)
    #expect(!button.isLoadingImage(for: state) && !button.isLoadingBackgroundImage(for: state))
  }

  @Test func currentImageURLFallsBackToTheNormalState() {
    let button = bench.button()
    #expect(button.currentImageURL == nil)
    button.setImage(from: "http://a.test/normal", for: .normal, options: bench.options)
    button.setImage(from: "http://a.test/selected", for: .selected, options: bench.options)
    button.setBackgroundImage(from: "http://a.test/back", for: .normal, options: bench.options)

    #expect(button.currentImageURL == "http://a.test/normal")
    button.isSelected = true
    #expect(button.currentImageURL == "http://a.test/selected")
    #expect(button.currentBackgroundImageURL == "http://a.test/back")
    button.isEnabled = false
    #expect(button.currentImageURL == "http://a.test/normal", "a compound state has its own slot")
  }

  @Test("YY-B27 a compound state does not set its component states (deviates)")
  func compoundStateDoesNotSetItsComponentStates() async throws {
    let button = bench.button()
    let state: ControlState = [.selected, .highlighted]

    button.setImage(
      from: "http://a.test/1", for: state, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(button.image(for: state) === recorder.images.first)
    #expect(button.image(for: .selected) == nil && button.image(for: .highlighted) == nil)
  }

  @Test("YY-B28 a button's image and background, and a view's image and highlighted image, are independent")
  func slotsOfAButtonAndOfAViewAreIndependent() async throws {
    let button = bench.button()
    let view = bench.view()

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: recorder.completion)
    button.setBackgroundImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: recorder.completion)
    view.setImage(from: "http://a.test/3", options: bench.options, completion: recorder.completion)
    view.setHighlightedImage(from: "http://a.test/4", options: bench.options, completion: recorder.completion)
    button.cancelImageLoad(for: .normal)
    view.cancelImageLoad()
    try await bench.transfer(2).respond(with: SlotBench.red)
    try await bench.transfer(4).respond(with: SlotBench.red)
    await recorder.wait(for: 4)

    #expect(button.image(for: .normal) == nil && view.image == nil)
    #expect(button.backgroundImage(for: .normal) != nil && view.highlightedImage != nil)
    #expect(button.backgroundImageURL(for: .normal) == "http://a.test/2")
    #expect(view.highlightedImageURL == "http://a.test/4")
    #expect(button.imageURL(for: .normal) == nil && view.imageURL == nil)
  }

  @Test func nilURLClearsTheHighlightedImage() async {
    let view = bench.view()
    view.highlightedImage = .solid(width: 2, height: 2)
    view.highlightedImageURL = nil
    #expect(view.highlightedImage == nil)

    view.setHighlightedImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(view.isLoadingHighlightedImage)
    #expect(view.highlightedImageActivity.activity == .running(progress: nil))
    view.highlightedImageURL = nil
    await recorder.wait()

    #expect(recorder.errors == [.cancelled])
    #expect(!view.isLoadingHighlightedImage)
    #expect(view.highlightedImageURL == nil)
    #expect(view.highlightedImageActivity.activity == .ended(success: false))
  }

  @Test("SD-W3 the highlighted image has its own slot")
  func highlightedImageHasItsOwnSlot() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.setHighlightedImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.highlightedImage != nil)
    #expect(view.highlightedImage !== view.image)
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
