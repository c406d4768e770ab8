import Dispatch
import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Images of views from memory and network.
@Suite(.timeLimit(.minutes(5)))
struct ViewImageTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test("AF-I1 SD-W1 an image is shown when it has loaded")
  func imageIsShownWhenItHasLoaded() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(view.image == nil)
    #expect(view.isLoadingImage)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
    #expect(view.imageURL == "http://a.test/1")
    #expect(!view.isLoadingImage)
    #expect(view.pendingSlots == 0)
  }

  @Test("AF-I4 a memory hit returns the same instance, without an HTTP response")
  func memoryHitReturnsTheSameInstanceWithoutHTTPResponse() async throws {
    let request = try ImageRequest("http://a.test/1")
    async let first = bench.downloader.image(for: request)
    try await bench.transfer(1).respond(with: SlotBench.red)
    let loaded = try await first.image
    let view = bench.view()

    view.setImage(from: request, options: bench.options, completion: recorder.completion)

    #expect(view.image === loaded)
    #expect(try recorder.results.first?.get().http == nil)
    #expect(try recorder.results.first?.get().source == .memory)
  }

  @Test("AF-I12 a request asks for images by its Accept header")
  func requestSendsTheDefaultAcceptHeader() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(try await bench.transfer(1).request.headers["Accept"] == ImageRequest.defaultAccept)
  }

  @Test("YY-B1 a memory hit is shown at once without placeholder or transition, and reports its source")
  func memoryHitIsShownAtOnce() throws {
    let view = bench.view()
    let image = Image.solid(width: 100, height: 100)
    bench.cache.insert(image, for: try ImageRequest("http://a.test/1"), additionalIdentifier: nil)
    var options = bench.options
    var given: [Image?] = []
    options.showsImage = { _, image in given.append(image) }

    view.setImage(from: "http://a.test/1", placeholder: .solid(width: 1, height: 1), options: options)
    view.setImage(
      from: "http://a.test/1", placeholder: .solid(width: 1, height: 1), options: bench.options,
      completion: recorder.completion)

    #expect(given == [image, nil], "nil when the view itself shows the image")
    #expect(view.image === image)
    #expect(!view.isInTransition)
    #expect(try recorder.results.first?.get().source == .memory)
  }

  @Test("YY-B14 a setter that another thread awaits runs on the main actor")
  func setterCalledFromAnotherThreadLoadsTheImage() async throws {
    let view = ProbedView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    bench.window.addSubview(view)
    let (options, completion) = (bench.options, recorder.completion)
    let load = { @MainActor in
      view.probe.note()
      view.setImage(from: "http://a.test/1", options: options) { result in
        view.probe.note()
        completion(result)
      }
    }

    await Task.detached { await load() }.value
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
    let isOnMainQueue = view.probe.isOnMainQueue
    #expect(isOnMainQueue.count >= 3 && isOnMainQueue.allSatisfy { $0 }, "setter, contents and completion")
  }

  @Test("YY-B17 a body that is no image fails with its first bytes")
  func bodyThatIsNoImageFailsWithItsFirstBytes() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: Array("<html>".utf8))
    await recorder.wait()

    #expect(recorder.errors == [.notAnImage(signature: Array("<html>".utf8))])
    #expect(view.image == nil)
  }

  @Test func plainViewShowsAnImageAsItsContents() async throws {
    let view = View(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    bench.window.addSubview(view)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.contents === recorder.images.first)
  }

  @Test func cacheOnlyPolicyShowsCachedImagesAndFailsOtherwise() async throws {
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    request.cachePolicy = .cacheOnly

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    await recorder.wait()
    bench.cache.insert(.solid(width: 100, height: 100), for: request, additionalIdentifier: nil)
    view.setImage(from: request, options: bench.options, completion: recorder.completion)

    #expect(recorder.errors == [.notCached])
    #expect(view.image === recorder.images.first)
    #expect(view.pendingSlots == 0)
    #expect(bench.transport.transfers.isEmpty)
  }

  @Test("YY-B5 a reload shows nothing from memory, and replaces the cached image")
  func reloadIgnoresAndReplacesTheImageInMemory() async throws {
    let view = bench.view()
    var request = try ImageRequest("http://a.test/1")
    bench.cache.insert(.solid(width: 100, height: 100), for: request, additionalIdentifier: nil)
    request.cachePolicy = .reload

    view.setImage(from: request, options: bench.options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
    request.cachePolicy = .useCache
    #expect(bench.downloader.cachedImage(for: request) === view.image)
  }

  @Test("YY-B9 the options may leave the image to the completion")
  func optionsMayLeaveTheImageToTheCompletion() async throws {
    let view = bench.view()
    let old = Image.solid(width: 3, height: 3)
    view.image = old
    var options = bench.options
    options.setsImage = false

    view.setImage(
      from: "http://a.test/1", placeholder: .solid(width: 1, height: 1), options: options,
      completion: recorder.completion)
    #expect(view.image === old)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(recorder.images.count == 1)
    #expect(view.image === old)
  }

  @Test func additionalIdentifiersSeparateImagesOfOneURL() async throws {
    let round = bench.view()
    let grey = bench.view()

    round.setImage(
      from: "http://a.test/1", additionalIdentifier: "round", options: bench.options,
      completion: recorder.completion)
    grey.setImage(
      from: "http://a.test/1", additionalIdentifier: "grey", options: bench.options,
      completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(bench.transport.transfers.count == 1)
    let plain = try ImageRequest("http://a.test/1")
    #expect(bench.downloader.cachedImage(for: plain) == nil)
    #expect(round.image != nil && grey.image != nil)
  }

  @Test("SD-W19 progress is reported as bytes arrive, and is 1 at the end")
  func progressIsReportedAndEndsAtOne() async throws {
    let view = bench.view()
    var received: [ImageTask.Progress] = []

    view.setImage(
      from: "http://a.test/1", options: bench.options, completion: recorder.completion,
      progress: { received.append($0) })
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: SlotBench.red.count)
    transfer.send(SlotBench.red)
    transfer.finish()
    await recorder.wait()

    #expect(received.last?.received == SlotBench.red.count)
    #expect(received.last?.fraction == 1)
  }
}

/// Records for each call whether it comes on the main queue, which runs the main actor.
private final class MainQueueProbe {
  private static let key = DispatchSpecificKey<Bool>()
  private(set) var isOnMainQueue: [Bool] = []

  init() { DispatchQueue.main.setSpecific(key: Self.key, value: true) }

  func note() { isOnMainQueue.append(DispatchQueue.getSpecific(key: Self.key) == true) }
}

/// A view that records where its contents are set.
private final class ProbedView: ImageView {
  let probe = MainQueueProbe()

  override func setContents(_ image: Image?, transition: Transition) {
    probe.note()
    super.setContents(image, transition: transition)
  }
}
