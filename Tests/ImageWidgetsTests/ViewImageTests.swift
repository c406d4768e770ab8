import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

@Suite(.timeLimit(.minutes(1)))
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

  @Test("AF-I3 YY-B16 the placeholder stays when the load fails, and the status is reported")
  func placeholderStaysWhenTheLoadFails() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: bench.options,
      completion: recorder.completion)
    try await bench.transfer(1).fail(.status(404))
    await recorder.wait()

    #expect(recorder.errors == [.status(404)])
    #expect(view.image === placeholder)
  }

  @Test func failureImageIsShownWhenTheLoadFails() async throws {
    let view = bench.view()
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(.emptyBody)
    await recorder.wait()

    #expect(view.image === options.failureImage)
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

  @Test("AF-I6 AF-I7 SD-W24 YY-B8 a missing URL shows the placeholder and fails once, later")
  func missingURLShowsThePlaceholderAndFailsLater() async {
    bench.cache.keepsWeakReferences = true
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)

    view.setImage(
      from: nil, placeholder: placeholder, options: bench.options, completion: recorder.completion)
    #expect(recorder.results.isEmpty)
    #expect(view.image === placeholder)
    await recorder.wait()
    view.setImage(from: "not a url", options: bench.options, completion: recorder.completion)
    await recorder.wait(for: 2)

    #expect(recorder.errors == [.invalidURL(""), .invalidURL("not a url")])
    #expect(bench.transport.transfers.isEmpty)
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
    weak let watched = view

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

  @Test("AF-I12 a request asks for images by its Accept header")
  func requestSendsTheDefaultAcceptHeader() async throws {
    let view = bench.view()

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(try await bench.transfer(1).request.headers["Accept"] == ImageRequest.defaultAccept)
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
    let view = bench.view()
    let (options, completion) = (bench.options, recorder.completion)
    let load = { @MainActor in
      view.setImage(from: "http://a.test/1", options: options, completion: completion)
    }

    await Task.detached { await load() }.value
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
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

  @Test func plainViewShowsAnImageAsItsContents() async throws {
    let view = View(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    bench.window.addSubview(view)

    view.setImage(from: "http://a.test/1", options: bench.options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.contents === recorder.images.first)
  }

  @Test("YY-B7 a load without a placeholder clears the image at once")
  func loadWithoutPlaceholderClearsTheImageAtOnce() async {
    let view = bench.view()
    view.image = .solid(width: 3, height: 3)

    view.setImage(from: "http://a.test/1", options: bench.options)

    #expect(view.image == nil)
  }

  @Test("YY-B7 the policy keeps the previous image, with or without a placeholder", arguments: [true, false])
  func keepsPreviousPolicyKeepsTheImageUntilTheNewImageLoads(hasPlaceholder: Bool) async throws {
    let view = bench.view()
    let old = Image.solid(width: 3, height: 3)
    view.image = old
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(
      from: "http://a.test/1", placeholder: hasPlaceholder ? .solid(width: 1, height: 1) : nil,
      options: options, completion: recorder.completion)
    #expect(view.image === old)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(view.image === recorder.images.first)
  }

  @Test(arguments: ["not a url", "cover.jpg", ""], [false, true])
  func keepsPreviousPolicyKeepsTheImageForAnInvalidURL(text: String, isLoading: Bool) async {
    let view = bench.view()
    let old = Image.solid(width: 3, height: 3)
    view.image = old
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious
    if isLoading { view.setImage(from: "http://a.test/1", options: options) }

    view.setImage(
      from: text, placeholder: .solid(width: 1, height: 1), options: options, completion: recorder.completion)
    #expect(view.image === old)
    await recorder.wait()

    #expect(recorder.errors == [.invalidURL(text)])
    #expect(view.image === old)
    #expect(view.imageURL == nil)
  }

  @Test func invalidURLWithoutAPreviousImageShowsThePlaceholder() {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(from: "not a url", placeholder: placeholder, options: options)
    #expect(view.image === placeholder)
    options.failureImage = .solid(width: 2, height: 2)
    view.setImage(from: "not a url", placeholder: placeholder, options: options)
    #expect(view.image === options.failureImage, "as after a failed load")
  }

  @Test func nilURLClearsTheImageDespiteKeepsPreviousPolicy() {
    let view = bench.view()
    view.image = .solid(width: 3, height: 3)
    var options = bench.options
    options.placeholderPolicy = .keepsPrevious

    view.setImage(from: nil, options: options)
    #expect(view.image == nil)
  }

  @Test func onFailurePolicyShowsThePlaceholderOnlyAfterAFailure() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    var options = bench.options
    options.placeholderPolicy = .onFailure

    view.setImage(
      from: "http://a.test/1", placeholder: placeholder, options: options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(1).fail(.status(500))
    await recorder.wait()

    #expect(view.image === placeholder)
  }

  @Test func neverPolicyHidesThePlaceholderForAMissingURL() {
    let view = bench.view()
    var options = bench.options
    options.placeholderPolicy = .never

    view.setImage(from: nil, placeholder: .solid(width: 1, height: 1), options: options)

    #expect(view.image == nil)
  }

  @Test func newLoadReplacesTheFailureImage() async throws {
    let view = bench.view()
    var options = bench.options
    options.failureImage = .solid(width: 2, height: 2)

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).fail(.status(503))
    await recorder.wait()
    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    #expect(view.image == nil)
    try await bench.transfer(2).respond(with: SlotBench.red)
    await recorder.wait(for: 2)

    #expect(view.image === recorder.images.first)
    #expect(view.pendingSlots == 0)
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

  @Test("YY-B9 the options may leave the image to the completion")
  func optionsMayLeaveTheImageToTheCompletion() async throws {
    let view = bench.view()
    var options = bench.options
    options.setsImage = false

    view.setImage(from: "http://a.test/1", options: options, completion: recorder.completion)
    try await bench.transfer(1).respond(with: SlotBench.red)
    await recorder.wait()

    #expect(recorder.images.count == 1)
    #expect(view.image == nil)
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
