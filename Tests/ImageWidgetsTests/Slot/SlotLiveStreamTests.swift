import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// Slots that show the images of a camera.
@Suite(.timeLimit(.minutes(5)))
struct SlotLiveStreamTests {
  private let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private nonisolated static let multipart: HTTPHeaders = [
    "Content-Type": "multipart/x-mixed-replace; boundary=frame"
  ]
  private nonisolated static let broken = ImageError.transport(.connectionLost, message: "lost")

  /// Options for a live stream without transitions.
  private var options: SlotOptions {
    var options = SlotOptions.live
    options.downloader = bench.downloader
    options.transition = .none
    return options
  }

  private func part(_ width: Int) -> [UInt8] {
    Array("--frame\r\n\r\n".utf8) + FakeDecoder.encodedImage(width: width, height: 10)
      + Array("\r\n--frame\r\n".utf8)
  }

  private func show(in view: View, _ options: SlotOptions) {
    view.setImage(from: "http://camera.test/1", options: options, completion: recorder.completion)
  }

  /// Responds to a request with the first images of a stream, and waits until the last of them is shown.
  private func play(_ number: Int = 1, in view: ImageView, _ widths: Int...) async throws -> FakeTransfer {
    let transfer = try await bench.transfer(number)
    transfer.respond(headers: Self.multipart)
    for width in widths { try await next(width, transfer, in: view) }
    return transfer
  }

  private func next(_ width: Int, _ transfer: FakeTransfer, in view: ImageView) async throws {
    transfer.send(part(width))
    try await until { view.image?.pixelWidth == width }
  }

