import Foundation
import Testing
import Vitrine
import VitrineTesting

/// Decoded pixels on disk, through the downloader, the real caches and the real codecs.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PixelCacheTests {
  private typealias World = PixelCacheWorld
  private let world = World()

  @Test(
    "SD-M18 a thumbnail of a full-size image on disk is made without network, and stored with its own key")
  func thumbnailOfAStoredImageIsStored() async throws {
    let photo = try World.photo()
    _ = try await world.start(sending: photo).load(World.request())

    let second = world.start(sending: [])
    let made = try await second.load(World.request(width: 40, height: 30))
    #expect(made.source == .disk && made.data == nil && !made.isFromPixelCache)
    #expect((made.image.pixelWidth, made.image.pixelHeight) == (40, 30))
    #expect(second.downloader.cachedImage(for: try World.request(width: 40, height: 30)) === made.image)
    #expect(second.transport.transfers.isEmpty)

    let third = world.start(sending: [])
    let found = try await third.load(World.request(width: 40, height: 30))
    #expect(found.source == .disk && found.isFromPixelCache && found.data == nil)
    #expect(third.decoder.count == 0 && third.transport.transfers.isEmpty)
    #expect(found.image.pixelBytes == made.image.pixelBytes)
    #expect((found.image.sourceWidth, found.image.sourceHeight) == (1200, 900))
    // The thumbnail is not the image at another size.
    let full = try await third.load(World.request())
    #expect(full.image.pixelWidth == 1200)
  }

  @Test("a start without the table of heads records the heads it has looked up", arguments: [false, true])
  func headsAreRecordedAfterALookup(isLayered: Bool) async throws {
    let seed = isLayered ? World() : nil
    _ = try await world.start(sending: World.photo(), over: seed).load(World.request(width: 40, height: 30))
    let table = world.folder + "/v3/heads"
    let before = try Data(contentsOf: URL(filePath: table))
    try FileManager.default.removeItem(atPath: table)

    let second = world.start(sending: [], over: seed)
    #expect(try await second.load(World.request(width: 40, height: 30)).isFromPixelCache)

    #expect(try Data(contentsOf: URL(filePath: table)) == before)
    #expect(second.transport.transfers.isEmpty)
  }

  @Test(
    "SD-M21 a thumbnail of a full-size image on disk is stored, and the file of the image stays unchanged")
  func thumbnailLeavesTheStoredImageUnchanged() async throws {
    let photo = try World.photo()
    _ = try await world.start(sending: photo).load(World.request())
    let before = world.responseFiles
    #expect(!before.isEmpty)

    let program = world.start(sending: [])
    let response = try await program.load(World.request(width: 40, height: 30))
    let again = try await world.start(sending: []).load(World.request(width: 40, height: 30))

    #expect(program.downloader.cachedImage(for: try World.request(width: 40, height: 30)) === response.image)
    #expect(again.isFromPixelCache)
    #expect(world.responseFiles == before)
    #expect(
      program.downloader.dataCache?.response(for: RequestIdentity(try World.request()))?.body == photo)
  }

  @Test(
    "SD-M6 the result of a transform has its size and the original's format, and is on disk with its own key, limited"
  )
  func transformedImageIsStored() async throws {
    let photo = try World.photo()
    let request = try World.request(width: 40, height: 30, transforms: [.circle()])
    let first = world.start(sending: photo)
    let made = try await first.load(request)
    #expect(made.source == .network)
    // The square in the middle of 40x30.
    #expect((made.image.pixelWidth, made.image.pixelHeight) == (30, 30))
    #expect(made.image.format == .jpeg)
    #expect(made.image.userData.isEmpty)
    #expect(
      ImageIdentity(request).transforms == request.transforms.map(\.identifier)
        && ImageIdentity(request).transforms.count == 1, "the identity says that the image is transformed")

    let second = world.start(sending: [])
    let found = try await second.load(request)
    #expect(found.isFromPixelCache && second.decoder.count == 0)
    #expect((found.image.pixelWidth, found.image.pixelHeight) == (30, 30))
    #expect(found.image.format == .jpeg && !found.image.bitmap.isOpaque)
    #expect(found.image.pixelBytes == made.image.pixelBytes)
    // The image without the transform has another key.
    let plain = try await second.load(World.request(width: 40, height: 30))
    #expect(plain.image.pixelWidth == 40)
    #expect(second.downloader.dataCache?.response(for: RequestIdentity(request))?.body == photo)
  }

  @Test("a transform without an identifier for storage is made again after a start")
  func transformWithoutStorageIdentifierIsNotStored() async throws {
    struct Plain: ImageTransform {
      let identifier = "plain"
      func apply(to image: Image) throws(ImageError) -> Image { CircleTransform().apply(to: image) }
    }
    let request = try World.request(width: 40, height: 30, transforms: [Plain()])
    _ = try await world.start(sending: World.photo()).load(request)

    let second = world.start(sending: [])
    let response = try await second.load(request)

    #expect(response.source == .disk && !response.isFromPixelCache)
    #expect(second.decoder.count == 1 && second.transport.transfers.isEmpty)
  }

  @Test("pixels of an image that has been replaced are not shown")
  func replacedImageDoesNotShowOldPixels() async throws {
    let (old, new) = (try World.photo(seed: 1), try World.photo(seed: 2))
    var request = try World.request(width: 40, height: 30)
    let first = try await world.start(sending: old).load(request)
    request.cachePolicy = .reload
    // This program keeps no pixels, so it does not replace them either.
    _ = try await world.start(sending: new, usesPixels: false).load(request)

    let program = world.start(sending: [])
    let response = try await program.load(World.request(width: 40, height: 30))

    #expect(response.source == .disk && !response.isFromPixelCache)
    #expect(program.decoder.count == 1)
    #expect(response.image.pixelBytes != first.image.pixelBytes)
  }

  @Test("pixels of a removed response are not shown")
  func removedImageDoesNotShowPixels() async throws {
    let request = try World.request(width: 40, height: 30)
    let first = world.start(sending: try World.photo())
    _ = try await first.load(request)
    #expect(await first.downloader.removeCachedData(for: request))

    var cached = request
    cached.cachePolicy = .cacheOnly
    let error = await #expect(throws: ImageError.self) {
      try await world.start(sending: []).downloader.image(for: cached)
    }
    #expect(error == .notCached)
  }

  @Test("a request can do without pixels on disk")
  func requestCanOptOut() async throws {
    var request = try World.request(width: 40, height: 30)
    request.usesPixelCache = false
    _ = try await world.start(sending: World.photo()).load(request)
    request.usesPixelCache = true

    let program = world.start(sending: [])
    #expect(try await program.load(request).isFromPixelCache == false)
    request.usesPixelCache = false
    let last = world.start(sending: [])
    #expect(try await last.load(request).isFromPixelCache == false)
    #expect(last.decoder.count == 1)
  }

  @Test("responses without a lifetime show their pixels while they are revalidated, and after a 304")
  func revalidatedImageIsNotDecodedAgain() async throws {
    let request = try World.request(width: 40, height: 30)
    let headers: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": "\"1\""]
    let made = try await world.start(sending: World.photo(), headers: headers).load(request)

    let program = world.start(sending: [])
    program.transport.respondToAll { transfer in
      transfer.respond(status: 304, headers: headers)
      transfer.finish()
    }
    let response = try await program.load(request)

    #expect(response.freshness == .revalidated)
    #expect(program.decoder.count == 0)
    #expect(response.image.pixelBytes == made.image.pixelBytes)
  }

  // MARK: Seeds

  @Test func pixelsOfASeedShowAnImageWithoutDecoding() async throws {
    let seed = World()
    let made = try await seed.start(sending: World.photo()).load(World.request(width: 40, height: 30))

    let program = world.start(sending: [], over: seed)
    let found = try await program.load(World.request(width: 40, height: 30))

    #expect(found.isFromPixelCache && found.source == .disk)
    #expect(found.image.pixelBytes == made.image.pixelBytes)
    #expect(program.decoder.count == 0 && program.transport.transfers.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/p1"), "nothing is stored")
  }

  @Test func pixelsMadeFromTheResponseOfASeedAreStoredInTheTopLayer() async throws {
    let (seed, photo) = (World(), try World.photo())
    _ = try await seed.start(sending: photo, usesPixels: false).load(World.request(width: 40, height: 30))
    let before = try FileManager.default.subpathsOfDirectory(atPath: seed.folder)

    _ = try await world.start(sending: [], over: seed).load(World.request(width: 40, height: 30))
    let program = world.start(sending: [], over: seed)
    let found = try await program.load(World.request(width: 40, height: 30))

    #expect(found.isFromPixelCache && program.decoder.count == 0)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: seed.folder) == before)
  }

  @Test func pixelsOfASeedAreNotShownForANewerResponse() async throws {
    let (seed, request) = (World(), try World.request(width: 40, height: 30))
    let old = try await seed.start(sending: World.photo(seed: 1)).load(request)
    _ = try await world.start(sending: World.photo(seed: 2), usesPixels: false).load(request)

    let program = world.start(sending: [], over: seed)
    let found = try await program.load(request)

    #expect(!found.isFromPixelCache && program.decoder.count == 1 && program.transport.transfers.isEmpty)
    #expect(found.image.pixelBytes != old.image.pixelBytes)
  }
}
