import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Requests of views that join a load, replace a request or cancel it.
@Suite(.timeLimit(.minutes(5)))
struct ViewRequestTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()

  @Test("SD-D39 a load requested again with a higher priority goes before others")
  func requestThatJoinsALoadRaisesItsPriority() {
    let bench = SlotBench()
    bench.downloader.maximumActiveDownloads = 1
    let views = (0..<3).map { _ in bench.view() }
    for (number, view) in views.enumerated() {
      view.setImage(from: "http://a.test/\(number)", options: bench.options)
    }
    var urgent = ImageRequest(url: URL(string: "http://a.test/2") ?? URL(filePath: "/"))
    for priority in [ImageRequest.Priority.high, .low] {
      urgent.priority = priority
      views[2].setImage(from: urgent, options: bench.options)
    }
    bench.transport.transfers[0].respond(with: SlotBench.red)
    #expect(bench.transport.transfers.last?.request.url.lastPathComponent == "2")
  }

  @Test("AF-I2 a repeated request joins the running load of the same image")
  func repeatedRequestJoinsTheLoad() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: bench.options,
      completion: recorder.completion)
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    #expect(view.image === placeholder)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(bench.transport.transfers.count == 1)
    #expect(recorder.images.count == 2)
    #expect(view.image === recorder.images[1])
  }

  @Test func requestToAnotherDownloaderDoesNotJoinTheLoad() async throws {
    let other = FakeTransport()
    var options = bench.options
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    options.downloader = ImageDownloader(transports: [other], decoder: bench.decoder, cache: nil)
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await other.waitUntilStarted(1)
    other.transfers[0].respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.cancelled])
    #expect(view.image === recorder.images.first)
  }

  @Test("AF-I5 an image that is cancelled and requested again at once loads")
  func imageLoadsWhenRequestedAgainAfterCancel() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    view.cancelImageLoad()
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.cancelled])
    #expect(view.image === recorder.images.first)
  }

  @Test("AF-I8 SD-W30 YY-B10 the response to an older request is never shown")
  func responseToAnOlderRequestIsNotShown() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/old", options: bench.options, completion: recorder.completion)
    let old = try await bench.transfer(1)
    view.setImage(from: "http://a.test/new", options: bench.options, completion: recorder.completion)
    let new = try await bench.transfer(2)
    old.respond(with: SlotBench.large)
    await recorder.wait(for: 1)
    #expect(recorder.errors == [.cancelled])
    #expect(view.image == nil)
    new.respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image === recorder.images.first)
    #expect(view.image?.sourceWidth == 100)
  }

  @Test("AF-I9 YY-B13 a released view cancels its load; the completion is called once")
  func releasedViewCancelsItsLoad() async throws {
    var view: ImageView? = ImageView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    weak var watched: ImageView?
    watched = view

    view?.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    view = nil
    await recorder.wait()

    #expect(watched == nil)
    #expect(transfer.isCancelled)
    #expect(recorder.errors == [.cancelled])
  }

  @Test("AF-I10 a nil URL cancels the running load")
  func nilURLCancelsTheRunningLoad() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    view.imageURL = nil
    await recorder.wait()

    #expect(transfer.isCancelled)
    #expect(view.image == nil)
    #expect(view.pendingSlots == 0)
  }

  @Test("SD-W26 a URL and its text are the same request") func urlAndItsTextAreTheSameRequest() async throws {
    let view = bench.view()

    view.setImage(
      from: try ImageRequest("http://a.test/1").url, options: bench.options, completion: recorder.completion)
    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image === recorder.images.first)
    #expect(view.imageURL == "http://a.test/1")
    #expect(bench.transport.transfers.count == 1)
  }

  @Test("YY-B29 two views that request one image share one transfer")
  func viewsWithTheSameRequestShareATransfer() async throws {
    let views = [bench.view(), bench.view()]

    for view in views {
      view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    }
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(bench.transport.transfers.count == 1)
    #expect(views[0].image != nil)
    #expect(views[0].image === views[1].image)
  }

  @Test func requestThatDiffersDoesNotJoinTheLoad() async throws {
    let view = bench.view()
    let plain = try ImageRequest("http://a.test/1")
    var round = plain
    round.transforms = [.circle()]
    var sized = plain
    sized.targetSize = DecodeTarget(width: 20, height: 20)
    var reloaded = plain
    reloaded.cachePolicy = .reload

    for request in [plain, round, sized, reloaded] {
      view.setImage(from: request, options: bench.options, completion: recorder.completion)
    }
    view.setImage(
      from: plain, additionalIdentifier: "a", options: bench.options, completion: recorder.completion)
    await recorder.wait(for: 4)
    bench.transport.running.first?.respond(with: SlotBench.red)
    await recorder.wait(for: 5)

    #expect(recorder.errors == [.cancelled, .cancelled, .cancelled, .cancelled])
    #expect(view.image === recorder.images.first)
    #expect(view.pendingSlots == 0)
  }
}
