import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Callbacks that change the slot that calls them.
@Suite(.timeLimit(.minutes(5)))
struct SlotReentryTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test(arguments: [true, false])
  func customPresentationMayClearItsSlot(isPlaceholderEnough: Bool) async throws {
    let view = bench.view()
    var options = bench.options
    options.showsImage = { view, image in
      if image != nil || isPlaceholderEnough { view.imageURL = nil }
    }

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    if !isPlaceholderEnough { try await bench.transfer(1).respond(with: SlotBench.red) }
    await recorder.wait()

    #expect(view.imageURL == nil)
    #expect(!view.isLoadingImage)
    #expect(view.pendingSlots == 0)
  }

  // MARK: Reused cells

  @Test func completionOfTheOldLoadMayReplaceARefusedURL() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] _ in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    _ = try await bench.transfer(1)

    view.setImage(from: "not a URL", options: bench.options, completion: recorder.completion)

    try await expectSecond(in: view, transfer: 2, responses: 2)
    #expect(recorder.errors == [.invalidURL("not a URL")])
  }

  @Test func completionOfTheOldLoadMayRequestAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view] _ in
      view?.setImage(from: "http://a.test/3", options: bench.options, completion: recorder.completion)
    }
    _ = try await bench.transfer(1)

    view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    #expect(view.imageURL == "http://a.test/3")
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(Set(recorder.errors) == [.cancelled])
    #expect(recorder.images == [view.image])
    #expect(view.pendingSlots == 0)
    #expect(bench.transport.transfers.count == 2)
  }

  // MARK: Other callbacks

  /// Waits for the second image, and checks that only this image is shown.
  private func expectSecond(in view: ImageView, transfer number: Int, responses: Int) async throws {
    #expect(view.imageURL == "http://a.test/2")
    try await bench.transfer(number).respond(with: SlotBench.red)
    await recorder.wait(for: responses)
    bench.run(until: bench.window.now + 2)

    #expect(view.image?.sourceWidth == 100)
    #expect(bench.images.map(\.image) == [view.image])
    #expect(view.pendingSlots == 0)
    #expect(!view.isLoadingImage)
    #expect(view.imageActivity.activity == .ended(success: true))
    #expect(view.loadOperation(forKey: "contents") == nil)
  }

  @Test func progressHandlerMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    var isDone = false

    view.setImage(
      from: "http://a.test/1", options: bench.options, completion: recorder.completion,
      progress: { [weak view] _ in
        #expect(!isDone)
        isDone = true
        view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
      })
    let first = try await bench.transfer(1)
    first.respond(expectedLength: 1000)
    first.send([1])

    try await bench.transport.waitUntilStarted(2)
    #expect(first.isCancelled)
    try await expectSecond(in: view, transfer: 2, responses: 2)
    #expect(recorder.errors == [.cancelled])
  }

  @Test func completionAfterATransitionMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    var options = bench.options
    options.waitsForTransition = true
    bench.run(until: 0.1)

    view.setImage(from: "http://a.test/1", options: options) { [weak view] result in
      recorder.completion(result)
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
      #expect(bench.images.isEmpty)
    }
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await until { view.isInTransition }
    bench.run(until: 1)
    try await bench.transport.waitUntilStarted(2)

    try await expectSecond(in: view, transfer: 2, responses: 2)
  }

  @Test func completionOfAnInterruptedTransitionMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    var options = bench.options
    options.waitsForTransition = true
    bench.run(until: 0.1)

    view.setImage(from: "http://a.test/1", options: options) { [weak view] _ in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await until { view.isInTransition }
    view.setImage(from: "http://a.test/3", options: bench.options, completion: recorder.completion)
    #expect(view.imageURL == "http://a.test/2")
    #expect(bench.images.isEmpty)

    // The third image is never requested: the completion of the first image requested the second.
    try await expectSecond(in: view, transfer: 2, responses: 2)
    #expect(recorder.errors == [.cancelled])
    #expect(bench.transport.transfers.count == 2)
  }

  nonisolated enum Moment: CaseIterable, Sendable { case placeholder, image, failureImage, hit }

  @Test(arguments: Moment.allCases) func customPresentationMaySetAnotherImage(moment: Moment) async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)
    var isDone = false
    options.showsImage = { view, image in
      guard !isDone, image != nil || moment == .placeholder else { return }
      isDone = true
      view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    if moment == .hit {
      bench.cache.insert(
        .solid(width: 100, height: 100), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    }

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    if moment == .image { try await bench.transfer(1).respond(with: SlotBench.large) }
    if moment == .failureImage { try await bench.transfer(1).fail(.status(500)) }
    let last = moment == .image || moment == .failureImage ? 2 : 1
    try await bench.transport.waitUntilStarted(last)

    try await expectSecond(in: view, transfer: last, responses: 2)
    #expect(recorder.results.count == 2)
  }

  @Test func customPresentationMaySetAnotherImageWhenTheURLIsNil() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    var options = bench.options
    options.showsImage = { view, _ in
      view.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }

    view.setImage(from: nil, options: options, completion: recorder.completion)

    try await expectSecond(in: view, transfer: 1, responses: 2)
    #expect(recorder.errors == [.invalidURL("")])
  }

  @Test func replacedOperationMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    let operation = Reply { [weak view] in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    view.setLoadOperation(operation, forKey: "contents")

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    try await expectSecond(in: view, transfer: 2, responses: 2)
    #expect(recorder.errors == [.cancelled])
  }

  @Test func slotObserverMaySetAnotherImage() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    let observer = Observer { [weak view] in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    let before = View.slotObserver
    View.slotObserver = observer
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    View.slotObserver = before

    try await expectSecond(in: view, transfer: 1, responses: 2)
    #expect(recorder.errors == [.cancelled])
  }

  /// The first image is in memory when it is requested, or only once the view gets a size.
  @Test(arguments: [true, false])
  func slotObserverMaySetAnotherImageOnAMemoryHit(waitsForSize: Bool) async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    if waitsForSize { view.frame.size = .zero }
    let small = Image.solid(width: 10, height: 10)
    if !waitsForSize {
      bench.cache.insert(small, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    }
    let observer = Observer { [weak view] in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    let before = View.slotObserver
    View.slotObserver = observer
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    if waitsForSize {
      bench.cache.insert(small, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
      view.frame.size = Size(width: 100, height: 100)
    }
    View.slotObserver = before
    #expect(view.image == nil)

    try await expectSecond(in: view, transfer: 1, responses: 2)
    #expect(recorder.errors == [.cancelled])
  }

  @Test func slotObserverMaySetAnotherImageWhenTheViewGrows() async throws {
    let view = bench.view()
    let (bench, recorder) = (bench, recorder)
    view.setImage(from: "http://a.test/1", options: bench.options)
    try await bench.transfer(1).respond(with: SlotBench.large)
    try await until { !view.isLoadingImage }
    bench.cache.insert(
      .solid(width: 1000, height: 1000), for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    let observer = Observer { [weak view] in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }
    let before = View.slotObserver
    View.slotObserver = observer
    view.frame.size = Size(width: 300, height: 300)
    View.slotObserver = before

    try await expectSecond(in: view, transfer: 2, responses: 1)
  }

  @Test func slotObserverMayResizeTheView() async throws {
    let view = bench.view()
    let observer = Observer { [weak view] in view?.frame.size = Size(width: 300, height: 300) }
    let before = View.slotObserver
    View.slotObserver = observer
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    View.slotObserver = before
    #expect(view.pendingSlots == 1)
    try await bench.transfer(1).respond(with: SlotBench.large)
    await recorder.wait()

    #expect(view.pendingSlots == 0)
  }

  @Test func cancelAfterTheEndChangesNothing() async throws {
    let view = bench.view()
    view.setImage(from: "http://a.test/1", options: bench.options) { [weak view, recorder] result in
      view?.cancelImageLoad()
      recorder.completion(result)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.imageActivity.activity == .ended(success: true))
    #expect(view.imageURL == "http://a.test/1")
  }

  @Test func viewSubclassMaySetAnotherImageWhenItsContentsAreSet() async throws {
    let (bench, recorder) = (bench, recorder)
    let view = Picky(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    bench.window.addSubview(view)
    view.reply = { [weak view] in
      view?.setImage(from: "http://a.test/2", options: bench.options, completion: recorder.completion)
    }

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)

    try await expectSecond(in: view, transfer: 1, responses: 2)
    #expect(recorder.errors == [.cancelled])
  }

  @Test func operationOfTheProgramReplacesTheLoadOfTheSlot() async {
    let view = bench.view()
    let operation = CountedOperation()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.setLoadOperation(operation, forKey: "contents")
    await recorder.wait()
    #expect(recorder.errors == [.cancelled], "the operation has replaced the load")
    view.cancelLoadOperation(forKey: "contents")

    #expect(operation.cancels == 1)
    #expect(view.pendingSlots == 0)
  }
}

/// An operation that calls a closure when it is cancelled.
private final class Reply: Cancellable {
  private let reply: @MainActor () -> Void
  init(_ reply: @escaping @MainActor () -> Void) { self.reply = reply }
  nonisolated func cancel() { MainActor.assumeIsolated { reply() } }
}

/// An observer that calls a closure for the first slot that will load.
private final class Observer: SlotObserver {
  private var reply: (() -> Void)?
  init(_ reply: @escaping () -> Void) { self.reply = reply }
  func slotWillLoad() {
    let reply = reply
    self.reply = nil
    reply?()
  }
  func slotDidSettle(_ result: Result<ImageResponse, ImageError>) {}
}

/// A view that calls a closure when its contents are first set.
private final class Picky: ImageView {
  var reply: (() -> Void)?
  override func setContents(_ image: Image?, transition: Transition) {
    super.setContents(image, transition: transition)
    let reply = reply
    self.reply = nil
    reply?()
  }
}

private final class CountedOperation: Cancellable {
  nonisolated(unsafe) var cancels = 0  // Only touched on the main actor, by these tests.
  nonisolated func cancel() { cancels += 1 }
}
