import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Each state of a button or a view, image and background have slots of their own.
@Suite(.timeLimit(.minutes(5)))
struct ButtonStateImageTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

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
}
