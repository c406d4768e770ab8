import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Loads that share a download, a decode or a transform.
@MainActor @Suite(.timeLimit(.minutes(5))) struct CoalescingTests {
  @Test("AF-D6 two requests for one URL get the same image from one download")
  func secondRequestJoinsRunningDownload() async throws {
    let world = Fixture()
    let first = world.downloader.load(request())
    let second = world.downloader.load(request())

    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await first.response.image === second.response.image)
    #expect(try await first.response.http == second.response.http)
    #expect(world.transport.transfers.count == 1)
    #expect(world.decoder.calls.count == 1)
  }

  @Test("AF-D25 loads of one download complete in the order in which they were requested")
  func loadsCompleteInRequestOrder() async throws {
    let world = Fixture()
    let recorder = Recorder<Int>()
    for number in 0..<50 {
      // Sizes, identifiers and priorities differ: the order holds for all loads that share the download.
      world.downloader.load(
        request(priority: .allCases[number % 5], target: number % 2 == 0 ? nil : .init(width: 8, height: 8)),
        additionalIdentifier: "\(number % 3)",
        completion: { _ in recorder.add(number) })
    }

    world.transport.transfers[0].fail(.status(404))

    #expect(try await recorder.wait(for: 50) == Array(0..<50))
  }

  @Test func reloadThatJoinsADownloadReplacesOtherSizes() async throws {
    let world = Fixture()
    let small = request(target: DecodeTarget(width: 16, height: 12))
    let first = world.downloader.load(small)
    world.transport.transfers[0].respond(with: Fixture.body)
    let old = try await first.response.image
    let large = DecodeTarget(width: 32, height: 24)
    let second = world.downloader.load(request(target: large))
    let third = world.downloader.load(request(policy: .reload, target: large))
    #expect(world.transport.transfers.count == 2)
    world.transport.transfers[1].respond(with: Fixture.body)
    #expect(try await second.response.image === third.response.image)
    #expect(world.downloader.cachedImage(for: small) !== old)
  }

  @Test func twoSizesShareOneDownload() async throws {
    let world = Fixture()
    let small = world.downloader.load(request(target: DecodeTarget(width: 8, height: 8)))
    let fullSize = world.downloader.load(request())

    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await small.response.image.pixelHeight == 8)
    #expect(try await fullSize.response.image.pixelHeight == 48)
    #expect(world.transport.transfers.count == 1)
    #expect(world.decoder.calls.count == 2)
  }

  @Test("SD-D30 SD-M19 concurrent loads of one image in ten sizes each get their size from one download")
  func tenSizesShareOneDownload() async throws {
    let world = Fixture()
    let body = FakeDecoder.encodedImage(width: 1000, height: 1000)
    let tasks = (490...499).map {
      world.downloader.load(request(target: DecodeTarget(width: $0, height: $0, mode: .fit)))
    }
    world.transport.transfers[0].respond(with: body)
    for (size, task) in zip(490...499, tasks) {
      let response = try await task.response
      #expect(response.image.pixelWidth == size && response.image.pixelHeight == size)
      #expect(response.image.sourceWidth == 1000)
      #expect(response.data == nil && response.source == .network)
    }
    #expect(world.transport.transfers.count == 1)
    #expect(Set(world.decoder.calls.map(\.target)).count == 10)
  }

  @Test func twoIdentifiersShareDownloadAndDecode() async throws {
    let world = Fixture()
    let plain = world.downloader.load(request())
    let named = world.downloader.load(request(), additionalIdentifier: "named")

    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await plain.response.image === named.response.image)
    #expect(world.decoder.calls.count == 1)
    #expect(world.cache.statistics.entries == 2)
  }

  @Test func transformsShareTheDecodedImage() async throws {
    let world = Fixture()
    let plain = world.downloader.load(request())
    let round = world.downloader.load(request(transforms: [.circle()]))

    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await plain.response.image.pixelWidth == 64)
    #expect(try await round.response.image.pixelWidth == 48)
    #expect(world.decoder.calls.count == 1)
    #expect(world.downloader.cachedImage(for: request())?.pixelWidth == 64)
    #expect(world.downloader.cachedImage(for: request(transforms: [.circle()]))?.pixelWidth == 48)
  }

  @Test func transformRunsOnceForAllLoadsThatShareIt() async throws {
    let world = Fixture()
    let transform = CountedTransform()
    let first = world.downloader.load(request(transforms: [transform]))
    let second = world.downloader.load(request(transforms: [transform]))

    world.transport.transfers[0].respond(with: Fixture.body)

    #expect(try await first.response.image === second.response.image)
    #expect(transform.count == 1)
  }

  @Test func newLoadJoinsALoadThatIsBeingDecoded() async throws {
    let world = Fixture(decodingIsHeld: true)
    let first = world.downloader.load(request())
    world.transport.transfers[0].respond(with: Fixture.body)
    await world.gate.waitUntilHeld(1)

    let second = world.downloader.load(request())
    let small = world.downloader.load(request(target: DecodeTarget(width: 8, height: 8)))
    await world.gate.waitUntilHeld(2)
    world.gate.open()

    #expect(try await first.response.image === second.response.image)
    #expect(try await small.response.image.pixelHeight == 8)
    #expect(world.transport.transfers.count == 1)
    #expect(world.decoder.calls.count == 2)
  }

  @Test(
    "AF-D28 a reload joins a running load; a request with other headers that change the response does not (deviates)"
  )
  func reloadJoinsARunningLoad() async throws {
    let world = Fixture()
    var signedIn = request()
    signedIn.headers["authorization"] = "Bearer 1"
    var tagged = request()
    tagged.headers["X-Tag"] = "1"

    world.downloader.load(request())
    world.downloader.load(request(policy: .reload))
    world.downloader.load(tagged)
    world.downloader.load(ImageRequest(url: url("a.jpg#part")))
    #expect(world.transport.transfers.count == 1)
    world.downloader.load(signedIn)

    #expect(world.transport.transfers.count == 2)
    #expect(world.transport.transfers[1].request.headers["Authorization"] == "Bearer 1")
  }

  @Test func requestsWithDifferentLimitsShareTheDownloadButNotTheDecode() async throws {
    let world = Fixture()
    var (first, second) = (request(), request())
    first.limits.pixels = 10_000
    second.limits.side = 1000
    let tasks = [first, second, first].map { world.downloader.load($0) }

    world.transport.transfers[0].respond(with: Fixture.body)
    for task in tasks { _ = try await task.response }

    #expect(world.transport.transfers.count == 1)
    #expect(Set(world.decoder.calls.map(\.limits)) == [first.limits, second.limits])
    #expect(world.decoder.calls.count == 2)
  }

  @Test func requestsInTwoLanguagesShareNoDownload() async throws {
    let world = Fixture()
    var (german, french) = (request(), request())
    german.headers["Accept-Language"] = "de"
    french.headers["accept-language"] = "fr"

    let tasks = [german, french, german].map { world.downloader.load($0) }
    #expect(world.transport.transfers.map { $0.request.headers["Accept-Language"] } == ["de", "fr"])
    for transfer in world.transport.transfers { transfer.respond(with: Fixture.body) }
    for task in tasks { _ = try await task.response }

    #expect(world.downloader.cachedImage(for: german) != nil)
    #expect(world.downloader.cachedImage(for: german) !== world.downloader.cachedImage(for: french))
    #expect(world.downloader.cachedImage(for: request()) == nil)
  }

  @Test func failureOfOneDecodeDoesNotAffectTheOther() async throws {
    let world = Fixture()
    var limited = request()
    limited.limits.pixels = 10
    let refused = world.downloader.load(limited)
    let small = world.downloader.load(request(target: DecodeTarget(width: 8, height: 8)))

    world.transport.transfers[0].respond(with: Fixture.body)

    await #expect(throws: ImageError.tooLarge(.pixels(10))) { try await refused.response }
    #expect(try await small.response.image.pixelHeight == 8)
  }

  @Test func loadThatEndsBetweenLookupAndStartIsNotRepeated() async throws {
    let cache = ObservedCache()
    let world = Fixture(cache: cache)
    let (downloader, transport) = (world.downloader, world.transport)
    let first = downloader.load(request())
    let isDone = Gate()
    Task.detached {
      _ = try? await first.response
      isDone.open()
    }
    cache.onNextLookup {
      transport.transfers[0].respond(with: Fixture.body)
      isDone.pass()
    }

    let second = downloader.load(request())

    #expect(transport.transfers.count == 1)
    #expect(try await second.response.image === first.response.image)
    #expect(try await second.response.source == .memory)
  }

  @Test func concurrentLoadsOfOneImageDownloadItOnce() async throws {
    for _ in 0..<50 {
      let world = Fixture()
      world.transport.respondToAll { $0.respond(with: Fixture.body) }

      let loads = (0..<16).map { _ in
        Task.detached { try await world.downloader.image(for: request()).image }
      }
      var images: Set<Image> = []
      for load in loads { images.insert(try await load.value) }

      #expect(world.transport.transfers.count == 1)
      #expect(images.count == 1)
    }
  }
}

/// A transform that returns its input and counts its calls.
private final class CountedTransform: ImageTransform {
  let identifier = "counted"
  private let counter = Atomic(0)

  var count: Int { counter.load(ordering: .relaxed) }

  func apply(to image: Image) -> Image {
    counter.add(1, ordering: .relaxed)
    return image
  }
}
