import Testing
import VitrineGraphics
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@testable import VitrineImageWidgets

/// Images that arrive before their slot was drawn appear as from memory: without a placeholder, a spinner or a fade.
@Suite(.timeLimit(.minutes(5)))
struct SlotFirstFrameTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private static let address = "http://a.test/1"

  init() { bench.window.isInRealTime = true }

  /// Draws the window as a host does.
  private func draw() {
    bench.window.update(at: bench.window.now)
    for rect in bench.window.takeDirtyRects() { _ = bench.window.drawList(for: rect) }
  }

  private func remember(_ address: String = address) throws {
    bench.cache.insert(
      .solid(width: 100, height: 100), for: try ImageRequest(address), additionalIdentifier: nil)
  }

  private func respond(to number: Int = 1) async throws {
    try await bench.transfer(number).respond(with: SlotBench.red)
    await recorder.wait(for: number)
  }

  // MARK: Transitions

  @Test("an image that arrives before the first frame is shown without a placeholder and a fade")
  func imageBeforeTheFirstFrameIsShownAtOnce() async throws {
    let placeholder = Image.solid(width: 4, height: 4)
    let view = bench.view()
    view.setImage(
      from: Self.address, placeholder: placeholder, options: bench.options, completion: recorder.completion)

    try await respond()
    draw()

    #expect(!view.isInTransition)
    #expect(bench.images.map(\.image) == recorder.images)
    #expect(bench.images.first?.opacity == 1)
  }

  @Test("an image that arrives after its slot was drawn fades in")
  func imageAfterTheFirstFrameFadesIn() async throws {
    let view = bench.view()
    view.setImage(from: Self.address, options: bench.options, completion: recorder.completion)
    draw()

    try await respond()

    #expect(view.isInTransition)
  }

  @Test func imageFromDiskBeforeTheFirstFrameIsShownAtOnce() async throws {
    let bench = SlotBench(disk: MemoryDataCache())
    bench.window.isInRealTime = true
    var request = try ImageRequest(Self.address)
    request.cache = .diskOnly
    let first = bench.downloader.load(request)
    try await bench.transfer(1).respond(with: SlotBench.red)
    #expect(await (try first.response).isStored())
    let view = bench.view()

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    await recorder.wait()

    #expect(try recorder.results.first?.get().source == .disk)
    #expect(!view.isInTransition)
  }

  @Test func eachRequestCountsFromItsOwnBeginning() async throws {
    let view = bench.view()
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious
    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    try await respond()
    draw()

    view.setImage(from: "http://a.test/2", options: options, completion: recorder.completion)
    try await respond(to: 2)
    #expect(!view.isInTransition, "the slot has not been drawn since")
    draw()
    view.setImage(from: "http://a.test/3", options: options, completion: recorder.completion)
    draw()
    try await respond(to: 3)

    #expect(view.isInTransition)
  }

  @Test func secondCallForTheSameImageDoesNotCountAsARequest() async throws {
    let view = bench.view()
    view.setImage(from: Self.address, options: bench.options)
    draw()
    view.setImage(from: Self.address, options: bench.options, completion: recorder.completion)

    try await respond()

    #expect(view.isInTransition)
  }

  @Test func transitionForASourceOrForEveryLoadIsUsed() async throws {
    let bySource = SlotOptions(
      transition: .none, transitionsBySource: [.network: .slide(.up)], downloader: bench.downloader)
    let always = SlotOptions(transition: .crossDissolve(1, when: .always), downloader: bench.downloader)

    for (number, options) in [bySource, always].enumerated() {
      let view = bench.view()
      view.setImage(
        from: "http://a.test/\(number)", options: options, completion: recorder.completion)
      try await respond(to: number + 1)
      #expect(view.isInTransition)
    }
  }

  @Test func completionDoesNotWaitForATransitionThatDoesNotHappen() async throws {
    var options = bench.options
    options.waitsForTransition = true

    bench.view().setImage(from: Self.address, options: options, completion: recorder.completion)
    try await respond()

    #expect(recorder.images.count == 1)
  }

  @Test func buttonShowsAnEarlyImageAtOnce() async throws {
    let button = bench.button()
    button.setImage(from: Self.address, for: .normal, options: bench.options, completion: recorder.completion)

    try await respond()

    #expect(!button.isInTransition)
    #expect(button.image(for: .normal) != nil)
  }

  @Test("a picture at a time that a program has set does not depend on the speed of loading")
  func imageOfAManualClockFadesIn() async throws {
    bench.window.isInRealTime = false
    let view = bench.view()
    view.setImage(from: Self.address, options: bench.options, completion: recorder.completion)

    try await respond()

    #expect(view.isInTransition)
  }

  // MARK: Indicators

  @Test func indicatorThatWasNotDrawnDoesNotAppear() async throws {
    var options = bench.options
    options.indicator = .init(.activity, delay: 0, minimumDuration: 10)
    let view = bench.view()
    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    // The time in which the first frame has waited.
    bench.window.now = 0.04

    try await respond()
    bench.run(until: 0.1)

    #expect(bench.images.map(\.image) == [view.image])
  }

  @Test func indicatorThatWasDrawnStaysForItsMinimumDuration() async throws {
    var options = bench.options
    options.indicator = .init(.activity, delay: 0, minimumDuration: 10)
    let view = bench.view()
    view.setImage(from: Self.address, options: options, completion: recorder.completion)
    draw()
    bench.window.now = 0.04

    try await respond()
    bench.run(until: 0.5)

    #expect(bench.images.count == 2)
    #expect(bench.images.first?.image == view.image)
  }

  // MARK: Announced loads

  @Test func loadOfASlotOnTheScreenIsAnnouncedAndDrawn() throws {
    let view = bench.view()
    draw()
    #expect(!bench.window.takeNewLoads() && !bench.window.isDirty)

    view.setImage(from: Self.address, options: bench.options)

    #expect(bench.window.takeNewLoads())
    #expect(bench.window.isDirty, "the next frame shows that the user waits")
    view.cancelImageLoad()
  }

  @Test func memoryHitIsNoLoad() throws {
    try remember()

    bench.view().setImage(from: Self.address, options: bench.options)

    #expect(!bench.window.takeNewLoads())
  }

  @Test func refreshOfAShownImageIsNotWaitedFor() throws {
    try remember()
    var request = try ImageRequest(Self.address)
    request.cachePolicy = .refresh
    let view = bench.view()

    view.setImage(from: request, options: bench.options)

    #expect(view.isLoading)
    #expect(!bench.window.takeNewLoads())
    view.cancelImageLoad()
  }

  @Test func loadOutsideOfTheScreenIsNotAnnounced() {
    let view = bench.view()
    view.frame.origin.y = 1000

    view.setImage(from: Self.address, options: bench.options)

    #expect(view.isLoading)
    #expect(!bench.window.takeNewLoads())
    view.cancelImageLoad()
  }

  @Test func loadThatWaitsForASizeIsAnnouncedOnceItBegins() {
    let view = bench.view()
    view.frame.size = .zero
    view.setImage(from: Self.address, options: bench.options)
    #expect(!bench.window.takeNewLoads())

    view.frame.size = Size(width: 10, height: 10)

    #expect(bench.window.takeNewLoads())
    view.cancelImageLoad()
  }

  @Test("a cell that requests its image before it is inserted into its list is waited for")
  func loadOfAViewThatEntersTheWindowIsAnnounced() async throws {
    let view = ImageView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    view.setImage(from: Self.address, options: bench.options, completion: recorder.completion)
    #expect(!bench.window.takeNewLoads())

    bench.window.addSubview(view)

    #expect(bench.window.takeNewLoads())
    try await respond()
    #expect(!view.isInTransition)
  }
}
