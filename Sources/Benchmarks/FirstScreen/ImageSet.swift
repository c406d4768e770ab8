import FoundationEssentials
import Synchronization

/// The image files of `first-screen`, generated once.
struct ImageSet {
  static let count = 200
  private static let quality: Int32 = 85
  /// The name of a marker file beside the images. Changing its number makes the program generate the images again.
  private static let version = "made-by-1"

  let folder: String

  static func name(_ index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: 3 - digits.count) + digits + ".jpg"
  }

  /// Generates the images unless they exist, which takes about ten seconds.
  init(folder: String = ".build/bench/images") throws {
    self.folder = folder
    let files = FileManager.default
    if files.fileExists(atPath: folder + "/" + Self.version) { return }
    do {
      try? files.removeItem(atPath: folder)
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Self.make(in: folder)
      // The marker is written last, so that an interrupted generation starts again.
      try Data().write(to: URL(filePath: folder + "/" + Self.version))
    } catch {
      throw BenchmarkError("cannot write the images to \(folder)")
    }
  }

  private static func make(in folder: String) throws {
    let failures = Failures()
    onAllCores(count: count) { index in
      let bytes = JPEGEncoder.bytes(
        ImageMaker.pixels(index), width: ImageMaker.width, height: ImageMaker.height, quality: quality)
      do {
        try Data(bytes).write(to: URL(filePath: folder + "/" + name(index)))
      } catch {
        failures.count.add(1, ordering: .relaxed)
      }
    }
    if failures.count.load(ordering: .relaxed) > 0 { throw BenchmarkError("not written") }
  }

  private final class Failures: Sendable { let count = Atomic(0) }

  /// Reads the contents of all files.
  func bytes() throws -> [[UInt8]] {
    try (0..<Self.count).map { index in
      let path = folder + "/" + Self.name(index)
      guard let data = FileManager.default.contents(atPath: path) else {
        throw BenchmarkError("cannot read \(path)")
      }
      return [UInt8](data)
    }
  }
}
