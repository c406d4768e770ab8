import Glibc
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Memory that previews reserve from the shared budget, and when it is released.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PreviewMemoryTests {
  /// 64x48 pixels.
  private let pixels = 12_288

  @Test func noPreviewIsDecodedWhenItDoesNotFitTheBudget() async throws {
    // The body and a copy of it fit the budget, a decoded image does not.
    let world = PreviewWorld(budget: 20_000)
    let holder = RecordingHolder()
    world.ledger.register(holder, as: .cache)
    let task = world.load(nil)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    try await holder.waitUntilAsked(1)
    try await world.waitUntilDecoded()
    transfer.send(world.body(5000..<5500))
    transfer.send(world.body(5500..<6000))
    try await world.waitUntilDecoded()
    #expect(holder.threads.count == 1, "eviction is not requested for each chunk")
    world.clock.advance(by: 0.2)
    transfer.send(world.body(6000..<6500))
    try await holder.waitUntilAsked(2)
    try await world.waitUntilDecoded()

    #expect(world.decoder.previewCalls.isEmpty)
    #expect(!holder.threads.contains(pthread_self()), "a transport's thread does not evict")
    #expect(world.ledger.usage.decoding == 0)
    #expect(world.ledger.peak <= 20_000)
    transfer.send(world.body(6500...))
    transfer.finish()
    _ = try await task.response
  }

  @Test func bodyIsNotCopiedForAPreviewBeyondTheBudget() async throws {
    let world = PreviewWorld(budget: 9000)
    let task = world.load(nil)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    try await world.waitUntilDecoded()

    #expect(world.ledger.peak == 5000)
    #expect(world.decoder.previewCalls.isEmpty)
    task.cancel()
  }

  @Test func cachedImageIsEvictedForAPreview() async throws {
    let world = PreviewWorld(budget: 40_000)
    world.cache.insert(.solid(width: 85, height: 100), for: request("old"), additionalIdentifier: nil)
    #expect(world.ledger.usage.cache == 34_000)
    let recorder = Recorder<Image>()
    world.load(recorder)
    world.begin().send(world.body(..<5000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoded()
    #expect(world.ledger.usage.cache == 0)
  }

  @Test func previewDecoderMemoryCountsUntilTheImageIsComplete() async throws {
    // Fits two bodies, one image and the memory of one decoder.
    let world = PreviewWorld(budget: 85_000, previewMemoryKept: 50_000)
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()
    for step in 1...2 {
      transfer.send(world.body(step * 4000 - 4000..<step * 4000))
      _ = try await recorder.wait(for: step)
      try await world.waitUntilDecoding(bytes: 50_000)
      #expect(world.ledger.usage.decoding == 50_000)
      world.clock.advance(by: 1)
    }
    #expect(world.ledger.peak >= 4000 + 4000 + pixels + 50_000)
    #expect(world.ledger.peak <= 85_000)
    transfer.send(world.body(8000...))
    transfer.finish()
    _ = try await task.response
    await world.downloader.drain()
    #expect(world.ledger.usage.decoding == 0)
  }

  @Test(arguments: [false, true])
  func previewDecoderIsEvictedForACompleteImage(isPaused: Bool) async throws {
    // Fits either the memory of one decoder or an image of 100x100 pixels.
    let world = PreviewWorld(budget: 85_000, previewMemoryKept: 50_000)
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoding(bytes: 50_000)
    if isPaused { task.pause() }
    do {
      let plainLoad = world.load(nil, .none, name: "b.jpg")
      world.begin(1).respond(with: FakeDecoder.encodedImage(width: 100, height: 100))
      _ = try await plainLoad.response
    }
    #expect(world.ledger.usage.decoding == 0)
    #expect(world.ledger.peak <= 85_000)
    guard !isPaused else { return }

    world.cache.removeAllImages()
    try await until { world.ledger.usage.shown == 0 }
    world.clock.advance(by: 1)
    transfer.send(world.body(5000..<6000))
    _ = try await recorder.wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.decoder) == [0, 1])
  }

  @Test func completeImageEvictsNoMorePreviewDecodersThanItNeeds() async throws {
    // Fits the memory of two decoders while a preview is made, but not an image of 100x100 pixels as well.
    let world = PreviewWorld(budget: 130_000, previewMemoryKept: 50_000)
    let recorder = [Recorder<Image>(), Recorder<Image>()]
    for (index, previews) in recorder.enumerated() {
      world.load(previews, name: "\(index).jpg")
      world.begin(index).send(world.body(..<5000))
      _ = try await previews.wait(for: 1)
      try await world.waitUntilDecoding(bytes: 50_000 * (index + 1))
    }

    do {
      let plainLoad = world.load(nil, .none, name: "whole.jpg")
      world.begin(2).respond(with: FakeDecoder.encodedImage(width: 100, height: 100))
      _ = try await plainLoad.response
    }
    #expect(world.ledger.usage.decoding == 50_000)
    #expect(world.ledger.peak <= 130_000)

    world.cache.removeAllImages()
    try await until { world.ledger.usage.shown == 0 }
    world.clock.advance(by: 1)
    world.transport.transfers[1].send(world.body(5000..<6000))
    _ = try await recorder[1].wait(for: 2)
    #expect(world.decoder.previewCalls.map(\.decoder) == [0, 1, 1])
  }

  /// A world whose decoder keeps 50,000 bytes after it has made a preview of half an image.
  private func worldThatKeeps50000() async throws -> (PreviewWorld, FakeTransfer, ImageTask) {
    let world = PreviewWorld(previewMemoryKept: 50_000)
    let recorder = Recorder<Image>()
    let task = world.load(recorder)
    let transfer = world.begin()
    transfer.send(world.body(..<5000))
    _ = try await recorder.wait(for: 1)
    try await world.waitUntilDecoding(bytes: 50_000)
    return (world, transfer, task)
  }

  @Test func previewDecoderIsReleasedOnlyUnderCriticalPressure() async throws {
    let (world, _, task) = try await worldThatKeeps50000()
    world.ledger.handlePressure(.warning)
    #expect(world.ledger.usage.decoding == 50_000)
    world.ledger.handlePressure(.critical)
    #expect(world.ledger.usage.decoding == 0)
    task.cancel()
  }

  @Test func cancellingTheOnlyTaskReleasesItsPreviewDecoder() async throws {
    let (world, _, task) = try await worldThatKeeps50000()
    #expect(world.ledger.usage.decoding == 50_000)
    task.cancel()
    #expect(world.ledger.usage.decoding == 0)
  }

  @Test func failedPreviewDecoderReleasesItsMemory() async throws {
    let (world, transfer, task) = try await worldThatKeeps50000()
    world.clock.advance(by: 1)
    transfer.send([FakeProgressiveDecoder.damage])
    try await world.waitUntilDecoded()
    #expect(world.ledger.usage.decoding == 0)
    task.cancel()
  }

  /// Reasons why a preview decoder is discarded.
  enum End: CaseIterable {
    case cancelled, completed, anotherBody, noPreviewsAreNeeded
  }

  @Test(arguments: End.allCases) func previewDecoderIsReleasedWhileNoLockIsHeld(end: End) async throws {
    let transport = FakeTransport()
    let clock = ManualLoadingClock()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    configuration.retries = RetryPolicy(limit: 1)
    let decoder = ReleaseObservingDecoder()
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: decoder, cache: nil)
    // Deadlocks if the downloader's lock is held here.
    decoder.onRelease { [weak downloader] in _ = downloader?.isRunning }
    var request = request("a.jpg")
    request.progressive = .scans
    let recorder = Recorder<Image>()
    let task = downloader.load(request, preview: { recorder.add($0) })
    request.progressive = .none
    let other = downloader.load(request)
    transport.transfers[0].respond(expectedLength: 10_000)
    transport.transfers[0].send(Array(PreviewWorld.fullBody[..<5000]))
    _ = try await recorder.wait(for: 1)
    try await until { downloader.ledger.usage.decoding == 0 }
    clock.advance(by: 1)

    switch end {
    case .cancelled:
      task.cancel()
      other.cancel()
    case .completed:
      transport.transfers[0].send(Array(PreviewWorld.fullBody[5000...]))
      transport.transfers[0].finish()
    case .noPreviewsAreNeeded:
      task.cancel()
      transport.transfers[0].send(Array(PreviewWorld.fullBody[5000..<6000]))
    case .anotherBody:
      transport.transfers[0].fail(.transport(.connectionLost, message: "reset"))
      try blockUntil {
        guard transport.transfers.count < 2 else { return true }
        clock.advance(by: 1)
        return false
      }
      transport.transfers[1].respond(expectedLength: 10_000)
      transport.transfers[1].send(Array(PreviewWorld.fullBody[..<6000]))
    }

    try await decoder.released.wait()
    other.cancel()
    task.cancel()
  }
}