  @Test func imagesOfACameraReplaceEachOther() async throws {
    let view = bench.view()
    let placeholder = Image.solid(width: 1, height: 1)
    view.setImage(
      from: "http://camera.test/1", placeholder: placeholder, options: options,
      completion: recorder.completion)
    #expect(view.image === placeholder)
    #expect(view.isLoadingImage)

    let transfer = try await play(in: view, 10)
    #expect(!view.isLoadingImage)
    #expect(view.imageActivity.activity == .ended(success: true))
    #expect(bench.window.isLoaded)
    try await next(20, transfer, in: view)
    try await next(30, transfer, in: view)

    #expect(recorder.images.map(\.pixelWidth) == [10], "the completion gets the first image")
    #expect(view.imageURL == "http://camera.test/1")
    #expect(
      bench.cache.image(for: try ImageRequest("http://camera.test/1"), additionalIdentifier: nil) == nil)
  }

  @Test func firstImageIsDissolvedAndLaterOnesWaitForItsTransition() async throws {
    let view = bench.view()
    var options = options
    options.transition = .crossDissolve(0.5)
    options.transition.when = .always
    show(in: view, options)
    bench.run(until: 0.1)
    let transfer = try await play(in: view, 10)
    transfer.send(part(20))
    transfer.send(part(30))
    await drainMainQueue(rounds: 20)
    bench.run(until: 0.3)
    #expect(view.image?.pixelWidth == 10)
    #expect(bench.images.contains { $0.opacity < 1 })

    bench.run(until: 0.8)
    try await until { view.image?.pixelWidth == 30 }
  }

  @Test func connectionIsClosedWhileTheViewIsNotVisible() async throws {
    let view = bench.view()
    show(in: view, options)
    let first = try await play(in: view, 10)
    view.isHidden = true
    first.send(part(20))
    try await until { first.isCancelled }
    await drainMainQueue(rounds: 3)
    let last = view.image

    view.isHidden = false
    bench.draw()
    let second = try await bench.transfer(2)
    #expect(view.image === last, "the last image stays")
    second.respond(headers: Self.multipart)
    try await next(30, second, in: view)
    #expect(bench.transport.transfers.count == 2)
  }

  @Test func connectionIsClosedForAStateThatTheButtonDoesNotShow() async throws {
    let button = bench.button()
    button.setImage(from: "http://camera.test/1", for: .highlighted, options: options)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: Self.multipart)
    transfer.send(part(10))
    try await until { transfer.isCancelled }
    #expect(button.image(for: .highlighted)?.pixelWidth == 10)
    bench.draw()
    await drainMainQueue(rounds: 3)
    #expect(bench.transport.transfers.count == 1)

    button.isHighlighted = true
    bench.draw()
    _ = try await bench.transfer(2)
  }

  @Test func connectionIsClosedWhenTheWindowHasNotBeenDrawnForASecond() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await play(in: view, 10)
    bench.draw()
    bench.window.update(at: 0.9)
    try await next(20, transfer, in: view)
    await drainMainQueue(rounds: 3)
    #expect(!transfer.isCancelled)

    bench.window.update(at: 2)
    transfer.send(part(30))
    try await until { transfer.isCancelled }
    bench.draw()
    _ = try await bench.transfer(2)
  }

  @Test func slowCameraKeepsItsConnection() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await play(in: view, 10)
    for number in 1...4 {
      bench.draw()
      bench.window.update(at: Double(number) * 5)
      try await next(10 + number, transfer, in: view)
      await drainMainQueue(rounds: 3)
    }
    #expect(!transfer.isCancelled)
    #expect(bench.transport.transfers.count == 1)
  }

  @Test(arguments: [nil, 1.0]) func emptyResponseFailsAndIsRequestedAgain(interval: Double?) async throws {
    let view = bench.view()
    var options = options
    options.liveStream = .init(refreshInterval: interval)
    show(in: view, options)
    try await bench.transfer(1).respond(with: [])
    await recorder.wait()
    #expect(recorder.errors == [.emptyBody])
    #expect(!view.isLoadingImage)

    bench.clock.advance(by: 60)
    let body = FakeDecoder.encodedImage(width: 10, height: 10)
    try await bench.transfer(2).respond(with: body)
    try await until { view.image?.pixelWidth == 10 }
  }

  @Test func lastImageStaysWhileABrokenStreamConnectsAgain() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await play(in: view, 10)
    transfer.fail(Self.broken)
    await drainMainQueue(rounds: 3)
    #expect(view.image?.pixelWidth == 10)

    bench.clock.advance(by: 1)
    _ = try await play(2, in: view, 20)
    #expect(recorder.results.count == 1)
  }

  @Test func failureBeforeTheFirstImageIsShownUntilTheCameraResponds() async throws {
    let view = bench.view()
    var options = options
    let failure = Image.solid(width: 3, height: 3)
    options.failureImage = failure
    show(in: view, options)
    try await bench.transfer(1).fail(Self.broken)
    await recorder.wait()
    #expect(recorder.errors == [Self.broken])
    #expect(view.image === failure)
    #expect(!view.isLoadingImage)

    bench.clock.advance(by: 1)
    let transfer = try await play(2, in: view, 10)
    try await next(20, transfer, in: view)
    #expect(recorder.results.count == 1)
    #expect(view.imageActivity.activity == .ended(success: true))
  }

  @Test func emptyPartsFailTheLoadAndTheCameraIsAskedAgain() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: Self.multipart)
    for _ in 0..<11 {
      transfer.send(Array("--frame\r\n\r\n--frame\r\n\r\n".utf8))
      bench.clock.advance(by: 1)
    }
    await recorder.wait()
    #expect(recorder.errors == [.timedOut(.stall(seconds: 10))])
    #expect(transfer.isCancelled && !view.isLoadingImage)

    bench.clock.advance(by: 1)
    _ = try await play(2, in: view, 10)
  }

  @Test func connectionIsClosedInAHiddenWindow() async throws {
    let view = bench.view()
    show(in: view, options)
    let first = try await play(in: view, 10)
    bench.window.isVisible = false
    first.send(part(20))
    try await until { first.isCancelled }

    bench.window.isVisible = true
    bench.draw()
    _ = try await play(2, in: view, 30)
  }

  @Test func permanentFailureEndsTheStream() async throws {
    let view = bench.view()
    view.setImage(from: "nothing://camera.test/1", options: options, completion: recorder.completion)
    await recorder.wait()
    #expect(recorder.errors == [.unsupportedScheme("nothing")])
    bench.clock.advance(by: 1_000)
    await drainMainQueue(rounds: 3)
    #expect(recorder.results.count == 1)
  }

  @Test(arguments: ["another", "nil", "cancel", "clear", "release", "replaced by other code"])
  func streamEndsWithItsRequest(way: String) async throws {
    var view: ImageView? = bench.view()
    show(in: view!, options)
    let transfer = try await play(in: view!, 10)
    switch way {
    case "another": view?.setImage(from: "http://a.test/2", options: bench.options)
    case "nil": view?.setImage(from: nil, options: bench.options)
    case "cancel": view?.cancelImageLoad()
    case "clear": view?.imageURL = nil
    case "release":
      view?.removeFromSuperview()
      view = nil
    default:
      view?.image = .solid(width: 5, height: 5)
      transfer.send(part(20))
    }
    try await until { transfer.isCancelled }
    await drainMainQueue(rounds: 3)
    if way == "replaced by other code" { #expect(view?.image?.pixelWidth == 5) }
    if way == "cancel" { #expect(view?.image?.pixelWidth == 10) }
  }

  @Test func cancelledStreamReportsTheCancelOnce() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await bench.transfer(1)
    view.cancelImageLoad()
    await recorder.wait()
    #expect(recorder.errors == [.cancelled])
    try await until { transfer.isCancelled }
    #expect(!view.isLoadingImage)
  }

  @Test func imagesAreDecodedToTheSizeOfTheView() async throws {
    let view = bench.view()
    show(in: view, options)
    let transfer = try await play(in: view, 10)
    view.frame.size = Size(width: 300, height: 200)
    try await next(20, transfer, in: view)

    let targets = bench.decoder.calls.map(\.target)
    #expect(targets.first == DecodeTarget(width: 100, height: 100, mode: .fill))
    #expect(targets.last == DecodeTarget(width: 300, height: 200, mode: .fill))
    #expect(bench.transport.transfers.count == 1)
  }

  @Test func customPresentationGetsEachImage() async throws {
    let view = bench.view()
    var options = options
    var shown: [Int?] = []
    options.showsImage = { shown.append($1?.pixelWidth) }
    show(in: view, options)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: Self.multipart)
    for (count, width) in [(2, 10), (3, 20)] {
      transfer.send(part(width))
      try await until { shown.count == count }
    }
    #expect(shown == [nil, 10, 20])
  }

  @Test func streamThatOnlyItsCompletionShowsEndsAfterOneImage() async throws {
    let view = bench.view()
    var options = options
    options.setsImage = false
    show(in: view, options)
    let transfer = try await bench.transfer(1)
    transfer.respond(headers: Self.multipart)
    transfer.send(part(10))
    try await until { transfer.isCancelled }
    #expect(recorder.images.map(\.pixelWidth) == [10])
    #expect(view.image == nil)
  }
}
