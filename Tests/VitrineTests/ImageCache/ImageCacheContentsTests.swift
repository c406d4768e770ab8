import Callbacks
import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineTesting

/// The bytes that are written for an image, and custom caches and coders.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ImageCacheContentsTests {
  private let world = ImageCacheWorld()
  private let url = ImageCacheWorld.url
  private var cache: ImageCache { world.cache }

  /// Returns the file on disk after an image was stored.
  private func stored(_ image: Image, data: [UInt8]? = nil) async throws -> [UInt8] {
    #expect(await cache.store(image, for: url, data: data))
    let identity = RequestIdentity(try ImageRequest(url))
    return try #require(world.disk.response(for: identity)).body
  }

  private func animation(_ format: ImageFormat) -> Image {
    let frames = [Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 255)].map {
      Image.Frame(bitmap: Bitmap(width: 12, height: 9, color: $0), duration: 0.25)
    }
    return Image(frames: frames, format: format)
  }

  @Test(
    "SD-C29 transparent pixels are stored as PNG, others as JPEG, animations as GIF or in their format, data unchanged"
  )
  func storedFormatDependsOnTheImage() async throws {
    let isPNG = { (bytes: [UInt8]) in bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) }
    let isGIF = { (bytes: [UInt8]) in bytes.starts(with: Array("GIF89a".utf8)) }

    #expect(isPNG(try await stored(.halves(alpha: 128))))
    #expect(try await stored(.halves()).starts(with: [0xFF, 0xD8, 0xFF]))
    let gif = try await stored(animation(.gif))
    #expect(isGIF(gif))
    // Two image descriptors of 12 by 9 pixels.
    #expect(Data(gif).ranges(of: Data([0x2C, 0, 0, 0, 0, 12, 0, 9, 0])).count == 2)
    let png = try await stored(animation(.png))
    #expect(isPNG(png))
    #expect(Data(png).ranges(of: Data("fcTL".utf8)).count == 2)
    #expect(isGIF(try await stored(animation(.raw))))
    #expect(try await stored(animation(.gif), data: gif + [0]) == gif + [0])

    await cache.removeAll(from: .memory)
    let found = try #require(await cache.query(url)).image
    #expect(found.format == .gif && found.bitmap.color(x: 3, y: 3) == Color(red: 255, green: 0, blue: 0))
  }

  @Test("a transparent image is read from disk pixel for pixel")
  func transparentImageIsStoredWithoutLoss() async throws {
    let image = Image.halves(31, 7, alpha: 99)
    await cache.store(image, for: url)
    await cache.removeAll(from: .memory)

    let found = try #require(await cache.query(url)).image

    for x in [0, 14, 15, 30] { #expect(found.bitmap.color(x: x, y: 3) == image.bitmap.color(x: x, y: 3)) }
  }

  /// A custom coder that writes and reads text.
  private struct TextCoder: ImageDecoding, ImageEncoding {
    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      guard data == Array("image".utf8) else { throw .notAnImage(signature: data) }
      return .solid(width: 3, height: 2)
    }

    func encode(_ image: Image, as format: ImageFormat?) throws(ImageError) -> [UInt8] { Array("image".utf8) }
  }

  @Test("SD-C26 a custom coder encodes stored images and decodes them")
  func customCoderEncodesAndDecodesStoredImages() async throws {
    let world = ImageCacheWorld(decoder: TextCoder())
    #expect(await world.cache.store(.halves(), for: url))
    let identity = RequestIdentity(try ImageRequest(url))
    #expect(world.disk.response(for: identity)?.body == Array("image".utf8))
    await world.cache.removeAll(from: .memory)

    #expect(await world.cache.query(url)?.image.size == Size(width: 3, height: 2))
  }

  @Test("SD-C30 SD-C32 SD-C48 custom memory and disk caches store, find, remove and clear")
  func customCachesStoreFindAndRemoveImages() async {
    let memory = DictionaryCache()
    let disk = MemoryDataCache()
    let world = ImageCacheWorld(memory: memory, disk: disk)
    let image = Image.halves()

    #expect(await world.cache.store(image, for: url))
    #expect(memory.count == 1 && disk.responses.count == 1)
    #expect(await world.cache.location(of: url) == .memory)
    #expect(await world.cache.location(of: url, in: .disk) == .disk)
    #expect(await world.cache.query(url)?.image === image)
    #expect(await world.cache.remove(url, from: .memory))
    #expect(await world.cache.query(url)?.source == .disk)
    #expect(memory.count == 1)
    #expect(await world.cache.remove(url))
    #expect(memory.count == 0 && disk.responses.isEmpty)
    await world.cache.store(image, for: url)

    #expect(await world.cache.removeAll())

    #expect(memory.count == 0 && disk.responses.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: world.folder))
  }

  @Test("SD-C36 SD-U3 user data is stored with an image: set, listed, read, queried and removed by name")
  func userDataIsStoredWithAnImage() async throws {
    await cache.store(Image.halves().withUserData(["author": [1, 2], "": [0xFF]]), for: url)
    await cache.removeAll(from: .memory)

    var data = await cache.userData(for: url)
    #expect(data.keys.sorted() == ["", "author"])
    #expect(data["author"] == [1, 2] && data["other"] == nil)
    #expect(await cache.query(url, storesInMemory: false)?.userData == data)
    data["author"] = nil
    data["größe"] = []
    #expect(await cache.setUserData(data, for: url))
    #expect(await cache.userData(for: url) == ["": [0xFF], "größe": []])
    #expect(await cache.setUserData([:], for: url))
    #expect(await cache.userData(for: url).isEmpty)
    #expect(await cache.query(url)?.image.size == Size(width: 20, height: 10))
    #expect(!(await cache.setUserData(["a": [1]], for: "http://a.test/other")))
  }

  @Test("a server cannot set user data") func serverCannotSetUserData() async throws {
    world.transport.respondToAll { transfer in
      let body = (try? ImageCodecs().encode(.halves(), as: .png)) ?? []
      transfer.respond(
        headers: ["Vitrine-User-Data": "61:AQI=", "Cache-Control": "max-age=60"], expectedLength: body.count)
      transfer.send(body)
      transfer.finish()
    }
    let response = try await world.downloader.image(for: url)
    #expect(await response.isStored())
    #expect(response.userData.isEmpty)
    #expect(await cache.userData(for: url, in: .disk).isEmpty)
  }

  @Test("YY-B37 removing all images from disk reports progress up to the end and leaves nothing")
  func removingAllFromDiskReportsProgress() async throws {
    for number in 0..<12 { await cache.store(.halves(), for: "http://a.test/\(number)", in: .disk) }
    var steps: [[Int]] = []
    var stepsAtEnds: [Int] = []

    let isComplete = try await callback { done in
      cache.removeAll(
        from: .disk, progress: { steps.append([$0, $1]) },
        completion: {
          stepsAtEnds.append(steps.count)
          done($0)
        })
    }
    await drainMainQueue()

    #expect(isComplete)
    #expect(steps == (1...12).map { [$0, 12] })
    #expect(stepsAtEnds == [12], "the completion is called once, after the last step")
    #expect(await cache.diskUsage()?.count == 0)
    #expect(await cache.diskUsage()?.bytes == 0)
    #expect(await cache.removeAll(from: .disk), "an empty cache is emptied without an error too")
  }

  @Test("SD-C13 removing expired images removes an image older than the limit")
  func expiredImageIsRemoved() async throws {
    let disk = try #require(world.disk as? DiskImageCache)
    disk.limits.timeToLive = 1
    await cache.store(.halves(), for: url)
    await cache.removeExpired()
    #expect(await cache.diskUsage()?.count == 1)

    world.advance(by: 2)
    await cache.removeExpired()

    #expect(await cache.diskUsage()?.count == 0)
  }
}

/// A custom memory cache without limits.
private final class DictionaryCache: ImageRequestCache {
  private let images = Mutex<[ImageIdentity: Image]>([:])

  var count: Int { images.withLock { $0.count } }

  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    let key = ImageIdentity(request, additionalIdentifier: additionalIdentifier)
    return images.withLock { $0[key] }
  }

  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    let key = ImageIdentity(request, additionalIdentifier: additionalIdentifier)
    images.withLock { $0[key] = image }
  }

  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    let key = ImageIdentity(request, additionalIdentifier: additionalIdentifier)
    return images.withLock { $0.removeValue(forKey: key) != nil }
  }

  func removeAllImages() -> Bool {
    images.withLock { images in
      defer { images = [:] }
      return !images.isEmpty
    }
  }
}
