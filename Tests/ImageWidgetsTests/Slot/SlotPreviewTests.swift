import Testing
import VitrineGraphics
import VitrineImageWidgets
import VitrineLoading
import VitrineTesting
import VitrineWidgets

/// The previews that slots show while their images load.
@Suite(.timeLimit(.minutes(5)))
struct SlotPreviewTests: PreviewSlots {
  let bench = SlotBench()
  private let recorder = CompletionRecorder()
  private let placeholder = Image.solid(Color(hex: 0x333333), width: 4, height: 4)

  @Test("YY-B15 a preview fades in for 0.4 s, then the final image for 0.2 s")
  func previewAndFinalImageFadeInForTheirDurations() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)

    try await send(0..<5000, of: transfer) { view.image }
    let preview = try #require(view.image)
    #expect(preview.isPreview)
    bench.window.update(at: 1.1)
    bench.window.update(at: 1.3)
    #expect(seen == [placeholder, preview])
    bench.window.update(at: 1.49)
    #expect(view.isInTransition)
    bench.window.update(at: 1.51)
    #expect(!view.isInTransition)
    #expect(view.isLoadingImage)

    finish(transfer, from: 5000)
    await recorder.wait()
    bench.window.update(at: 2)
    bench.window.update(at: 2.1)
    #expect(seen == [preview, recorder.images[0]])
    bench.window.update(at: 2.19)
    #expect(view.isInTransition)
    bench.window.update(at: 2.21)
    #expect(!view.isInTransition)
    #expect(bench.images.map(\.image) == recorder.images)
    #expect(recorder.results.count == 1)
  }

  @Test("SD-W27 neither a preview, nor the final image over it, uses the slot's transition")
  func previewsIgnoreTheTransitionOfTheSlot() async throws {
    let view = bench.view()
    bench.run(until: 1)
    var options = self.options
    options.transition = Transition(kind: .slide(.left), duration: 0.2, curve: .linear)
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)

    try await send(0..<5000, of: transfer) { view.image }
    bench.window.update(at: 2)
    bench.window.update(at: 2.2)
    #expect(view.isInTransition)
    #expect(bench.images.allSatisfy { $0.destination == view.frame })
    bench.run(until: 3)
    finish(transfer, from: 5000)
    await recorder.wait()
    bench.window.update(at: 4)
    bench.window.update(at: 4.1)
    #expect(view.isInTransition)
    #expect(bench.images.allSatisfy { $0.destination == view.frame })
  }

  @Test func spinnerOverAPreviewReturnsAfterAPause() async throws {
    let view = bench.view()
    bench.run(until: 1)
    var options = self.options
    options.indicator = .automatic
    view.setImage(from: try request(), options: options)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    bench.run(until: 3)
    #expect(bench.images.count == 2, "the preview and the spinner")
    let key = try #require(view.latestLoadOperationKey)
    let task = try #require(view.loadOperation(forKey: key) as? ImageTask)

    task.pause()
    await drainMainQueue()
    bench.run(until: 5)
    #expect(bench.images.count == 1)
    task.resume()
    await drainMainQueue()
    bench.run(until: 7)

    #expect(bench.images.count == 2)
    view.cancelImageLoad()
  }

  @Test func slotWithoutTransitionsShowsPreviewsAtOnce() async throws {
    let view = bench.view()
    bench.run(until: 1)
    var options = self.options
    options.transition = .none
    view.setImage(from: try request(), options: options)
    try await send(0..<5000, of: try await bench.transfer(1)) { view.image }
    #expect(!view.isInTransition)
  }

  /// Otherwise each preview would cut the fade of the previous preview short.
  @Test func nextPreviewWaitsForTheFade() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<2000, of: transfer) { view.image }
    let first = try #require(view.image)
    bench.window.update(at: 1.1)
    bench.window.update(at: 1.2)

    for step in 1...2 {
      bench.clock.advance(by: 1)
      transfer.send(Array(Self.whole[step * 2000..<step * 2000 + 2000]))
      try await until { bench.decoder.previewCalls.count >= step + 1 }
      try await until { bench.downloader.ledger.usage.decoding == 0 }
      await drainMainQueue(rounds: 100)
      #expect(view.image == first)
    }
    bench.window.update(at: 1.6)
    try await until { view.image != first }

    // The newest preview is shown: 60 % have arrived, and 0.6 × 255 = 153.
    #expect(view.image?.bitmap.withUnsafeBytes { $0[3] } == 153)
    bench.window.update(at: 1.7)
    bench.window.update(at: 1.9)
    #expect(seen.contains(first))
  }

  /// The placeholder does not reappear between a preview that has hardly faded in and the final image.
  @Test func finalImageContinuesTheFadeOfThePreview() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<2000, of: transfer) { view.image }
    bench.window.update(at: 1.1)
    bench.window.update(at: 1.25)
    let before = try #require(fraction)
    #expect(before > 0 && before < 0.5)

    finish(transfer, from: 2000)
    await recorder.wait()
    #expect(fraction == before)
    #expect(seen == [placeholder, recorder.images[0]])
    bench.window.update(at: 1.3)
    #expect(try #require(fraction) > before)
    bench.window.update(at: 1.51)
    #expect(bench.images.map(\.image) == recorder.images)
    #expect(!view.isInTransition)
  }

  // MARK: Reuse

  @Test func slotThatDoesNotSetItsImageShowsNoPreview() async throws {
    let view = bench.view()
    var options = self.options
    options.setsImage = false
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    transfer.respond(expectedLength: 10_000)
    transfer.send(Array(Self.whole[..<5000]))
    try await until { !bench.decoder.previewCalls.isEmpty }
    try await until { bench.downloader.ledger.usage.decoding == 0 }
    await drainMainQueue(rounds: 100)
    #expect(view.image == nil)
    finish(transfer, from: 5000)
    await recorder.wait()
    #expect(view.image == nil)
    #expect(recorder.results.count == 1)
  }

  @Test func customPresentationReceivesPreviews() async throws {
    let view = bench.view()
    var options = self.options
    var shown: [Image?] = []
    options.showsImage = { _, image in shown.append(image) }
    view.setImage(
      from: try request(), placeholder: placeholder, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { shown.last ?? nil }
    finish(transfer, from: 5000)
    await recorder.wait()
    #expect(view.image == nil)
    #expect(shown.count == 3)
    #expect(shown.map { $0?.isPreview } == [false, true, false])
  }

  // MARK: Other slots and requests

  @Test("YY-B15 buttons and highlighted images show previews too")
  func buttonsAndHighlightedImagesShowPreviews() async throws {
    let button = bench.button()
    button.setImage(from: try request("1"), for: .normal, options: options)
    try await send(0..<5000, of: try await bench.transfer(1)) { button.image(for: .normal) }
    #expect(button.image(for: .normal)?.isPreview == true)
    #expect(button.isInTransition)

    button.setBackgroundImage(from: try request("2"), for: .highlighted, options: options)
    try await send(0..<5000, of: try await bench.transfer(2)) { button.backgroundImage(for: .highlighted) }
    #expect(button.backgroundImage(for: .highlighted)?.isPreview == true)

    let view = bench.view()
    view.setHighlightedImage(from: try request("3"), options: options)
    try await send(0..<5000, of: try await bench.transfer(3)) { view.highlightedImage }
    #expect(view.highlightedImage?.isPreview == true)
  }

  @Test func laterRequestForPreviewsJoinsTheSameDownload() async throws {
    let view = bench.view()
    var whole = try request()
    whole.progressive = .none
    view.setImage(from: whole, options: options, completion: recorder.completion)
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    #expect(view.image?.isPreview == true)
    finish(transfer, from: 5000)
    await recorder.wait(for: 2)
    #expect(bench.transport.transfers.count == 1)
    #expect(view.image?.isPreview == false)
  }

  /// The download has finished, so no previews of it are shown.
  @Test func requestForPreviewsOfAFinishedDownloadSendsNoSecondRequest() async throws {
    let view = bench.view()
    var whole = try request()
    whole.progressive = .none
    whole.cachePolicy = .reload
    view.setImage(from: whole, options: options, completion: recorder.completion)
    let task = view.loadOperation(forKey: "contents") as? ImageTask
    try await bench.transfer(1).respond(with: Self.whole)
    try blockUntil { task?.isFinished != false }
    whole.progressive = .scans
    view.setImage(from: whole, options: options, completion: recorder.completion)
    #expect(bench.transport.transfers.count == 1)
    for transfer in bench.transport.running { transfer.respond(with: Self.whole) }
    await recorder.wait(for: 2)
    #expect(recorder.images.count == 2)
    #expect(!view.isLoadingImage)
  }

  @Test func slotThatLosesItsSizeDecodesAtItsPreviousSize() async throws {
    let view = bench.view()
    var whole = try request()
    whole.progressive = .none
    view.setImage(from: whole, options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    view.frame.size = .zero
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    transfer.respond(with: SlotBench.large)
    await recorder.wait(for: 2)
    #expect(bench.decoder.calls.map(\.target?.width) == [100])
  }

  @Test func activityRunsUntilTheFinalImageArrives() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let transfer = try await bench.transfer(1)
    try await send(0..<5000, of: transfer) { view.image }
    #expect(view.imageActivity.activity == .running(progress: 0.5))
    #expect(view.isLoadingImage)
    finish(transfer, from: 5000)
    await recorder.wait()
    #expect(view.imageActivity.activity == .ended(success: true))
  }

  @Test func growingSlotKeepsItsFinalImageInsteadOfAPreview() async throws {
    let view = bench.view()
    bench.run(until: 1)
    view.setImage(from: try request(), options: options, completion: recorder.completion)
    let large = FakeDecoder.encodedImage(width: 1000, height: 1000, count: 10_000)
    try await bench.transfer(1).respond(with: large)
    await recorder.wait()
    let small = try #require(view.image)
    view.frame.size = Size(width: 300, height: 300)
    let transfer = try await bench.transfer(2)
    transfer.respond(expectedLength: 10_000)
    transfer.send(Array(large[..<5000]))
    try await until { !bench.decoder.previewCalls.isEmpty }
    try await until { bench.downloader.ledger.usage.decoding == 0 }
    await drainMainQueue(rounds: 100)
    #expect(view.image == small)
  }
}
