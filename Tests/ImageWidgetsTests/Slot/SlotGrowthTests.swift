import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Slots that request their image again in a larger size, and slots that keep the image.
@Suite(.timeLimit(.minutes(5)))
struct SlotGrowthTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  /// A view of 100x100 points that shows an image of 1000x1000 pixels, decoded to a smaller size.
  private func loadedView(_ options: SlotOptions? = nil) async throws -> ImageView {
    let view = bench.view()
    view.setImage(
      from: "http://a.test/1", options: options ?? bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()
    return view
  }

  @Test func imageOfAnExplicitSizeIsNotRequestedAgain() async throws {
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.targetSize = DecodeTarget(width: 7, height: 7)

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()
    view.frame.size = Size(width: 300, height: 300)

    #expect(view.image?.pixelWidth == 7)
    #expect(!view.isLoadingImage)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func imageShrunkByATransformIsNotRequestedAgain() async throws {
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.transforms = [Pixelated()]

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(view.image?.pixelWidth == 4)
    #expect(!view.isLoadingImage)
  }

  @Test func memoryHitIsReloadedAtTheSizeOfItsView() async throws {
    let small = try await loadedView().image
    let view = ImageView()
    bench.window.addSubview(view)
    view.setImage(from: "http://a.test/1", options: bench.options)
    #expect(view.image === small)

    view.frame.size = Size(width: 130, height: 130)
    #expect(view.image === small)
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelWidth == 130)
  }

  nonisolated enum Moment: CaseIterable, Sendable { case lookup, setter, customPresentation, completion }

  /// The size is not known to the slot at the moment of the change, so it is compared at the end.
  @Test(arguments: Moment.allCases)
  func viewThatGrowsWhileAnImageFromMemoryIsShownLoadsTheLargerImage(moment: Moment) async throws {
    let view = GrowingView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    bench.window.addSubview(view)
    let small = try await loadedView().image
    let grow: () -> Void = { [weak view] in view?.frame.size = Size(width: 300, height: 300) }
    let before = View.slotObserver
    let observer = GrowthObserver(grow)
    if moment == .lookup { View.slotObserver = observer }
    if moment == .setter { view.reply = grow }
    var options = bench.options
    if moment == .customPresentation {
      options.showsImage = { view, image in
        view.frame.size = Size(width: 300, height: 300)
        (view as? ImageView)?.image = image
      }
    }
    var shown: Image?

    view.setImage(from: "http://a.test/1", options: options) { result in
      if shown == nil { shown = try? result.get().image }
      if moment == .completion { grow() }
    }
    View.slotObserver = before
    #expect(shown === small)
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelWidth == 300)
  }

  @Test func slotWithAnImageShowsNoSpinnerWhileTheLargerImageLoads() async throws {
    let view = try await loadedView()
    bench.run(until: 2)

    view.frame.size = Size(width: 300, height: 300)
    bench.run(until: 3)

    #expect(view.isLoadingImage)
    #expect(bench.images.map { $0.image === view.image } == [true])
  }

  @Test func smallerImageStaysWhenTheLargerImageFails() async throws {
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)
    options.placeholderPolicy = .onFailure
    let view = try await loadedView(options)
    let small = view.image

    view.frame.size = Size(width: 200, height: 200)
    try await bench.transfer(2).fail(.status(500))
    try await until { !view.isLoadingImage }
    view.frame.size = Size(width: 201, height: 201)

    #expect(view.image === small)
    #expect(view.imageURL == "http://a.test/1")
    #expect(bench.transport.transfers.count == 2, "a view that grows does not send a request at every step")
    view.frame.size = Size(width: 400, height: 400)
    try await bench.transfer(3).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }
    #expect(view.image?.pixelWidth == 400)
  }

  @Test func smallerImageStaysWhenTheLargerImageIsCancelled() async throws {
    let view = try await loadedView()
    let small = view.image

    view.frame.size = Size(width: 200, height: 200)
    view.cancelImageLoad()

    #expect(view.image === small)
    #expect(view.imageURL == "http://a.test/1")
    #expect(view.pendingSlots == 0)
  }

  @Test func imageLeftToTheCompletionIsNotRequestedAgain() async throws {
    var options = bench.options
    options.setsImage = false
    let view = try await loadedView(options)

    view.frame.size = Size(width: 400, height: 300)

    #expect(!view.isLoadingImage)
  }

  @Test func imageSetByTheProgramIsNotReplacedWhenTheViewGrows() async throws {
    let view = try await loadedView()
    let own = Image.solid(width: 3, height: 3)
    view.image = own

    view.frame.size = Size(width: 400, height: 300)

    #expect(!view.isLoadingImage)
    #expect(view.image === own)
  }

  @Test func highlightedViewRequestsItsNormalImageAgain() async throws {
    let view = try await loadedView()
    view.highlightedImage = .solid(width: 3, height: 3)
    view.isHighlighted = true

    view.frame.size = Size(width: 200, height: 200)

    #expect(view.isLoadingImage)
  }

  @Test func fillContentModeRequestsALargerImage() async throws {
    let view = bench.view()
    view.contentMode = .fit
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let wide = FakeDecoder.encodedImage(width: 1000, height: 250)
    try await bench.transfer(1).respond(with: wide)
    await recorder.wait()
    #expect(view.image?.pixelHeight == 25)

    view.contentMode = .fill
    try await bench.transfer(2).respond(with: wide)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelHeight == 100)
  }

  @Test func viewInAWindowOfTwiceTheScaleRequestsItsImageAgain() async throws {
    let view = try await loadedView()
    let other = Window(size: Size(width: 400, height: 300), scale: 2)

    other.addSubview(view)
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelWidth == 200)
    #expect(view.pendingSlots == 0)
  }

  @Test func doublingTheScaleKeepsTheImageUntilTheLargerImageLoads() async throws {
    let view = try await loadedView()
    let small = view.image

    bench.window.scale = 2
    #expect(view.image === small)
    try #require(view.isLoadingImage)
    try await bench.transfer(2).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }

    #expect(view.image?.pixelWidth == 200)
    #expect(view.pendingSlots == 0)
  }

  @Test(arguments: [1.25, 1.5, 0.5])
  func scaleChangeBelowTwiceKeepsTheImage(scale: Double) async throws {
    let view = try await loadedView()

    bench.window.scale = scale

    #expect(!view.isLoadingImage)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: [(1.25, 125), (1.5, 150), (2, 200), (3, 300)])
  func imageIsDecodedToTheScaledSizeOfItsView(scale: Double, pixels: Int) async throws {
    bench.window.scale = scale

    let view = try await loadedView()

    #expect(view.image?.pixelWidth == pixels)
  }

  @Test func viewThatGrowsDuringItsLoadLoadsOnce() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)

    view.frame.size = Size(width: 200, height: 200)
    view.frame.size = Size(width: 300, height: 300)
    view.contentMode = .center
    #expect(view.pendingSlots == 1)
    transfer.respond(with: SlotBench.large)
    await recorder.wait()

    #expect(view.image?.pixelWidth == 1000)
    #expect(recorder.results.count == 1)
    #expect(bench.transport.transfers.count == 1)
    #expect(view.pendingSlots == 0)
  }

  @Test func viewThatEntersAScaledWindowDuringItsLoadLoadsOnce() async throws {
    bench.window.scale = 2
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    bench.window.addSubview(view)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(view.image?.pixelWidth == 200)
    #expect(!view.isLoadingImage)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: ContentMode.allCases.filter(\.keepsNaturalSize))
  func thumbnailInMemoryIsAMissForANaturalSize(mode: ContentMode) async throws {
    let thumbnail = try await loadedView()
    let view = bench.view()
    view.contentMode = mode

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(2).respond(with: SlotBench.large)
    await recorder.wait(for: 2)

    #expect(thumbnail.image?.pixelWidth == 100)
    #expect(view.image?.pixelWidth == 1000)
  }

  @Test func viewWithoutASizeShowsAMemoryHitAndLoadsOnceItHasOne() async throws {
    let thumbnail = try await loadedView()
    let view = ImageView()
    bench.window.addSubview(view)

    view.setImage(from: "http://a.test/1", options: bench.options)
    #expect(view.image === thumbnail.image)
    view.frame.size = Size(width: 200, height: 200)

    #expect(view.isLoadingImage)
  }

  @Test(arguments: [Double.infinity, .nan, 1e300])
  func hugeSizesLoadAndNaNDoesNot(side: Double) {
    let view = ImageView()

    view.setImage(from: "http://a.test/1", options: bench.options)
    view.frame.size = Size(width: side, height: 10)

    #expect(bench.transport.transfers.count == (side.isNaN ? 0 : 1))
  }
}

/// A transform that returns an image of fewer pixels with the same source size.
private struct Pixelated: ImageTransform {
  let identifier = "pixelated"

  func apply(to image: Image) -> Image {
    .solid(width: 4, height: 4, sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
  }
}

/// A view that calls a closure before its contents are first set.
private final class GrowingView: ImageView {
  var reply: (() -> Void)?
  override func setContents(_ image: Image?, transition: Transition) {
    reply.take()?()
    super.setContents(image, transition: transition)
  }
}

/// A slot observer that calls a closure for the first slot that will load.
private final class GrowthObserver: SlotObserver {
  private var reply: (() -> Void)?
  init(_ reply: @escaping () -> Void) { self.reply = reply }
  func slotWillLoad() { reply.take()?() }
  func slotDidSettle(_ result: Result<ImageResponse, ImageError>) {}
}