extension PreviewWorld {
  /// Waits until exactly `bytes` count as being decoded.
  fileprivate func waitUntilDecoding(bytes: Int) async throws {
    try await until { ledger.usage.decoding == bytes }
  }
}

/// Releases nothing, and records the threads that ask it to release memory.
private final class RecordingHolder: MemoryHolder {
  private let callingThreads = Mutex<[pthread_t]>([])

  var threads: [pthread_t] { callingThreads.withLock { $0 } }

  func waitUntilAsked(_ count: Int) async throws {
    try await until { threads.count >= count }
  }

  func count(against ledger: MemoryLedger) {}
  func release(bytes: Int) { callingThreads.withLock { $0.append(pthread_self()) } }
  func handlePressure(_ pressure: MemoryPressure) {}
}

/// Calls a closure when one of its preview decoders is released.
private final class ReleaseObservingDecoder: ImageDecoding {
  final class ReleaseSignal: Sendable {
    private let count = Atomic(0)
    func note() { count.add(1, ordering: .relaxed) }
    func wait() async throws {
      try await until { count.load(ordering: .relaxed) != 0 }
    }
  }

  private final class Previews: ProgressiveImageDecoding {
    private let decoder: any ProgressiveImageDecoding
    private let onDeinit: @Sendable () -> Void

    init(_ decoder: any ProgressiveImageDecoding, onDeinit: @escaping @Sendable () -> Void) {
      self.decoder = decoder
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image? {
      try decoder.image(of: data, expectedLength: expectedLength)
    }
  }

  let released = ReleaseSignal()
  private let fake = FakeDecoder(showsPreviews: true)
  private let releaseHandler = Mutex<(@Sendable () -> Void)?>(nil)

  func onRelease(_ call: @escaping @Sendable () -> Void) { releaseHandler.withLock { $0 = call } }

  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
    try fake.decode(data, options: options)
  }

  func progressiveDecoder(
    _ style: ImageRequest.Progressive, options: DecodeOptions
  ) -> (any ProgressiveImageDecoding)? {
    fake.progressiveDecoder(style, options: options).map { decoder in
      Previews(decoder) { [released, call = releaseHandler.withLock { $0 }] in
        call?()
        released.note()
      }
    }
  }
}
