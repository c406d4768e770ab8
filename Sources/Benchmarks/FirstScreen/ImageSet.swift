/// The image files of `first-screen`, generated once.
struct ImageSet {
  static let count = 200
  private static let quality: Int32 = 85

  private let files: GeneratedFiles

  static func name(_ index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: 3 - digits.count) + digits + ".jpg"
  }

  /// Generates the images unless they exist, which takes about ten seconds.
  init(folder: String = ".build/bench/images") throws {
    files = try GeneratedFiles(folder: folder, version: "made-by-1", jobs: Self.count) { index in
      let bytes = JPEGEncoder.bytes(
        ImageMaker.pixels(index), width: ImageMaker.width, height: ImageMaker.height, quality: Self.quality)
      return [GeneratedFiles.File(name: Self.name(index), bytes: bytes)]
    }
  }

  var folder: String { files.folder }

  /// Reads the contents of all files.
  func bytes() throws -> [[UInt8]] { try (0..<Self.count).map { try files.bytes(of: Self.name($0)) } }
}
