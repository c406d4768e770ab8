import Foundation
import Glibc
import Synchronization
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

extension DiskFixture {
  /// Returns a new pixel cache, as a process that starts now would create.
  func pixels(
    on system: any DiskSystem = LinuxDiskSystem(), in folder: String? = nil,
    _ configure: (inout DiskPixelCache.Limits) -> Void = { _ in }
  ) -> DiskPixelCache {
    var limits = DiskPixelCache.Limits()
    limits.freeBytes = 0
    configure(&limits)
    return DiskPixelCache(
      directory: folder ?? self.folder, limits: limits, clock: clock,
      wallClock: { self.wallClock.withLock { $0 } }, system: system)
  }

  /// The folder of packs.
  var packFolder: String { "\(folder)/\(CacheFolder.pixelVersion)/\(PixelFolder.packs)" }
  var indexPath: String { "\(packFolder)/\(PixelBucket.fileName)" }

  /// The paths of the packs.
  var packPaths: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: packFolder)) ?? []
    return names.filter { PackName.number($0) != nil }.sorted().map { "\(packFolder)/\($0)" }
  }

  /// The paths of all files below the folder of pixels.
  var pixelFiles: [String] {
    let root = "\(folder)/\(CacheFolder.pixelVersion)"
    return ((try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []).map { "\(root)/\($0)" }
  }
}

/// Reads a file.
func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

/// Overwrites a file in place, so that open descriptors see the new bytes.
func overwrite(_ path: String, _ bytes: some Sequence<UInt8>) throws {
  try Data(bytes).write(to: URL(filePath: path))
}

/// The key of an image, which the number and the variant identify.
func pixelKey(_ number: Int, _ variant: String = "64x64") -> PixelKey {
  PixelKey(identity: identity(number), variant: variant)
}

func body(_ number: Int) -> BodyDigest {
  BodyDigest(high: UInt64(number) &* 77, low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
}

/// Returns an image whose pixels depend on `seed`.
func pixelImage(
  _ width: Int = 8, _ height: Int = 6, seed: Int = 1, format: PixelFormat = .bgra, isOpaque: Bool = false
) -> Image {
  let bitmap = Bitmap(width: width, height: height, format: format, isOpaque: isOpaque) { bytes, _ in
    for index in bytes.indices {
      let word = UInt64(truncatingIfNeeded: index &+ seed &* 1_000_003) &* 0x9E37_79B9_7F4A_7C15
      bytes[index] = UInt8(truncatingIfNeeded: word >> 56)
    }
  }
  return Image(bitmap, format: .jpeg, sourceWidth: width * 10, sourceHeight: height * 10)
}

/// Returns true if both images have the same pixels and properties.
func isSame(_ found: StoredPixels?, _ image: Image, isAnimated: Bool = false) -> Bool {
  guard let found else { return false }
  let (one, other) = (found.image, image)
  return one.bitmap.width == other.bitmap.width && one.bitmap.height == other.bitmap.height
    && one.bitmap.format == other.bitmap.format && one.bitmap.isOpaque == other.bitmap.isOpaque
    && one.scale == other.scale && one.format == other.format && one.renderingMode == other.renderingMode
    && one.sourceWidth == other.sourceWidth && one.sourceHeight == other.sourceHeight
    && found.isAnimated == isAnimated && !one.isAnimated && !one.isPreview
    && one.bitmap.withUnsafeBytes { one in other.bitmap.withUnsafeBytes { one.elementsEqual($0) } }
}

extension DiskPixelCache {
  /// Stores the image of a number, with its body.
  @discardableResult
  func put(_ number: Int, width: Int = 8, height: Int = 6, variant: String = "64x64") -> Bool {
    store(
      pixelImage(width, height, seed: number), isAnimated: false, for: pixelKey(number, variant),
      of: body(number))
  }

  func find(_ number: Int, variant: String = "64x64") -> StoredPixels? {
    pixels(for: pixelKey(number, variant), of: body(number)) { _ in }
  }

  /// Returns true if the image of a number is found undamaged.
  func has(_ number: Int, width: Int = 8, height: Int = 6, variant: String = "64x64") -> Bool {
    isSame(find(number, variant: variant), pixelImage(width, height, seed: number))
  }
}
