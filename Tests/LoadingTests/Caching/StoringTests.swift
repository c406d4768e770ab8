import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The time at which decoded images enter the memory cache.
@MainActor @Suite(.timeLimit(.minutes(5))) struct StoringTests {
  private let trace = Trace()

  /// Two loads, of which the first is decoded and the main queue has not run since.
  private func world(
    storesOnMainQueue: Bool, cache: ImageRequest.Cache = .downloader
  ) throws -> (Fixture, first: ImageTask, second: ImageTask) {
    let world = Fixture {
      $0.environment.trace = trace
      $0.decoding.threads = 1
    }
    world.downloader.storesOnMainQueue = storesOnMainQueue
    let tasks = ["1", "2"].map { name in
      var request = request(name)
      request.cache = cache
      return world.downloader.load(request)
    }

    for transfer in world.transport.transfers { transfer.respond(with: Fixture.body) }
    // The only decoding thread starts the second image after it has finished the first. The main queue must not run
    // meanwhile, so the wait blocks its thread.
    try blockUntil {
      trace.events.count(where: { if case .decodeBegan = $0.kind { true } else { false } }) >= 2
    }
    return (world, tasks[0], tasks[1])
  }

  @Test func imageIsCachedAsSoonAsItIsDecoded() throws {
    let (world, _, _) = try world(storesOnMainQueue: false)

    #expect(world.downloader.cachedImage(for: request("1")) != nil)
  }

  @Test func imageStoredOnTheMainQueueIsCachedWhenTheQueueRuns() async throws {
    let (world, first, second) = try world(storesOnMainQueue: true)

    #expect(world.downloader.cachedImage(for: request("1")) == nil)
    let response = try await first.response
    _ = try await second.response

    #expect(world.downloader.cachedImage(for: request("1")) === response.image)
  }

  @Test func loadCancelledBeforeTheMainQueueRunsIsNotCached() async throws {
    let (world, first, second) = try world(storesOnMainQueue: true)

    first.cancel()
    _ = try await second.response

    #expect(world.downloader.cachedImage(for: request("1")) == nil)
    #expect(world.downloader.cachedImage(for: request("2")) != nil)
    await #expect(throws: ImageError.cancelled) { try await first.response }
  }

  @Test func loadWithoutACacheMayBeCancelledBeforeTheMainQueueRunsAsWell() async throws {
    let (world, first, second) = try world(storesOnMainQueue: true, cache: .none)

    first.cancel()
    _ = try await second.response

    await #expect(throws: ImageError.cancelled) { try await first.response }
    withExtendedLifetime(world) {}
  }

  @Test func imageWithoutACacheEndsItsLoadWhileTheMainQueueDoesNotRun() async throws {
    let (world, first, second) = try world(storesOnMainQueue: false, cache: .none)

    #expect(first.isFinished)
    _ = try await second.response
    await world.downloader.drain()
    #expect(world.downloader.cachedImage(for: request("1")) == nil)
  }
}
