import FoundationEssentials
import Glibc
import VitrineDiskCache
import VitrineGraphics
import VitrineLoading

/// `DiskProbe pixels FOLDER FIRST` stores pixels in a pixel cache until it is killed, and prints the number and version
/// of each stored image, like `DiskProbe FOLDER FIRST`.
enum PixelWriter {
  /// The number of different images. Each has many versions.
  private static let count: UInt64 = 60

  static func run(in folder: String, from first: UInt64) throws -> Never {
    var limits = DiskPixelCache.Limits()
    limits.freeBytes = 0
    let cache = DiskPixelCache(directory: folder, limits: limits)
    for version in first... {
      let number = (version &* 7919) % count
      var request = try ImageRequest("http://a.test/\(number).jpg")
      // Every second request is private, so that the folder has a key.
      if number % 2 == 0 { request.headers["Cookie"] = "id=\(number)" }
      let key = PixelKey(identity: RequestIdentity(request), variant: "probe")
      let body = BodyDigest(high: number, low: version)
      guard cache.store(image(number, version), isAnimated: false, for: key, of: body) else { continue }
      let line = Array("\(number) \(version)\n".utf8)
      _ = write(STDOUT_FILENO, line, line.count)
    }
    exit(1)
  }

  /// Returns an image whose pixels depend on the number and the version.
  private static func image(_ number: UInt64, _ version: UInt64) -> Image {
    let (width, height) = (1 + Int((number &* 31 &+ version &* 17) % 64), 1 + Int((version &* 7) % 64))
    return Image(
      Bitmap(width: width, height: height, format: .rgba, isOpaque: false) { bytes, _ in
        for index in bytes.indices {
          bytes[index] = UInt8(truncatingIfNeeded: UInt64(index) &* (version | 1) &+ number)
        }
      })
  }
}
