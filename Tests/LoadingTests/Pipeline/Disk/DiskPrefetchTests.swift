import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Prefetching to disk only, for lists of images that do not fit into memory.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DiskPrefetchTests {
  private func prefetched(
    _ names: [String], by downloader: ImageDownloader
  ) async throws -> ImagePrefetch.Progress {
    let recorder = Recorder<ImagePrefetch.Progress>()
    let prefetcher = ImagePrefetcher(downloader: downloader, destination: .disk)
    prefetcher.prefetch(names.map { request($0) }, completion: recorder.add)
    return try await recorder.wait(for: 1)[0]
  }

  @Test func prefetchedImagesAreOnDiskAndNotInMemory() async throws {
    let world = DiskWorld()
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    let progress = try await prefetched(["a.jpg", "b.jpg"], by: world.downloader)
    #expect(progress.finished == 2 && progress.skipped == 0)
    #expect(world.disk.responses.count == 2)
    #expect(world.downloader.cachedImage(for: request("a.jpg")) == nil)
    #expect(world.world.decoder.calls.allSatisfy { $0.target?.width == 1 }, "decoded at the smallest size")
    let response = try await world.downloader.image(for: request("a.jpg"))
    #expect(response.source == .disk)
    #expect(response.image.pixelWidth == 64)
  }

  @Test func configurationDoesNotBringPrefetchedImagesIntoMemory() async throws {
    let world = DiskWorld {
      $0.requests.transforms = [CircleTransform()]
      $0.requests.processor = { request in
        var request = request
        request.cache = .memoryOnly
        request.targetSize = DecodeTarget(width: 32, height: 24)
        request.progressive = .scans
        return request
      }
    }
    world.transport.respondToAll { $0.respond(with: Fixture.body, DiskWorld.minute) }
    let progress = try await prefetched(["a.jpg"], by: world.downloader)
    #expect(progress.finished == 1 && progress.skipped == 0)
    #expect(world.disk.responses.count == 1)
    #expect(world.world.decoder.calls.allSatisfy { $0.target?.width == 1 })
    #expect(world.downloader.statistics.loads == [.network: 1])
    #expect((world.downloader.cache as? MemoryImageCache)?.statistics.inserts == 0)
  }

  @Test func storedResponseIsNotDownloadedAgain() async throws {
    let world = DiskWorld()
    world.store("a.jpg", age: 1e6)
    let progress = try await prefetched(["a.jpg"], by: world.downloader)
    #expect(progress.finished == 1 && progress.skipped == 0)
    #expect(world.transport.transfers.isEmpty)
    #expect(world.world.decoder.calls.isEmpty)
  }

  @Test func unsuitableResponsesAreSkipped() async throws {
    let world = DiskWorld()
    world.transport.respondToAll { transfer in
      let isPage = transfer.request.url.absoluteString.hasSuffix("page.jpg")
      transfer.respond(with: isPage ? [1] : Fixture.body, ["Cache-Control": "no-store"])
    }
    let progress = try await prefetched(["a.jpg", "page.jpg"], by: world.downloader)
    #expect(progress.finished == 2 && progress.skipped == 2)
    #expect(world.disk.responses.isEmpty)
  }

  @Test func prefetchWithoutADiskCacheSkipsAllImages() async throws {
    let world = Fixture()
    let progress = try await prefetched(["a.jpg", "b.jpg"], by: world.downloader)
    #expect(progress.skipped == 2)
    #expect(world.transport.transfers.isEmpty)
  }

  @Test func cancelledPrefetchCancelsItsTransfers() async throws {
    let world = DiskWorld()
    let recorder = Recorder<ImagePrefetch.Progress>()
    let prefetcher = ImagePrefetcher(downloader: world.downloader, destination: .disk)
    let list = prefetcher.prefetch([request("a.jpg")], completion: recorder.add)
    let transfer = try await world.transfer()
    list.cancel()
    _ = try await recorder.wait(for: 1)
    await world.downloader.drain()
    #expect(transfer.isCancelled)
  }
}
