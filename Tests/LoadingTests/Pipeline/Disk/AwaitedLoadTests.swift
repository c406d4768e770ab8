import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The wait of a frame for a load without which the screen is empty.
@MainActor @Suite(.timeLimit(.minutes(5))) struct AwaitedLoadTests {
  private let decoding = Gate()
  private let disk = MemoryDataCache()

  /// A downloader whose disk has a response, and whose decodes wait at the gate.
  private func downloader() -> ImageDownloader {
    let response = TransportResponse(
      url: url(), status: 200, headers: ["Cache-Control": "max-age=60"])
    disk.store(
      StoredResponse(
        response: response, body: FakeDecoder.encodedImage(width: 8, height: 8), requested: 0, received: 0),
      for: request().identity)
    var configuration = ImageDownloader.Configuration()
    configuration.environment.wallClock = { 10 }
    // A clock that stands still: no lookup is late.
    configuration.environment.clock = ManualLoadingClock()
    return ImageDownloader(
      configuration: configuration, transports: [FakeTransport()], decoder: FakeDecoder(gate: decoding),
      dataCache: disk)
  }

  /// Waits on another thread, as the thread of the window does in a frame.
  private func wait(for downloader: ImageDownloader) async {
    await withCheckedContinuation { done in
      BlockingThread.start {
        downloader.waitForStoredImages(upTo: 60)
        done.resume()
      }
    }
  }

  @Test func frameWaitsForTheDecodeOfAnAwaitedLoad() async throws {
    let downloader = downloader()
    let task = downloader.load(request(), isForSlot: true, isAwaited: true)
    await decoding.waitUntilHeld(1)
    let isOpen = Flag()
    BlockingThread.start { [decoding] in
      isOpen.set()
      decoding.open()
    }

    await wait(for: downloader)

    #expect(isOpen.isSet)
    #expect(try await task.response.source == .disk)
  }

  @Test func frameDoesNotWaitForOtherDecodes() async throws {
    let downloader = downloader()
    let task = downloader.load(request(), isForSlot: true)
    await decoding.waitUntilHeld(1)

    await wait(for: downloader)

    decoding.open()
    #expect(try await task.response.source == .disk)
  }

  @Test func frameDoesNotWaitForACancelledLoad() async throws {
    let downloader = downloader()
    let task = downloader.load(request(), isForSlot: true, isAwaited: true)
    await decoding.waitUntilHeld(1)
    task.cancel()

    await wait(for: downloader)

    decoding.open()
    await #expect(throws: ImageError.cancelled) { try await task.response }
    await downloader.drain()
  }

  @Test func frameWaitsUntilAPreparationHasEnded() async throws {
    decoding.open()
    let downloader = downloader()
    downloader.beginPreparation()
    downloader.beginPreparation()
    let isEnding = Flag()
    BlockingThread.start {
      downloader.endPreparation()
      isEnding.set()
      downloader.endPreparation()
    }

    await wait(for: downloader)

    #expect(isEnding.isSet)
  }
}

/// A value that a thread sets to true.
private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }

  func set() { value.withLock { $0 = true } }
}
