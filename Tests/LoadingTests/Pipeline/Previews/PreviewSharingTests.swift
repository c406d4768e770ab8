import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Tasks that share previews: tasks join and leave.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PreviewSharingTests {
  @Test func eachTaskReceivesPreviewsOfItsStyle() async throws {
    let world = PreviewWorld()
    let (scans, blurred, plain) = (Recorder<Image>(), Recorder<Image>(), Recorder<Image>())
    let tasks = [world.load(scans), world.load(blurred, .blurred), world.load(plain, .none)]
    let events = tasks.map(\.events)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    _ = try await scans.wait(for: 1)
    _ = try await blurred.wait(for: 1)
    transfer.send(world.body(5000...))
    transfer.finish()
    for task in tasks { _ = try await task.response }

    #expect(world.transport.transfers.count == 1)
    #expect(plain.values.isEmpty)
    var counts: [Int] = []
    for stream in events {
      var count = 0
      for await event in stream { if case .preview = event { count += 1 } }
      counts.append(count)
    }
    #expect(counts == [1, 1, 0])
    #expect(Set(world.decoder.previewCalls.map(\.style)) == [.scans, .blurred])
    #expect(Set(world.decoder.previewCalls.map(\.decoder)) == [0, 1])
    #expect(world.decoder.calls.count == 1)
  }

  @Test func eachTargetSizeHasItsOwnPreviewDecoder() async throws {
    let world = PreviewWorld()
    let (small, large) = (Recorder<Image>(), Recorder<Image>())
    world.load(small, target: DecodeTarget(width: 16, height: 12))
    world.load(large, target: DecodeTarget(width: 64, height: 48))
    let transfer = world.begin()
    for step in 1...2 {
      transfer.send(world.body(step * 2000 - 2000..<step * 2000))
      #expect(try await small.wait(for: step).last?.pixelWidth == 16)
      #expect(try await large.wait(for: step).last?.pixelWidth == 64)
      try await world.waitUntilDecoded()
      world.clock.advance(by: 1)
    }
    #expect(Set(world.decoder.previewCalls.map(\.decoder)) == [0, 1])
    #expect(world.decoder.previewCalls.count == 4)
  }

  @Test func equalRequestsShareOnePreviewDecode() async throws {
    let world = PreviewWorld()
    let recorder = [Recorder<Image>(), Recorder<Image>(), Recorder<Image>()]
    for one in recorder { world.load(one) }
    world.begin().send(world.body(..<5000))
    var images: Set<Image> = []
    for one in recorder { images.formUnion(try await one.wait(for: 1)) }
    #expect(images.count == 1)
    #expect(world.decoder.previewCalls.count == 1)
  }

  @Test func joiningTaskReceivesTheCurrentPreview() async throws {
    let world = PreviewWorld()
    let first = Recorder<Image>()
    let task = world.load(first)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    let preview = try #require(try await first.wait(for: 1).first)
    try await world.waitUntilDecoded()

    let second = Recorder<Image>()
    world.load(second)
    #expect(try await second.wait(for: 1) == [preview])
    world.clock.advance(by: 1)
    transfer.send(world.body(5000..<7000))
    #expect(try await second.wait(for: 2).last == task.preview)
    #expect(world.decoder.previewCalls.count == 2)
  }

  @Test func joiningTaskStartsPreviewsOfARunningDownload() async throws {
    let world = PreviewWorld()
    world.load(nil, .none)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    let recorder = Recorder<Image>()
    world.load(recorder)
    transfer.send(world.body(5000..<6000))
    _ = try await recorder.wait(for: 1)
    #expect(world.decoder.previewCalls.map(\.count) == [6000])
  }

  @Test func cancelledTaskReceivesNoPreview() async throws {
    let (cancelled, active) = (Recorder<Image>(), Recorder<Image>())
    let gate = Gate()
    let world = PreviewWorld(previewGate: gate)
    let task = world.load(cancelled)
    world.load(active)
    world.begin().send(world.body(..<5000))
    await gate.waitUntilHeld(1)
    task.cancel()
    gate.open()
    _ = try await active.wait(for: 1)
    await drainMainQueue()
    #expect(cancelled.values.isEmpty)
    #expect(task.preview == nil)
  }

  @Test func cancellingDropsAPreviewQueuedForTheHandler() async throws {
    let world = PreviewWorld()
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    world.begin().send(world.body(..<5000))
    try blockUntil { task.preview != nil }
    task.cancel()
    await drainMainQueue()
    #expect(recorder.values.isEmpty)
  }

  @Test func noPreviewIsDecodedAfterItsOnlyTaskIsCancelled() async throws {
    let world = PreviewWorld()
    world.load(nil, .none)
    let task = world.load(nil)
    let transfer = world.begin()
    task.cancel()
    transfer.send(world.body(..<5000))
    #expect(world.ledger.usage.decoding == 0)
    try await world.waitUntilDecoded()
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test("a preview that is still being decoded at the last byte is not shown")
  func previewThatIsStillDecodedAtTheLastByteIsNotShown() async throws {
    let (gate, wholeGate) = (Gate(), Gate())
    let world = PreviewWorld(gate: wholeGate, previewGate: gate)
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let events = task.events
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    await gate.waitUntilHeld(1)
    transfer.send(world.body(5000...))
    transfer.finish()
    await wholeGate.waitUntilHeld(1)
    let both = world.ledger.usage.decoding
    gate.open()
    try await until { world.ledger.usage.decoding != both }
    wholeGate.open()
    _ = try await task.response
    await drainMainQueue()

    #expect(recorder.values.isEmpty)
    for await event in events {
      if case .preview = event { Issue.record("shown after the last byte") }
    }
  }

  @Test func previewThatIsStillTransformedAtTheLastByteIsNotShown() async throws {
    let (gate, wholeGate) = (Gate(), Gate())
    let world = PreviewWorld(gate: wholeGate)
    let recorder = Recorder<Image>()
    let task = world.load(recorder, transforms: [HeldTransform(gate: gate)])
    let events = task.events
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    await gate.waitUntilHeld(1)
    transfer.send(world.body(5000...))
    transfer.finish()
    await wholeGate.waitUntilHeld(1)

    let both = world.ledger.usage.decoding
    gate.open()
    try await until { world.ledger.usage.decoding != both }
    wholeGate.open()
    _ = try await task.response
    await drainMainQueue()

    #expect(recorder.values.isEmpty)
    for await event in events {
      if case .preview = event { Issue.record("shown after the last byte") }
    }
  }

  @Test func previewsAreDecodedOneAtATime() async throws {
    let gate = Gate()
    let world = PreviewWorld(previewGate: gate)
    let recorder = Recorder<Image>()
    world.load(recorder)
    let transfer = world.begin()
    transfer.send(world.body(..<2000))
    await gate.waitUntilHeld(1)
    world.clock.advance(by: 1)
    transfer.send(world.body(2000..<4000))
    #expect(world.decoder.previewCalls.count == 1)
    gate.open()
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    // The first preview took a second, so the next one starts no sooner than a second later.
    world.clock.advance(by: 0.9)
    transfer.send(world.body(4000..<5000))
    world.clock.advance(by: 0.1)
    transfer.send(world.body(5000..<6000))
    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.count) == [2000, 6000])
  }

  @Test func noPreviewIsDecodedWhileAllDecodingThreadsAreBusy() async throws {
    let gate = Gate()
    let world = PreviewWorld(gate: gate) { $0.decoding.threads = 1 }
    let plainLoad = world.load(nil, .none, name: "b.jpg")
    world.begin().respond(with: PreviewWorld.fullBody)
    await gate.waitUntilHeld(1)
    let recorder = Recorder<Image>()
    world.load(recorder)
    let transfer = world.begin(1)
    transfer.send(world.body(..<5000))
    gate.open()
    _ = try await plainLoad.response
    // The decoding thread becomes free shortly after the response.
    for count in 5001...9000 where world.decoder.previewCalls.isEmpty {
      transfer.send(world.body(count - 1..<count))
      await Task.yield()
    }
    _ = try await recorder.wait(for: 1)
    #expect(world.decoder.previewCalls.allSatisfy { $0.count > 5000 })
  }

  @Test func asyncCallAndPrefetchDecodeNoPreviews() async throws {
    let world = PreviewWorld()
    let request = ImageRequest(url: url(), progressive: .scans)
    async let response = world.downloader.image(for: request)
    try await world.transport.waitUntilStarted(1)
    let prefetcher = ImagePrefetcher(downloader: world.downloader)
    prefetcher.prefetch([request])
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    try await world.waitUntilDecoded()
    transfer.send(world.body(5000...))
    transfer.finish()
    _ = try await response
    #expect(world.decoder.previewCalls.isEmpty)
  }

  @Test func previewedImageIsStoredCompleteAndHasNoPreviewsFromDisk() async throws {
    let world = PreviewWorld(disk: MemoryDataCache())
    let (first, second) = (Recorder<Image>(), Recorder<Image>())
    let task = world.load(first)
    try await world.transport.waitUntilStarted(1)
    let transfer = world.begin(headers: ["Cache-Control": "max-age=60"])
    transfer.send(world.body(..<5000))
    _ = try await first.wait(for: 1)
    transfer.send(world.body(5000...))
    transfer.finish()
    _ = try await task.response
    await world.downloader.drain()
    world.cache.removeAllImages()

    let again = try await world.load(second).response

    #expect(again.source == .disk)
    #expect(!again.image.isPreview)
    #expect(second.values.isEmpty)
    #expect(world.decoder.previewCalls.count == 1)
  }
}

/// Waits at a gate, and returns its input.
private struct HeldTransform: ImageTransform {
  let gate: Gate
  let identifier = "held"

  func apply(to image: Image) -> Image {
    gate.pass()
    return image
  }
}
