import Foundation
import Synchronization
import Vitrine
import VitrineTesting

/// A cache folder with responses and decoded pixels that outlives each downloader, and a server of one image.
final class PixelCacheWorld: Sendable {
  static let url = "http://a.test/photo.jpg"

  /// The real codecs, with the number of decodes.
  final class CountingCodecs: ImageDecoding {
    private let codecs = ImageCodecs()
    private let decodes = Atomic(0)

    var count: Int { decodes.load(ordering: .relaxed) }
    var storageIdentifier: String? { codecs.storageIdentifier }

    func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image {
      decodes.add(1, ordering: .relaxed)
      return try codecs.decode(data, options: options)
    }
  }

  /// A program: a downloader with an empty memory cache, as after a start.
  struct Program {
    let transport = FakeTransport()
    let decoder = CountingCodecs()
    let downloader: ImageDownloader

    fileprivate init(
      folder: String, seed: String?, body: [UInt8], headers: HTTPHeaders, usesPixels: Bool,
      pixelFormat: PixelFormat
    ) {
      transport.respondToAll { transfer in
        transfer.respond(headers: headers, expectedLength: body.count)
        transfer.send(body)
        transfer.finish()
      }
      // The tests do not depend on the free space of the machine.
      var limits = DiskImageCache.Limits()
      var pixelLimits = DiskPixelCache.Limits()
      (limits.freeBytes, pixelLimits.freeBytes) = (0, 0)
      var configuration = ImageDownloader.Configuration()
      configuration.retries = .none
      configuration.decoding.pixelFormat = pixelFormat
      // A clock that stands still: no lookup is late.
      configuration.environment.clock = ManualLoadingClock()
      let responses = DiskImageCache(directory: folder, limits: limits)
      let dataCache: any ImageDataCache =
        if let seed { LayeredImageCache(responses, over: [seed]) } else { responses }
      let pixels = DiskPixelCache(directory: folder, limits: pixelLimits)
      downloader = ImageDownloader(
        configuration: configuration, transports: [transport], decoder: decoder, dataCache: dataCache,
        pixelCache: usesPixels ? LayeredPixelCache.cache(pixels, with: dataCache) : nil)
    }

    /// Loads an image, and waits until the disk has everything that is stored of it.
    func load(_ request: ImageRequest) async throws -> ImageResponse {
      let response = try await downloader.image(for: request)
      _ = await response.isStored()
      await downloader.drain()
      downloader.finishWriting(within: 60)
      return response
    }
  }

  let folder = FileManager.default.temporaryDirectory.path + "/vitrine-pixels-\(UUID())"

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Starts a program whose server sends `body`. The folder of `seed` is only read.
  func start(
    sending body: [UInt8], headers: HTTPHeaders = ["Cache-Control": "max-age=3600"], usesPixels: Bool = true,
    pixelFormat: PixelFormat = .bgra, over seed: PixelCacheWorld? = nil
  ) -> Program {
    Program(
      folder: folder, seed: seed?.folder, body: body, headers: headers, usesPixels: usesPixels,
      pixelFormat: pixelFormat)
  }

  /// The contents of the files of stored responses, by path.
  var responseFiles: [String: Data] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder + "/v3")) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.filter { $0 != "heads" }.compactMap { name in
        FileManager.default.contents(atPath: "\(folder)/v3/\(name)").map { (name, $0) }
      })
  }

  /// Returns a JPEG that takes longer to read than pixels of a small size.
  static func photo(seed: Int = 0, width: Int = 1200, height: Int = 900) throws -> [UInt8] {
    let image = Image(
      Bitmap(width: width, height: height, format: .bgra) { x, y in
        Color(
          red: UInt8(truncatingIfNeeded: x &* 7 &+ seed &* 31), green: UInt8(truncatingIfNeeded: x ^ y),
          blue: UInt8(truncatingIfNeeded: y &* 3))
      })
    return try ImageCodecs().encode(image, as: .jpeg)
  }

  /// Returns a request for the photo, by default at full size.
  static func request(
    width: Int? = nil, height: Int = 0, transforms: [any ImageTransform] = []
  ) throws -> ImageRequest {
    var request = try ImageRequest(url)
    if let width { request.targetSize = DecodeTarget(width: width, height: height) }
    request.transforms = transforms
    return request
  }
}

extension Image {
  /// The bytes of all pixels, row by row.
  var pixelBytes: [UInt8] { bitmap.withUnsafeBytes { Array($0) } }
}
