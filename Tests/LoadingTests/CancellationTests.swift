import Dispatch
import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Cancellation of loads: the work that stops, and the work that continues for other loads.
@MainActor @Suite(.timeLimit(.minutes(5))) struct CancellationTests {
  @Test("AF-D13, AF-D29 a cancelled receipt fails with .cancelled and the URL without credentials")
  func cancelledReceiptFailsWithItsURL() async throws {
    let world = Fixture()
    let recorder = Recorder<ImageError>()
    let receipt = try #require(
      world.downloader.download("http://user:secret@a.test/a.jpg", failure: recorder.add))

    world.downloader.cancel(receipt)

    #expect(recorder.values.isEmpty, "the failure handler never runs inside the call")
    #expect(try await recorder.wait(for: 1) == [.cancelled])
    let error = try #require(recorder.values.first)
    #expect(error.failingURL == url() && error.isCancellation)
    #expect(error.description == "cancelled: http://a.test/a.jpg")
    await #expect(throws: ImageError.cancelled) { try await receipt.task.response }
    #expect(world.transport.transfers[0].isCancelled)
  }

  @Test("AF-D14 SD-D20 cancelling one of two loads of a URL leaves the other running", arguments: [0, 1])
  func cancellingOneOfTwoLoadsLeavesTheOther(which: Int) async throws {
    let world = Fixture()
    let tasks = [world.downloader.load(request()), world.downloader.load(request())]

    tasks[which].cancel()
    world.transport.transfers[0].respond(with: Fixture.body)

    await #expect(throws: ImageError.cancelled) { try await tasks[which].response }
    let other = try await tasks[1 - which].response
    #expect(other.http != nil)
  }

  @Test("AF-D15 SD-D21 more downloads than may run at once are cancelled and succeed when requested again")
  func cancelledDownloadsCanBeRequestedAgain() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 4 }
    let recorder = Recorder<Bool>()
    let names = (0..<5).map { "\($0).jpg" }

    for name in names {
      world.downloader.load(request(name), completion: { recorder.add((try? $0.get()) != nil) }).cancel()
    }
    for name in names {
      world.downloader.load(request(name), completion: { recorder.add((try? $0.get()) != nil) })
    }
    while let transfer = world.transport.running.first { transfer.respond(with: Fixture.body) }

    let outcomes = try await recorder.wait(for: 10)
    #expect(outcomes == Array(repeating: false, count: 5) + Array(repeating: true, count: 5))
  }

  @Test func cancelledLoadStopsItsTransform() async throws {
    let world = Fixture()
    let transform = GatedTransform()
    let task = world.downloader.load(request(transforms: [transform]))
    world.transport.transfers[0].respond(with: Fixture.body)
    await transform.gate.waitUntilHeld(1)

    task.cancel()
    transform.gate.open()

    try await until { transform.wasCancelled }
  }

  @Test("AF-D16 the image of a load that is cancelled at once is never cached")
  func loadCancelledAtOnceIsNotCached() async throws {
    let world = Fixture(endsCancelled: false)
    let task = world.downloader.load(request())

    task.cancel()
    world.transport.transfers[0].respond(with: Fixture.body)

    await #expect(throws: ImageError.cancelled) { try await task.response }
    #expect(world.downloader.cachedImage(for: request()) == nil)
    #expect(world.decoder.calls.isEmpty)
  }

  @Test(
    "AF-D26 SD-D27 cancelling the last load stops the download, and the URL can be requested again at once")
  func cancellingTheLastLoadStopsTheDownload() {
    let world = Fixture()
    let first = world.downloader.load(request())
    let second = world.downloader.load(request(target: DecodeTarget(width: 8, height: 8)))

    first.cancel()
    #expect(!world.transport.transfers[0].isCancelled)
    second.cancel()
    #expect(world.transport.transfers[0].isCancelled)
    world.downloader.load(request())

    #expect(world.transport.transfers.count == 2)
    #expect(!world.transport.transfers[1].isCancelled)
  }

  @Test func cancelledTasksAreReleasedBeforeTheDownloadEnds() async throws {
    let world = Fixture()
    let recorder = Recorder<Bool>()
    let running = world.downloader.load(request())
    var weakTasks: [WeakTask] = []
    for _ in 0..<1000 {
      let task = world.downloader.load(request(), completion: { _ in recorder.add(true) })
      weakTasks.append(WeakTask(task: task))
      task.cancel()
    }
    _ = try await recorder.wait(for: 1000)
    await drainMainQueue()
    #expect(weakTasks.count { $0.task != nil } < 100)
    #expect(world.transport.transfers.count == 1)
    #expect(!running.isFinished)
    running.cancel()
  }

  private struct WeakTask {
    weak var task: ImageTask?
  }

  @Test("AF-D27 the late end of a cancelled download never reaches a newer download")
  func lateEndOfACancelledDownloadIsIgnored() async throws {
    let world = Fixture(endsCancelled: false)
    world.downloader.load(request()).cancel()
    let newer = world.downloader.load(request())

    world.transport.transfers[0].respond(with: FakeDecoder.encodedImage(width: 1, height: 1))
    #expect(!newer.isFinished)
    world.transport.transfers[1].respond(with: Fixture.body)

    #expect(try await newer.response.image.pixelWidth == 64)
  }

  @Test("AF-D31 a load has exactly one outcome, however often it is cancelled")
  func loadCancelledTwiceHasOneOutcome() async throws {
    let world = Fixture()
    let recorder = Recorder<ImageError?>()
    let add: ImageTask.Completion = { result in
      if case .failure(let error) = result { recorder.add(error) } else { recorder.add(nil) }
    }
    let task = world.downloader.load(request("a.jpg"), completion: add)

    task.cancel()
    task.cancel()
    _ = try await recorder.wait(for: 1)
    task.cancel()
    world.downloader.load(request("b.jpg"), completion: add)
    world.transport.transfers[1].respond(with: Fixture.body)

    #expect(try await recorder.wait(for: 2) == [.cancelled, nil])
  }

  @Test func cancellingBeforeTheCompletionRunsTurnsSuccessIntoCancelled() async throws {
    let world = Fixture()
    try await world.loaded(request())
    let recorder = Recorder<ImageError?>()

    let task = world.downloader.load(
      request(),
      completion: { result in
        if case .failure(let error) = result { recorder.add(error) } else { recorder.add(nil) }
      })
    #expect(task.isFinished)
    task.cancel()

    #expect(try await recorder.wait(for: 1) == [.cancelled])
  }

  @Test func cancellingAfterTheCompletionDoesNothing() async throws {
    let world = Fixture()
    let recorder = Recorder<Bool>()
    let task = world.downloader.load(request(), completion: { _ in recorder.add(true) })
    world.transport.transfers[0].respond(with: Fixture.body)
    _ = try await recorder.wait(for: 1)

    task.cancel()

    #expect(try await task.response.image.pixelWidth == 64)
  }

  /// Requests an image in a task, which adds an error to the recorder.
  private func awaitImage(of world: Fixture) -> (task: Task<Void, Never>, errors: Recorder<ImageError>) {
    let errors = Recorder<ImageError>()
    let task = Task {
      do throws(ImageError) {
        _ = try await world.downloader.image(for: request())
      } catch {
        errors.add(error)
      }
    }
    return (task, errors)
  }

  @Test func cancellingTheSwiftTaskCancelsTheLoad() async throws {
    let world = Fixture()
    let (waiting, errors) = awaitImage(of: world)
    try await world.transport.waitUntilStarted(1)

    waiting.cancel()

    #expect(try await errors.wait(for: 1) == [.cancelled])
    #expect(world.transport.transfers[0].isCancelled)
  }

  @Test func cancelledSwiftTaskStartsNoDownload() async throws {
    let world = Fixture()
    let (waiting, errors) = awaitImage(of: world)
    waiting.cancel()

    #expect(try await errors.wait(for: 1) == [.cancelled])
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func newLoadAfterACancelledDecodeDownloadsAgain() async throws {
    let world = Fixture(decodingIsHeld: true)
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)

    task.cancel()
    let again = world.downloader.load(request())
    #expect(world.transport.transfers.count == 2)
    world.gate.open()
    world.transport.transfers[1].respond(with: FakeDecoder.encodedImage(width: 5, height: 5))

    #expect(try await again.response.image.pixelWidth == 5)
    await #expect(throws: ImageError.cancelled) { try await task.response }
  }

  @Test("AF-D2, AF-F34 a released downloader cancels its loads and leaks nothing")
  func releasedDownloaderCancelsItsLoads() async throws {
    let transport = FakeTransport(endsCancelled: false)
    let gate = Gate()
    var downloader: ImageDownloader? = ImageDownloader(
      transports: [transport], decoder: FakeDecoder(gate: gate))
    let recorder = Recorder<ImageError>()
    weak var weakDownloader: ImageDownloader?
    weakDownloader = downloader
    for name in ["decoding.jpg", "b.jpg", "c.jpg", "d.jpg", "waiting.jpg"] {
      downloader?.download(request(name), failure: recorder.add)
    }
    transport.transfers[0].respond(with: Fixture.body)
    await gate.waitUntilHeld(1)

    downloader = nil

    #expect(weakDownloader == nil)
    #expect(try await recorder.wait(for: 5) == Array(repeating: .cancelled, count: 5))
    #expect(transport.transfers.map(\.isCancelled) == [false, true, true, true, true])
    gate.open()
    for transfer in transport.transfers { transfer.respond(with: Fixture.body) }
  }

  @Test func engineIsReleasedWithItsDownloader() async {
    let transport = FakeTransport(endsCancelled: false)
    weak var cache: MemoryImageCache?
    do {
      let owned = MemoryImageCache()
      cache = owned
      let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), cache: owned)
      let task = downloader.load(request())
      #expect(!task.isFinished)
    }

    // The transport still holds the receiver of a transfer that has not ended.
    #expect(!transport.transfers[0].isEnded)
    #expect(cache == nil)
  }

  // MARK: Decoding

  @Test func cancellingTheLastLoadStopsTheRunningDecode() async {
    let world = Fixture(decodingIsHeld: true)
    let tasks = [world.downloader.load(request()), world.downloader.load(request())]
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)

    tasks[0].cancel()
    tasks[1].cancel()
    world.gate.open()
    await world.downloader.drain()

    #expect(world.decoder.stopCount == 1)
    #expect(world.cache.usage == 0)
  }

  @Test func runningDecodeContinuesForTheRemainingLoad() async throws {
    let world = Fixture(decodingIsHeld: true)
    let tasks = [world.downloader.load(request()), world.downloader.load(request())]
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)

    tasks[0].cancel()
    world.gate.open()
    _ = try await tasks[1].response

    #expect(world.decoder.stopCount == 0)
  }

  @Test func newLoadAfterACancelledDecodeDecodesAgain() async throws {
    let world = Fixture(decodingIsHeld: true)
    let first = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)
    first.cancel()
    let second = world.downloader.load(request())
    world.transport.transfers[1].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(2)
    world.gate.open()

    #expect(try await second.response.image.pixelWidth == 64)
    await world.downloader.drain()
    #expect(world.decoder.stopCount == 1)
  }

  @Test func transformWhoseDeinitCallsTheDownloaderMayBeReleasedByACancellation() async throws {
    // The loads wait in the queue, so that no transfer holds their tasks.
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    world.downloader.load(request("first.jpg"))
    let calls = Mutex<[Bool]>([])
    func load() -> ImageTask {
      let transform = CallingTransform { [downloader = world.downloader] in
        // Deadlocks if the lock of the downloader is held.
        _ = downloader.isRunning
      } report: { isReturned in
        calls.withLock { $0.append(isReturned) }
      }
      return world.downloader.load(request(transforms: [transform]))
    }
    // The image of both loads has the transform of the first.
    var first: ImageTask? = load()
    let second = load()
    weak var firstTask: ImageTask?
    firstTask = first
    first?.cancel()
    first = nil
    try await until { firstTask == nil }
    #expect(calls.withLock { $0.isEmpty })

    second.cancel()

    #expect(calls.withLock { $0 } == [true])
  }
}

/// A transform whose deinit makes a call on another thread, and reports whether the call has returned in time.
private final class CallingTransform: ImageTransform {
  let identifier = "calling"
  private let call: @Sendable () -> Void
  private let report: @Sendable (Bool) -> Void

  init(_ call: @escaping @Sendable () -> Void, report: @escaping @Sendable (Bool) -> Void) {
    self.call = call
    self.report = report
  }

  deinit {
    let isReturned = DispatchSemaphore(value: 0)
    BlockingThread.start { [call] in
      call()
      isReturned.signal()
    }
    report(isReturned.wait(timeout: .now() + 60) == .success)
  }

  func apply(to image: Image) -> Image { image }
}
