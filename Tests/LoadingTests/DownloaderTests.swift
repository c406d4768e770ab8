import Dispatch
import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The downloader's API, mostly one load at a time.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DownloaderTests {
  @Test("AF-D1 the shared downloader exists, and its loads fail with .notConfigured until it is set")
  func sharedDownloaderFailsUntilItIsSet() async throws {
    let shared = ImageDownloader.shared

    await #expect(throws: ImageError.notConfigured) { try await shared.image(for: request()) }

    let world = Fixture()
    ImageDownloader.shared = world.downloader
    #expect(ImageDownloader.shared === world.downloader)
    ImageDownloader.shared = shared
  }

  @Test(
    "AF-D3 SD-M3 an invalid URL returns no receipt and fails after the call",
    arguments: ["", "no url", "a/b.jpg"])
  func invalidURLReturnsNoReceiptAndFails(text: String) async throws {
    let world = Fixture()
    let recorder = Recorder<ImageError>()

    let receipt = world.downloader.download(text, failure: recorder.add)

    #expect(receipt == nil)
    #expect(recorder.values.isEmpty)
    #expect(try await recorder.wait(for: 1) == [.invalidURL(text)])
  }

  @Test("AF-D3 SD-D7 a nil URL returns no receipt and fails after the call")
  func nilURLReturnsNoReceiptAndFails() async throws {
    let recorder = Recorder<ImageError>()

    #expect(Fixture().downloader.download(nil, failure: recorder.add) == nil)
    #expect(try await recorder.wait(for: 1) == [.invalidURL("")])
  }

  @Test func relativeURLInRequestIsInvalid() async throws {
    var relative = request()
    relative.url = try #require(URL(string: "pictures/a.jpg"))

    await #expect(throws: ImageError.invalidURL("pictures/a.jpg")) {
      try await Fixture().downloader.image(for: relative)
    }
  }

  @Test func unsupportedSchemeFails() async {
    await #expect(throws: ImageError.unsupportedScheme("ftp")) {
      try await Fixture().downloader.image(for: "ftp://a.test/a.jpg")
    }
  }

  @Test("AF-D4 SD-D22 an image is downloaded and decoded by a custom decoder")
  func imageIsDownloadedAndDecoded() async throws {
    let world = Fixture()

    let response = try await world.loaded(request())

    #expect(response.source == .network)
    #expect(response.http?.status == 200)
    #expect(response.image.pixelWidth == 64)
  }

  @Test("AF-D5 two images are downloaded at once") func twoImagesAreDownloadedAtOnce() async throws {
    let world = Fixture()
    let first = world.downloader.load(request("a.jpg"))
    let second = world.downloader.load(request("b.jpg"))

    for transfer in world.transport.transfers { transfer.respond(with: Fixture.body) }

    #expect(world.transport.transfers.count == 2)
    #expect(try await first.response.image !== second.response.image)
  }

  @Test("AF-D7 the URL of the response is reported after a redirect")
  func responseReportsItsURLAfterARedirect() async throws {
    let world = Fixture()
    let task = world.downloader.load(request("moved.jpg"))
    let transfer = world.transport.transfers[0]

    transfer.respond(url: url("here.jpg"))
    transfer.send(Fixture.body)
    transfer.finish()

    #expect(try await task.response.http?.url == url("here.jpg"))
  }

  @Test("AF-D8 a memory hit returns the identical image, without an HTTP response")
  func memoryHitReturnsTheIdenticalImage() async throws {
    let world = Fixture()
    let first = try await world.loaded(request())

    let second = try await world.loaded(request())

    #expect(second.image === first.image)
    #expect(second.source == .memory)
    #expect(second.http == nil)
    #expect(world.downloader.cachedImage(for: request()) === first.image)
  }

  @Test(
    "AF-D9, AF-D10 the cache is asked before each insert and may refuse the image", arguments: [true, false])
  func cacheIsAskedBeforeEachInsert(accepts: Bool) async throws {
    let cache = SelectiveCache(accepts: accepts)
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: Fixture.body) }
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), cache: cache)

    let first = try await downloader.image(for: request())
    let second = try await downloader.image(for: request())

    #expect(cache.log == (accepts ? ["asked a.jpg", "inserted a.jpg"] : ["asked a.jpg", "asked a.jpg"]))
    #expect((second.image === first.image) == accepts)
    #expect((second.http == nil) == accepts)
  }

  @Test("AF-D11 the receipt of a cached image is nil") func receiptOfACachedImageIsNil() async throws {
    let world = Fixture()
    let recorder = Recorder<ImageResponse>()
    let first = world.downloader.download(request(), success: recorder.add)
    world.transport.transfers[0].respond(with: Fixture.body)
    _ = try await recorder.wait(for: 1)

    let second = world.downloader.download(request(), success: recorder.add)

    #expect(first != nil)
    #expect(second == nil)
    #expect(recorder.values.count == 1, "the success handler never runs inside the call (AF-F22)")
    let responses = try await recorder.wait(for: 2)
    #expect(responses[1].image === responses[0].image)
  }

  @Test("AF-S27 an image is decoded while the main actor is busy")
  func imageIsDecodedWhileTheMainActorIsBusy() throws {
    let world = Fixture()
    world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    // The wait blocks the main actor, so work that needs it could not finish.
    try blockUntil { world.cache.statistics.inserts > 0 }
    #expect(world.cache.statistics.inserts == 1)
  }

  @Test("SD-D10 a response with status 404 fails and caches no image") func status404Fails() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(status: 404)
    world.transport.transfers[0].fail(.status(404))
    await #expect(throws: ImageError.status(404)) { try await task.response }
    #expect(world.downloader.cachedImage(for: request()) == nil)
  }

  @Test("AF-D12 a reload ignores the cache and replaces the cached image")
  func reloadReplacesTheCachedImage() async throws {
    let world = Fixture()
    let first = try await world.loaded(request())

    let recorder = Recorder<ImageResponse>()
    let receipt = world.downloader.download(request(policy: .reload), success: recorder.add)
    world.transport.transfers[1].respond(with: Fixture.body)
    let second = try #require(try await recorder.wait(for: 1).first)

    #expect(receipt != nil)
    #expect(second.source == .network)
    #expect(second.http != nil)
    #expect(second.image !== first.image)
    #expect(world.downloader.cachedImage(for: request()) === second.image)
  }

  @Test("AF-D30 the policies .cacheOnly and .useCache read the cache, and .reload does not")
  func cachePolicyDecidesWhetherTheCacheIsRead() async throws {
    let world = Fixture()
    await #expect(throws: ImageError.notCached) {
      try await world.downloader.image(for: request(policy: .cacheOnly))
    }
    let first = try await world.loaded(request())

    #expect(try await world.loaded(request(policy: .cacheOnly)).image === first.image)
    #expect(try await world.loaded(request(policy: .useCache)).image === first.image)
    #expect(try await world.loaded(request(policy: .reload)).image !== first.image)
    #expect(world.transport.transfers.count == 2)
  }

  @Test("AF-D19 the receipt has the identifier that was passed in") func receiptHasTheGivenIdentifier() {
    let id = UUID()

    let receipt = Fixture().downloader.download(request(), receiptID: id)

    #expect(receipt?.receiptID == id)
  }

  @Test("AF-D17, AF-D18 success and failure handlers run on the main actor, whichever thread starts the load")
  func handlersRunOnTheMainActor() async throws {
    let world = Fixture()
    let recorder = Recorder<String>()
    let main = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: main, value: true)
    await Task.detached {
      world.downloader.download(
        request("good.jpg"),
        success: { _ in
          #expect(DispatchQueue.getSpecific(key: main) == true)
          recorder.add("success")
        }, failure: { _ in })
      world.downloader.download(
        request("bad.jpg"), success: { _ in },
        failure: { error in
          #expect(DispatchQueue.getSpecific(key: main) == true)
          recorder.add(error.description)
        })
    }.value

    await Task.detached {
      world.transport.transfers[0].respond(with: Fixture.body)
      world.transport.transfers[1].respond(status: 404)
      world.transport.transfers[1].fail(.status(404))
    }.value

    #expect(try await Set(recorder.wait(for: 2)) == ["success", "the server responded with 404"])
  }

  @Test("AF-F32 an empty body is an error") func emptyBodyFails() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())

    world.transport.transfers[0].respond(with: [])

    await #expect(throws: ImageError.emptyBody) { try await task.response }
  }

  @Test("AF-F33 a body that is no image fails, and the failure is not remembered")
  func bodyThatIsNoImageFails() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Array("<html>".utf8))
    await #expect(throws: ImageError.notAnImage(signature: Array("<html>".utf8))) { try await task.response }

    #expect(try await world.loaded(request()).source == .network)
  }

  @Test func trailingClosureIsTheCompletion() async throws {
    let world = Fixture()
    let recorder = Recorder<Result<ImageResponse, ImageError>>()

    world.downloader.load(request()) { result in recorder.add(result) }
    world.transport.transfers[0].fail(.status(404))

    #expect(try await recorder.wait(for: 1).first?.error == .status(404))
  }

  @Test func manyImagesStayWithinTheCapacityOfASmallCache() async throws {
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: Fixture.body) }
    let cost = 64 * 48 * 4
    let cache = MemoryImageCache(capacity: 10 * cost, preferredUsageAfterPurge: 6 * cost)
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), cache: cache)
    weak var first: Image?
    var highest = 0

    for number in 0..<200 {
      let image = try await downloader.image(for: request("\(number)")).image
      if number == 0 { first = image }
      highest = max(highest, cache.usage)
    }

    #expect(highest == 10 * cost)
    #expect(first == nil)
    #expect(cache.statistics.inserts == 200)
    #expect(cache.statistics.evictions == 200 - cache.statistics.entries)
    #expect(downloader.statistics.loads == [.network: 200])
  }

  @Test func finishedTaskKeepsItsResponse() async throws {
    let world = Fixture()
    let task = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)

    let first = try await task.response
    let second = try await task.response

    #expect(first.image === second.image)
    #expect(task.isFinished)
  }

  @Test func thumbnailDoesNotServeARequestForTheFullImage() async throws {
    let world = Fixture()
    let thumbnail = try await world.loaded(request(target: DecodeTarget(width: 8, height: 8)))

    let fullSize = try await world.loaded(request())

    #expect(thumbnail.image.pixelHeight == 8)
    #expect(fullSize.image.pixelHeight == 48)
  }

  @Test func statisticsCountLoadsFailuresAndCancellations() async throws {
    let world = Fixture()
    try await world.loaded(request("a.jpg"))
    try await world.loaded(request("a.jpg"))
    let failing = world.downloader.load(request("b.jpg"))
    world.transport.transfers[1].fail(.status(500))
    _ = try? await failing.response
    let cancelled = world.downloader.load(request("c.jpg"))
    cancelled.cancel()

    let statistics = world.downloader.statistics
    #expect(statistics.loads == [.network: 1, .memory: 1])
    #expect(statistics.requests == 3)
    #expect(statistics.bytes == Fixture.body.count)
    #expect(statistics.failures == 1)
    #expect(statistics.cancellations == 1)
  }

  @Test func cachedImagesCanBeRemoved() async throws {
    let world = Fixture()
    try await world.loaded(request())

    #expect(world.downloader.removeCachedImage(for: request()))
    #expect(!world.downloader.removeCachedImage(for: request()))
    #expect(world.downloader.cachedImage(for: request()) == nil)
    #expect(!world.downloader.removeAllCachedImages())
  }
}

/// A cache that accepts or refuses all images and logs its calls.
private final class SelectiveCache: ImageRequestCache {
  private let accepts: Bool
  private let state = Mutex<(log: [String], image: Image?)>(([], nil))

  init(accepts: Bool) { self.accepts = accepts }

  var log: [String] { state.withLock { $0.log } }

  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    state.withLock { $0.image }
  }

  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    state.withLock {
      $0.image = image
      $0.log.append("inserted \(request.url.lastPathComponent)")
    }
  }

  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool { false }
  func removeAllImages() -> Bool { false }

  func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    state.withLock { $0.log.append("asked \(request.url.lastPathComponent)") }
    return accepts
  }
}

extension Result where Success == ImageResponse, Failure == ImageError {
  fileprivate var error: ImageError? { if case .failure(let error) = self { error } else { nil } }
}
