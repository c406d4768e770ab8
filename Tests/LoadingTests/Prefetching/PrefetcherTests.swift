import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lists of images that are loaded before a view requests them.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PrefetcherTests {
  private let world = Fixture()

  @Test("SD-P1 a new prefetcher is not the shared one") func newPrefetcherIsNotTheSharedOne() {
    #expect(ImagePrefetcher() !== ImagePrefetcher.shared)
    #expect(ImagePrefetcher.shared === ImagePrefetcher.shared)
  }

  @Test("SD-P2 three images are reported one by one, then the whole list, and are in the memory cache")
  func threeImagesAreReportedAndCached() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = respondingPrefetcher()

    prefetcher.prefetch(
      urls(3), progress: { recorder.add(.progress($0)) }, completion: { recorder.add(.end($0)) })

    let events = try await recorder.wait(for: 4)
    #expect(
      events == [
        .progress(progress(1, 0, 3)), .progress(progress(2, 0, 3)), .progress(progress(3, 0, 3)),
        .end(progress(3, 0, 3)),
      ])
    for number in 0..<3 { #expect(world.downloader.cachedImage(for: request("\(number).jpg")) != nil) }
    #expect(prefetcher.runningCount == 0)
  }

  @Test("SD-P3 an empty list is finished, and its completion is called once the call has returned")
  func emptyListCompletesAfterTheCall() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = prefetcher()

    let list = prefetcher.prefetch(
      [], progress: { recorder.add(.progress($0)) }, completion: { recorder.add(.end($0)) })

    #expect(recorder.values.isEmpty)
    #expect(list.isFinished)
    #expect(prefetcher.runningCount == 0)
    #expect(try await recorder.wait(for: 1) == [.end(progress(0, 0, 0))])
  }

  @Test("SD-P4 two lists from two threads both end with the right counts")
  func listsFromTwoThreadsEndWithTheirCounts() async throws {
    let recorder = Recorder<ImagePrefetch.Progress>()
    let prefetcher = respondingPrefetcher()

    for count in [20, 30] {
      let urls = urls(count, prefix: "of \(count) ".filter { $0 != " " })
      BlockingThread.start { prefetcher.prefetch(urls, completion: { recorder.add($0) }) }
    }

    #expect(try await Set(recorder.wait(for: 2)) == [progress(20, 0, 20), progress(30, 0, 30)])
  }

  @Test("SD-P5 the delegate receives the same reports as the handlers, and before the handlers")
  func delegateIsCalledBeforeTheHandlers() async throws {
    let recorder = Recorder<Event>()
    let delegate = Delegate(recorder)
    let prefetcher = respondingPrefetcher()
    prefetcher.delegate = delegate

    prefetcher.prefetch(
      urls(20), progress: { recorder.add(.progress($0)) }, completion: { recorder.add(.end($0)) })

    let events = try await recorder.wait(for: 42)
    for number in 0..<20 {
      let expected = progress(number + 1, 0, 20)
      #expect(events[number * 2] == .delegate(expected))
      #expect(events[number * 2 + 1] == .progress(expected))
    }
    #expect(events.suffix(2) == [.all(progress(20, 0, 20)), .end(progress(20, 0, 20))])
    #expect(Set(delegate.urls) == Set(urls(20)))
  }

  @Test("SD-P6 a cancelled list no longer runs") func cancelledListNoLongerRuns() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = prefetcher()
    let list = prefetcher.prefetch(
      urls(5), progress: { recorder.add(.progress($0)) }, completion: { recorder.add(.end($0)) })
    #expect(prefetcher.runningCount == 1)

    list.cancel()
    list.cancel()

    #expect(prefetcher.runningCount == 0)
    #expect(list.progress == progress(5, 5, 5))
    #expect(world.transport.running.isEmpty)
    #expect(recorder.values.isEmpty)
    #expect(try await recorder.wait(for: 1) == [.end(progress(5, 5, 5))])
    await drainMainQueue(rounds: 2)
    #expect(recorder.values.count == 1)
    #expect(world.transport.transfers.count == 3)
  }

  @Test("SD-P7 images whose downloads are all cancelled count as skipped")
  func cancelledDownloadsCountAsSkipped() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = prefetcher()
    prefetcher.prefetch(urls(3), completion: { recorder.add(.end($0)) })
    #expect(world.transport.running.count == 3)

    world.downloader.cancelAll()

    #expect(try await recorder.wait(for: 1) == [.end(progress(3, 3, 3))])
    #expect(prefetcher.runningCount == 0)
    #expect(world.transport.transfers.allSatisfy { $0.isCancelled })
  }

  @Test("SD-P8 a view's load of another image neither waits nor is cancelled")
  func viewLoadIsIndependentOfPrefetching() async throws {
    let prefetcher = prefetcher()
    let earlier = world.downloader.load(request("earlier.jpg"))
    let list = prefetcher.prefetch(urls(100))
    #expect(world.transport.running.count == 4)
    world.transport.transfers[0].respond(with: Fixture.body)
    #expect(try await earlier.response.source == .network)

    let view = world.downloader.load(request("view.jpg"))
    #expect(world.transport.transfers.last?.request.url == url("view.jpg"))
    world.transport.transfers.last?.respond(with: Fixture.body)
    #expect(try await view.response.source == .network)
    #expect(world.transport.running.count == 3, "the prefetches have neither ended nor been cancelled")

    let later = world.downloader.load(request("later.jpg"))
    let transfer = try #require(world.transport.transfers.last)
    #expect(transfer.request.url == url("later.jpg"))
    list.cancel()
    #expect(!transfer.isCancelled)
    transfer.respond(with: Fixture.body)
    #expect(try await later.response.source == .network)
  }

  @Test(
    "SD-P8 prefetches wait at a low priority behind views; an image that a view loads too keeps the view's priority"
  )
  func viewLoadsStartBeforePrefetches() async throws {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    let prefetcher = ImagePrefetcher(downloader: world.downloader)
    let list = prefetcher.prefetch(urls(3))
    let same = world.downloader.load(request("2.jpg"))
    let other = world.downloader.load(request("view.jpg"))

    list.cancel()
    for index in 1...2 {
      #expect(world.transport.transfers.count == index + 1)
      world.transport.transfers[index].respond(with: Fixture.body)
    }

    #expect(world.transport.transfers.map(\.request.url) == ["0.jpg", "2.jpg", "view.jpg"].map { url($0) })
    #expect(try await same.response.source == .network)
    #expect(try await other.response.source == .network)
  }

  @Test func cancelledViewLoadDoesNotStopASharedPrefetch() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = prefetcher()
    let view = world.downloader.load(request("0.jpg"))
    prefetcher.prefetch(urls(1), completion: { recorder.add(.end($0)) })

    view.cancel()
    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await recorder.wait(for: 1) == [.end(progress(1, 0, 1))])
    #expect(world.transport.transfers.count == 1)
  }

  @Test func prefetchPriorityIsAtMostLow() async {
    let world = Fixture { $0.queue.maximumActiveDownloads = 1 }
    let prefetcher = ImagePrefetcher(downloader: world.downloader, maximumActiveLoads: 4)
    let requests = [request("a", priority: .veryLow), request("b", priority: .veryHigh), request("c")]

    world.downloader.load(request("first"))
    prefetcher.prefetch(requests)
    world.downloader.load(request("last", priority: .normal))
    for index in 0..<5 {
      guard index < world.transport.transfers.count else { break }
      world.transport.transfers[index].fail(.status(404))
    }

    #expect(
      world.transport.transfers.map(\.request.url)
        == ["first", "last", "b", "c", "a"].map { url($0) })
  }

  @Test(arguments: [ImagePrefetcher.Destination.memory, .disk])
  func requestProcessorDoesNotRaiseThePrefetchPriority(destination: ImagePrefetcher.Destination) async throws
  {
    let world = Fixture(
      {
        $0.queue.maximumActiveDownloads = 1
        $0.queue.prioritization = .fifo
        $0.requests.processor = { request in
          var request = request
          if request.priority < .high { request.priority = .high }
          return request
        }
      }, disk: MemoryDataCache())
    world.downloader.load(request("first.jpg"))
    try await world.transport.waitUntilStarted(1)
    let prefetcher = ImagePrefetcher(downloader: world.downloader, destination: destination)
    prefetcher.prefetch([url("prefetched.jpg")])
    try await until { world.downloader.waitingDownloadCount >= 1 }
    world.downloader.load(request("view.jpg"))
    try await until { world.downloader.waitingDownloadCount >= 2 }
    world.transport.transfers[0].respond(with: Fixture.body)
    try await world.transport.waitUntilStarted(2)
    #expect(world.transport.transfers[1].request.url == url("view.jpg"))
  }

  @Test func cachedFailedAndInvalidItemsAreCounted() async throws {
    let recorder = Recorder<Event>()
    world.transport.respondToAll { transfer in
      if transfer.request.url == url("bad.jpg") {
        transfer.fail(.status(404))
      } else {
        transfer.respond(with: Fixture.body)
      }
    }
    _ = try? await world.downloader.image(for: request("known.jpg"))
    let prefetcher = prefetcher()

    prefetcher.prefetch(
      [request("known.jpg"), request("bad.jpg"), "no address", "", request("new.jpg"), request("new.jpg")],
      completion: { recorder.add(.end($0)) })

    #expect(try await recorder.wait(for: 1) == [.end(progress(6, 3, 6))])
    #expect(world.transport.transfers.count == 3)
  }

  @Test func imageIsCachedUnderItsAdditionalIdentifier() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = respondingPrefetcher()

    prefetcher.prefetch(
      items: [.init(request(), additionalIdentifier: "small")], completion: { recorder.add(.end($0)) })

    _ = try await recorder.wait(for: 1)
    #expect(world.downloader.cachedImage(for: request(), additionalIdentifier: "small") != nil)
    #expect(world.downloader.cachedImage(for: request()) == nil)
  }

  @Test func limitAndPauseCanBeChangedWhileAListRuns() async {
    let prefetcher = ImagePrefetcher(downloader: world.downloader, maximumActiveLoads: 0)
    world.downloader.maximumActiveDownloadsPerHost = 100
    world.downloader.maximumActiveDownloads = 100
    prefetcher.isPaused = true
    prefetcher.prefetch(urls(20))
    #expect(world.transport.transfers.isEmpty)

    prefetcher.isPaused = false
    #expect(world.transport.transfers.count == 1)
    prefetcher.maximumActiveLoads = 8

    #expect(world.transport.transfers.count == 8)
    #expect(prefetcher.isPaused == false)
    #expect(prefetcher.maximumActiveLoads == 8)
  }

  @Test func releasedPrefetcherCancelsItsLists() async throws {
    let recorder = Recorder<Event>()
    var prefetcher: ImagePrefetcher? = prefetcher()
    weak var weakPrefetcher: ImagePrefetcher?
    weakPrefetcher = prefetcher
    let lists = (0..<2).map { _ in prefetcher?.prefetch(urls(5), completion: { recorder.add(.end($0)) }) }

    prefetcher = nil

    #expect(weakPrefetcher == nil)
    #expect(world.transport.running.isEmpty)
    #expect(try await recorder.wait(for: 2) == [.end(progress(5, 5, 5)), .end(progress(5, 5, 5))])
    #expect(lists.allSatisfy { $0?.isFinished == true })
    lists[0]?.cancel()
  }

  @Test func handlerCanCancelItsListAndStartAnother() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = respondingPrefetcher()
    let box = Mutex<ImagePrefetch?>(nil)
    let urls = urls(10)
    let list = prefetcher.prefetch(
      urls,
      progress: { [prefetcher] progress in
        recorder.add(.progress(progress))
        box.withLock { $0 }?.cancel()
        prefetcher.prefetch(Array(urls.suffix(1)), completion: { recorder.add(.end($0)) })
      }, completion: { recorder.add(.end($0)) })
    box.withLock { $0 = list }

    let events = try await recorder.wait(for: 3)

    #expect(
      events == [.progress(progress(1, 0, 10)), .end(progress(10, 9, 10)), .end(progress(1, 0, 1))])
    box.withLock { $0 = nil }
  }

  @Test func tenThousandImagesLoadAtMostThreeAtOnce() async throws {
    let recorder = Recorder<Event>()
    let most = Atomic(0)
    let running = Atomic(0)
    world.transport.respondToAll { transfer in
      most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      transfer.fail(.status(404))
      running.subtract(1, ordering: .relaxed)
    }
    let prefetcher = prefetcher()

    let list = prefetcher.prefetch(urls(10_000), completion: { recorder.add(.end($0)) })

    #expect(list.progress.total == 10_000)
    #expect(try await recorder.wait(for: 1) == [.end(progress(10_000, 10_000, 10_000))])
    #expect(most.load(ordering: .relaxed) <= 3)
  }

  @Test func targetSizeAppliesToRequestsWithoutOne() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = respondingPrefetcher()
    let own = DecodeTarget(width: 8, height: 8)
    let common = DecodeTarget(width: 16, height: 16, mode: .fit)

    prefetcher.prefetch(
      [url("0.jpg"), request("1.jpg", target: own)], targetSize: common,
      completion: { recorder.add(.end($0)) })

    _ = try await recorder.wait(for: 1)
    #expect(Set(world.decoder.calls.map(\.target)) == [own, common])
    #expect(world.downloader.cachedImage(for: request("0.jpg", target: common)) != nil)
  }

  @Test func sourcesAreCancelledWithoutTheRestOfTheirLists() async throws {
    let recorder = Recorder<Event>()
    let prefetcher = prefetcher()
    let list = prefetcher.prefetch(
      urls(5), progress: { recorder.add(.progress($0)) }, completion: { recorder.add(.end($0)) })

    prefetcher.cancel([url("0.jpg"), request("4.jpg"), "no address", "http://a.test/other.jpg"])

    #expect(world.transport.running.map(\.request.url) == [1, 2, 3].map { url("\($0).jpg") })
    for transfer in world.transport.running { transfer.respond(with: Fixture.body) }
    let events = try await recorder.wait(for: 6)
    #expect(events.prefix(2) == [.progress(progress(1, 1, 5)), .progress(progress(2, 2, 5))])
    #expect(events.last == .end(progress(5, 2, 5)))
    #expect(list.isFinished)
    #expect(world.transport.transfers.count == 4)
  }

  // MARK: Helpers

  private enum Event: Hashable, Sendable {
    case progress(ImagePrefetch.Progress)
    case end(ImagePrefetch.Progress)
    case delegate(ImagePrefetch.Progress)
    case all(ImagePrefetch.Progress)
  }

  private final class Delegate: ImagePrefetcherDelegate {
    private(set) var urls: [String] = []
    private let recorder: Recorder<Event>

    init(_ recorder: Recorder<Event>) { self.recorder = recorder }

    func prefetcher(
      _ prefetcher: ImagePrefetcher, didFinish item: ImagePrefetcher.Item, isLoaded: Bool,
      progress: ImagePrefetch.Progress
    ) {
      #expect(isLoaded)
      if let url = item.source as? String { urls.append(url) }
      recorder.add(.delegate(progress))
    }

    func prefetcher(_ prefetcher: ImagePrefetcher, didFinishAll progress: ImagePrefetch.Progress) {
      recorder.add(.all(progress))
    }
  }

  private func prefetcher() -> ImagePrefetcher { ImagePrefetcher(downloader: world.downloader) }

  private func respondingPrefetcher() -> ImagePrefetcher {
    world.transport.respondToAll { $0.respond(with: Fixture.body) }
    return prefetcher()
  }

  private func urls(_ count: Int, prefix: String = "") -> [String] {
    (0..<count).map { "http://a.test/\(prefix)\($0).jpg" }
  }

  private func progress(_ finished: Int, _ skipped: Int, _ total: Int) -> ImagePrefetch.Progress {
    var progress = ImagePrefetch.Progress(total: total)
    progress.finished = finished
    progress.skipped = skipped
    return progress
  }
}
