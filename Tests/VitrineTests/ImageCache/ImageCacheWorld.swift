import Foundation
import Synchronization
import Vitrine
import VitrineTesting

/// A downloader with a memory cache, a disk cache in its own folder, the real codecs, and clocks that stand still.
final class ImageCacheWorld: Sendable {
  let folder = FileManager.default.temporaryDirectory.path + "/vitrine-images-\(UUID())"
  let transport = FakeTransport()
  let memory: any ImageRequestCache
  let disk: any ImageDataCache
  let downloader: ImageDownloader

  var cache: ImageCache { downloader.imageCache }
  /// The disk cache of the folder.
  var folderCache: DiskImageCache { DiskImageCache.instance(directory: folder) }

  init(
    memory: any ImageRequestCache = MemoryImageCache(), disk: (any ImageDataCache)? = nil,
    decoder: any ImageDecoding = ImageCodecs()
  ) {
    self.memory = memory
    let clock = ManualWallClock()
    var limits = DiskImageCache.Limits()
    limits.freeBytes = 0
    let folderCache = DiskImageCache(directory: folder, limits: limits, wallClock: { clock.value })
    self.disk = disk ?? folderCache
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = ManualLoadingClock()
    configuration.environment.wallClock = { clock.value }
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: decoder, cache: memory,
      dataCache: self.disk)
    self.clock = clock
  }

  private let clock: ManualWallClock

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func advance(by seconds: Double) { clock.add(seconds) }

  private final class ManualWallClock: Sendable {
    private let seconds = Mutex(1_800_000_000.0)
    var value: Double { seconds.withLock { $0 } }
    func add(_ more: Double) { seconds.withLock { $0 += more } }
  }

  /// The URL of an image.
  static let url = "http://a.test/1.png"

  /// The bytes of the only file on disk, apart from the file of fetch locks.
  var onlyFile: [UInt8]? {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
        && !isFolder.boolValue && !name.hasSuffix("/locks")
    }
    guard files.count == 1 else { return nil }
    return FileManager.default.contents(atPath: "\(folder)/\(files[0])").map { Array($0) }
  }
}

extension Image {
  /// Returns an image that is red on the left and blue on the right. `alpha` applies to the right half.
  static func halves(_ width: Int = 20, _ height: Int = 10, alpha: UInt8 = 255) -> Image {
    Image(
      Bitmap(width: width, height: height, format: .bgra) { x, _ in
        x < width / 2 ? Color(red: 255, green: 0, blue: 0) : Color(red: 0, green: 0, blue: 255, alpha: alpha)
      })
  }
}
