import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Previews that are shown while an image downloads.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PreviewTests {
  @Test("YY-B20 YY-F3 SD-F3 a preview is shown at most every 0.2 s, and the complete image at the end")
  func previewsAreLimitedToOneEvery200Milliseconds() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()

    transfer.send(world.body(..<2000))
    #expect(try await recorder.wait(for: 1).count == 1)
    try await world.waitUntilDecoded()
    world.clock.advance(by: 0.19)
    transfer.send(world.body(2000..<3000))
    world.clock.advance(by: 0.01)
    transfer.send(world.body(3000..<4000))
    #expect(try await recorder.wait(for: 2).count == 2)
    try await world.waitUntilDecoded()
    transfer.send(world.body(4000...))
    transfer.finish()
    let response = try await task.response

    #expect(world.decoder.previewCalls.map(\.count) == [2000, 4000])
    #expect(world.decoder.previewCalls.allSatisfy { $0.expectedLength == 10_000 })
    #expect(recorder.values.allSatisfy { $0.isPreview && $0.pixelWidth == 64 })
    #expect(!response.image.isPreview)
    #expect(task.preview == nil)
    #expect(world.decoder.calls.count == 1)
  }

  @Test("YY-B20 blurred previews are shown every 0.4 s")
  func blurredPreviewsAreLimitedToOneEvery400Milliseconds() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    world.load(recorder, .blurred)
    let transfer = world.begin()

    transfer.send(world.body(..<2000))
    _ = try await recorder.wait(for: 1)
    for count in 1...4 {
      try await world.waitUntilDecoded()
      world.clock.advance(by: 0.1)
      transfer.send(world.body(count * 1000 + 1000..<count * 1000 + 2000))
    }

    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [2000, 6000])
  }

  @Test(
    "YY-B21 the style that a request asks for reaches the decoder",
    arguments: [
      ImageRequest.Progressive.scans, .blurred,
    ])
  func requestedStyleReachesTheDecoder(style: ImageRequest.Progressive) async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    world.load(recorder, style, target: DecodeTarget(width: 32, height: 32))

    world.begin().send(world.body(..<2000))

    #expect(try await recorder.wait(for: 1).map(\.pixelHeight) == [32])
    #expect(world.decoder.previewCalls.map(\.style) == [style])
    #expect(world.decoder.previewCalls[0].options.target == DecodeTarget(width: 32, height: 32))
  }

  @Test("SD-D28 one decoder receives all bytes") func oneDecoderReceivesAllBytes() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    world.load(recorder)
    let transfer = world.begin()

    for step in 1...4 {
      transfer.send(world.body(step * 2000 - 2000..<step * 2000))
      _ = try await recorder.wait(for: step)
      try await world.waitUntilDecoded()
      world.clock.advance(by: 1)
    }

    #expect(world.decoder.previewCalls.map(\.count) == [2000, 4000, 6000, 8000])
    #expect(world.decoder.previewCalls.allSatisfy { $0.decoder == 0 })
  }

  @Test("a preview has the size of the complete image")
  func previewHasTheSizeOfTheCompleteImage() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder, target: DecodeTarget(width: 32, height: 24))
    let transfer = world.begin()
    transfer.send(world.body(..<2000))
    let preview = try #require(try await recorder.wait(for: 1).first)
    transfer.send(world.body(2000...))
    transfer.finish()
    let loaded = try await task.response.image

    #expect((preview.pixelWidth, preview.pixelHeight) == (loaded.pixelWidth, loaded.pixelHeight))
    #expect((preview.sourceWidth, preview.sourceHeight) == (64, 48))
    #expect(preview.isPreview && !loaded.isPreview)
  }

  @Test("YY-F35 less than 1,024 bytes and at least 99 % of a body have no preview")
  func veryShortAndNearlyCompleteBodiesHaveNoPreview() async throws {
    let world = PreviewWorld()
    let task = world.load(nil)
    let transfer = world.begin()
    transfer.send(world.body(..<1023))
    world.clock.advance(by: 1)
    transfer.send(world.body(1023..<9900))
    transfer.send(world.body(9900...))
    transfer.finish()
    _ = try await task.response
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test func requestWithoutPreviewsDecodesNone() async throws {
    let world = PreviewWorld()
    let task = world.load(nil, .none)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    transfer.send(world.body(5000...))
    transfer.finish()
    _ = try await task.response
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test func dataURLHasNoPreviews() async throws {
    let world = PreviewWorld()
    let data = "data:image/png;base64," + String(repeating: "A", count: 8000)
    var request = try ImageRequest(data)
    request.progressive = .scans
    _ = try? await world.downloader.load(request).response
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test func memoryHitHasNoPreviews() async throws {
    let world = PreviewWorld()
    let first = world.load(nil, .none)
    world.begin().respond(with: world.body(0...))
    _ = try await first.response
    let recorder = Recorder<Image>()
    _ = try await world.load(recorder).response
    await drainMainQueue()
    #expect(recorder.values.isEmpty)
  }

  @Test("SD-F91 a body that a modifier decrypts has no previews")
  func modifiedBodyHasNoPreviews() async throws {
    let world = PreviewWorld { $0.responses.bodyModifier = { body, _ in body } }
    let task = world.load(nil)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    transfer.send(world.body(5000...))
    transfer.finish()
    _ = try await task.response
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test(arguments: [404, 500, 206]) func failedResponseHasNoPreviews(status: Int) async throws {
    let world = PreviewWorld()
    let task = world.load(nil)
    let transfer = world.transport.transfers[0]
    transfer.respond(status: status, expectedLength: 10_000)
    transfer.send(world.body(..<5000))
    transfer.fail(.status(status))
    await #expect(throws: ImageError.status(status)) { try await task.response }
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test func eventStreamReportsPreviews() async throws {
    let world = PreviewWorld()
    let task = world.load(nil)
    let events = task.events
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    try await world.waitUntilDecoded()
    #expect(task.preview?.isPreview == true)
    transfer.send(world.body(5000...))
    transfer.finish()

    var words: [String] = []
    for await event in events {
      switch event {
      case .preview: words.append("part")
      case .finished: words.append("finished")
      default: break
      }
    }
    #expect(words == ["part", "finished"])
  }

  @Test func undeliveredPreviewIsReplacedByANewerOne() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()
    // The main actor is blocked here, so no preview is delivered.
    for step in 1...4 {
      transfer.send(world.body(step * 2000 - 2000..<step * 2000))
      try blockUntil { world.decoder.previewCalls.count >= step && world.ledger.usage.decoding == 0 }
      world.clock.advance(by: 1)
    }
    let newest = task.preview
    await drainMainQueue()
    #expect(recorder.values == [newest])
  }

  @Test func transformsAreAppliedToPreviews() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    world.load(recorder, transforms: [Doubling()])
    world.begin().send(world.body(..<5000))
    let preview = try #require(try await recorder.wait(for: 1).first)
    #expect(preview.pixelWidth == 128)
    #expect(preview.isPreview)
  }

  @Test func failingTransformEndsOnlyItsOwnPreviews() async throws {
    let world = PreviewWorld()
    let (bad, good) = (Recorder<Image>(), Recorder<Image>())
    let badTask = world.load(bad, transforms: [FailingOnPreviews()])
    world.load(good)
    let transfer = world.begin()
    for step in 1...2 {
      transfer.send(world.body(step * 2000 - 2000..<step * 2000))
      _ = try await good.wait(for: step)
      try await world.waitUntilDecoded()
      world.clock.advance(by: 1)
    }
    transfer.send(world.body(4000...))
    transfer.finish()
    _ = try await badTask.response
    #expect(bad.values.isEmpty)
  }

  @Test func previewErrorEndsPreviewsButNotTheFinalDecode() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()
    transfer.send(world.body(..<1500))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    for step in 2...4 {
      world.clock.advance(by: 1)
      transfer.send([FakeProgressiveDecoder.damage] + world.body(0..<1499).map { _ in UInt8(ascii: " ") })
      try await until { world.decoder.previewCalls.count >= 2 }
      try await world.waitUntilDecoded()
      #expect(world.decoder.previewCalls.count == 2, "after \(step) chunks")
    }
    transfer.finish()
    // The fake decoder cannot read the damaged body.
    await #expect(throws: ImageError.self) { try await task.response }
    #expect(recorder.values.count == 1)
    #expect(world.decoder.calls.count == 1)
  }

  @Test func cancelledLoadStopsTheTransformOfAPreview() async throws {
    let world = PreviewWorld()
    let transform = GatedTransform()
    let task = world.load(nil, transforms: [transform])
    world.begin().send(world.body(..<1500))
    await transform.gate.waitUntilHeld(1)

    task.cancel()
    transform.gate.open()

    try await until { transform.wasCancelled }
  }

  @Test func decoderWithoutPreviewsIsNotCalledForThem() async throws {
    let world = PreviewWorld(showsPreviews: false)
    let task = world.load(nil)
    let transfer = world.begin()
    for step in 1...4 {
      transfer.send(world.body(step * 2000 - 2000..<step * 2000))
      try await world.waitUntilDecoded()
      world.clock.advance(by: 1)
    }
    transfer.send(world.body(8000...))
    transfer.finish()
    _ = try await task.response
    #expect(world.decoder.previewCalls.isEmpty)
  }
}

/// Doubles the width and the height.
private struct Doubling: ImageTransform {
  let identifier = "doubling"
  func apply(to image: Image) -> Image {
    .solid(width: 2 * image.pixelWidth, height: 2 * image.pixelHeight)
  }
}

private struct FailingOnPreviews: ImageTransform {
  let identifier = "failing"
  func apply(to image: Image) throws(ImageError) -> Image {
    if image.isPreview { throw .transform(identifier: identifier, message: "no") }
    return image
  }
}
