import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@Suite(.timeLimit(.minutes(1)))
struct ButtonImageTests {
  private let bench = SlotBench()
  private let ear = Ear()

  @Test("AF-B1 background image is there after its load")
  func backgroundImageIsThereAfterItsLoad() async throws {
    let button = bench.button()
    #expect(button.backgroundImage(for: .normal) == nil)

    button.setBackgroundImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    #expect(button.backgroundImage(for: .normal) === ear.images.first)
    #expect(button.image(for: .normal) == nil)
  }

  @Test("AF-B2 image cancelled and asked for again loads")
  func imageCancelledAndAskedForAgainLoads() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    button.cancelImageLoad(for: .normal)
    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(button.image(for: .normal) === ear.images.first)
  }

  @Test("AF-B3 background cancelled and asked for again loads")
  func backgroundCancelledAndAskedForAgainLoads() async throws {
    let button = bench.button()

    for _ in 0..<2 {
      button.cancelBackgroundImageLoad(for: .normal)
      button.setBackgroundImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    }
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(button.backgroundImage(for: .normal) === ear.images.first)
  }

  @Test("AF-B4 image and background of a state are loaded apart")
  func imageAndBackgroundAreLoadedApart() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options)
    button.setBackgroundImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: ear.completion)
    button.cancelImageLoad(for: .normal)
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear()

    #expect(bench.transport.transfers[0].isCancelled)
    #expect(button.backgroundImage(for: .normal) != nil)
  }

  @Test("AF-B5 each state has a slot of its own")
  func eachStateHasASlotOfItsOwn() async throws {
    let button = bench.button()
    let states: [ControlState] = [.normal, .highlighted, .selected, .disabled, [.selected, .highlighted]]

    for (index, state) in states.enumerated() {
      button.setImage(
        from: "http://a.test/\(index)", for: state, options: bench.options, completion: ear.completion)
    }
    for index in states.indices { try await bench.transfer(index + 1).answer(with: SlotBench.red) }
    await ear.hear(states.count)

    #expect(Set(states.compactMap { button.image(for: $0) }).count == states.count)
    #expect(states.map { button.imageURL(for: $0) } == states.indices.map { "http://a.test/\($0)" })
  }

  @Test("AF-B7 another URL for the state cancels the first")
  func anotherURLCancelsTheFirst() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    let first = try await bench.transfer(1)
    button.setImage(from: "http://a.test/2", for: .normal, options: bench.options, completion: ear.completion)
    first.answer(with: SlotBench.large)
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(first.isCancelled)
    #expect(ear.errors == [.cancelled])
    #expect(button.image(for: .normal)?.sourceWidth == 100)
  }

  @Test("AF-B8 YY-B1 a cached image is set in the call, the placeholder is not")
  func cachedImageIsSetInTheCall() async throws {
    let image = Image.solid(width: 50, height: 50)
    bench.cache.insert(image, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let button = bench.button()

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: .solid(width: 1, height: 1),
      options: bench.options)

    #expect(button.image(for: .normal) === image)
    #expect(bench.transport.transfers.isEmpty)
  }

  @Test("AF-B12 a change of state shows the normal image and loads nothing")
  func changeOfStateLoadsNothing() async throws {
    let button = bench.button()
    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    button.isSelected = true

    #expect(button.currentImage === ear.images.first)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test("AF-B14 no URL is heard of as a failure")
  func withoutURLTheFailureIsHeard() async {
    let button = bench.button()

    button.setImage(from: nil, for: .selected, options: bench.options, completion: ear.completion)
    await ear.hear()

    #expect(ear.errors == [.invalidURL("")])
  }

  @Test("AF-B6 the same URL for the state while it loads: no second load, and all hear of it (deviates)")
  func sameURLForTheStateJoins() async throws {
    let button = bench.button()

    for _ in 0..<2 {
      button.setImage(
        from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    }
    try await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(bench.transport.transfers.count == 1)
    #expect(ear.images.count == 2)
  }

  @Test("AF-B9 no placeholder clears the state's old image, unless it is to be kept (deviates)")
  func withoutPlaceholderTheOldImageGoes() {
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

  @Test("AF-B10 with a completion the image is set all the same (deviates), unless that is left to it")
  func withACompletionTheImageIsSetAllTheSame() async throws {
    let button = bench.button()
    var options = bench.options
    options.setsImage = false

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    button.setImage(from: "http://a.test/2", for: .selected, options: options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.red)
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(button.image(for: .normal) != nil)
    #expect(button.image(for: .selected) == nil)
  }

  @Test("AF-B11 YY-B11 cancelled by the view: heard as .cancelled, once, later (deviates); nothing changes")
  func cancelledByTheViewIsHeardOnce() async {
    let button = bench.button()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: placeholder, options: options,
      completion: ear.completion)
    button.cancelImageLoad(for: .normal)
    button.cancelImageLoad(for: .normal)
    #expect(ear.results.isEmpty)
    await ear.hear()

    #expect(ear.errors == [.cancelled])
    #expect(button.image(for: .normal) === placeholder)
    #expect(button.pendingSlots == 0)
  }

  @Test("AF-B13 a compound state loads apart from the normal one (deviates)")
  func compoundStateLoadsApart() async throws {
    let button = bench.button()

    button.setImage(from: "http://a.test/1", for: [.selected, .highlighted], options: bench.options)
    button.setImage(from: "http://a.test/2", for: .normal, options: bench.options, completion: ear.completion)
    button.cancelImageLoad(for: [.selected, .highlighted])
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear()

    #expect(bench.transport.transfers[0].isCancelled)
    #expect(button.image(for: .normal) != nil)
  }

  @Test func placeholderOfAButtonDoesNotSayHowLargeItsPictureIs() async throws {
    let button = bench.button()
    button.imageSize = nil
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    button.setImage(
      from: "http://a.test/1", for: .normal, placeholder: .solid(width: 1, height: 1), options: bench.options,
      completion: ear.completion)
    try await bench.transfer(1).answer(with: FakeDecoder.picture(width: 1000, height: 500))
    await ear.hear()
    #expect(button.image(for: .normal)?.pixelWidth == 76)
    button.setImage(
      from: "http://a.test/2", for: .normal, options: options, completion: ear.completion)
    try await bench.transfer(2).answer(with: FakeDecoder.picture(width: 500, height: 1000))
    await ear.hear(2)

    #expect(button.image(for: .normal)?.pixelHeight == 84)
  }

  @Test func buttonThatIsGivenRoomForItsImageLoadsIt() {
    let button = bench.button()
    button.imageSize = .zero

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options)
    #expect(bench.transport.transfers.isEmpty)
    button.imageSize = Size(width: 20, height: 20)

    #expect(bench.transport.transfers.count == 1)
  }

  @Test func buttonWhoseImageGrowsAsksAgain() async throws {
    let button = bench.button()
    button.imageSize = Size(width: 20, height: 20)
    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.large)
    await ear.hear()

    button.imageSize = Size(width: 60, height: 60)

    #expect(bench.transport.transfers.count == 2)
  }

  @Test(
    "SD-W5 SD-W6 SD-W7 a picture is there after its load, with its URL",
    arguments: [
      (ButtonSlot.image, ControlState.normal), (.image, .highlighted), (.background, .normal),
    ])
  func pictureIsThereAfterItsLoad(slot: ButtonSlot, state: ControlState) async throws {
    let button = bench.button()

    if slot == .image {
      button.setImage(from: "http://a.test/1", for: state, options: bench.options, completion: ear.completion)
      #expect(button.isLoadingImage(for: state))
    } else {
      button.setBackgroundImage(
        from: "http://a.test/1", for: state, options: bench.options, completion: ear.completion)
      #expect(button.isLoadingBackgroundImage(for: state))
    }
    try await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    let isImage = slot == .image
    #expect(ear.images.count == 1)
    #expect((isImage ? button.image(for: state) : button.backgroundImage(for: state)) === ear.images.first)
    #expect(
      (isImage ? button.imageURL(for: state) : button.backgroundImageURL(for: state)) == "http://a.test/1")
    #expect((isImage ? button.backgroundImageURL(for: state) : button.imageURL(for: state)) == nil)
    #expect(!button.isLoadingImage(for: state) && !button.isLoadingBackgroundImage(for: state))
  }

  @Test func urlOfTheStateThatShowsIsItsOwnOrTheNormalOne() {
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
    #expect(button.currentImageURL == "http://a.test/normal", "a compound state is another")
  }

  @Test("YY-B27 a compound state does not set the states that it is made of (deviates)")
  func compoundStateSetsItself() async throws {
    let button = bench.button()
    let state: ControlState = [.selected, .highlighted]

    button.setImage(from: "http://a.test/1", for: state, options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.red)
    await ear.hear()

    #expect(button.image(for: state) === ear.images.first)
    #expect(button.image(for: .selected) == nil && button.image(for: .highlighted) == nil)
  }

  @Test("YY-B28 image and background of a button, image and highlighted image of a view are apart")
  func picturesOfAViewAreApart() async throws {
    let button = bench.button()
    let view = bench.view()

    button.setImage(from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    button.setBackgroundImage(
      from: "http://a.test/2", for: .normal, options: bench.options, completion: ear.completion)
    view.setImage(from: "http://a.test/3", options: bench.options, completion: ear.completion)
    view.setHighlightedImage(from: "http://a.test/4", options: bench.options, completion: ear.completion)
    button.cancelImageLoad(for: .normal)
    view.cancelImageLoad()
    try await bench.transfer(2).answer(with: SlotBench.red)
    try await bench.transfer(4).answer(with: SlotBench.red)
    await ear.hear(4)

    #expect(button.image(for: .normal) == nil && view.image == nil)
    #expect(button.backgroundImage(for: .normal) != nil && view.highlightedImage != nil)
    #expect(button.backgroundImageURL(for: .normal) == "http://a.test/2")
    #expect(view.highlightedImageURL == "http://a.test/4")
    #expect(button.imageURL(for: .normal) == nil && view.imageURL == nil)
  }

  @Test func highlightedPictureIsClearedWithItsURL() async {
    let view = bench.view()
    view.highlightedImage = .solid(width: 2, height: 2)
    view.highlightedImageURL = nil
    #expect(view.highlightedImage == nil)

    view.setHighlightedImage(from: "http://a.test/1", options: bench.options, completion: ear.completion)
    #expect(view.isLoadingHighlightedImage)
    #expect(view.highlightedImageActivity.activity == .running(progress: nil))
    view.highlightedImageURL = nil
    await ear.hear()

    #expect(ear.errors == [.cancelled])
    #expect(!view.isLoadingHighlightedImage)
    #expect(view.highlightedImageURL == nil)
    #expect(view.highlightedImageActivity.activity == .ended(success: false))
  }

  @Test("SD-W3 the highlighted image is a slot of its own")
  func highlightedImageOfAnImageViewIsASlotOfItsOwn() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: ear.completion)
    view.setHighlightedImage(from: "http://a.test/2", options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.red)
    try await bench.transfer(2).answer(with: SlotBench.red)
    await ear.hear(2)

    #expect(view.highlightedImage != nil)
    #expect(view.highlightedImage !== view.image)
  }

  @Test func smallButtonStillHasRoomForItsImage() async throws {
    let button = bench.button()
    button.imageSize = nil
    button.frame.size = Size(width: 24, height: 24)

    button.setImage(
      from: "http://a.test/1", for: .normal, options: bench.options, completion: ear.completion)
    try await bench.transfer(1).answer(with: SlotBench.large)
    await ear.hear()

    #expect(bench.decoder.calls.map(\.target) == [DecodeTarget(width: 12, height: 12, mode: .fit)])
  }
}
