/// Image files like those of cameras, generated once: 12 megapixels, half of them 4:2:0 and half 4:2:2, with Exif. Every
/// fourth is to be turned by a quarter, and half of them have a thumbnail of 160x120.
struct PhotoSet {
  static let count = 40
  static let width = 4000
  static let height = 3000
  private static let quality: Int32 = 92
  /// The amplitude of the noise, in levels of 256: that of a small sensor in daylight.
  private static let grain: Float = 8

  private let files: GeneratedFiles

  /// Generates the images unless they exist, which takes about a minute.
  init() throws(BenchmarkError) {
    files = try GeneratedFiles(folder: ".build/bench/photos", version: "made-by-2", jobs: Self.count / 2) {
      scene in
      let pixels = ImageMaker.pixels(
        1000 + scene, width: Self.width, height: Self.height, grain: Self.grain)
      return (0..<2).map { index in
        let photo = scene * 2 + index
        return GeneratedFiles.File(name: ImageSet.name(photo), bytes: Self.encoded(pixels, photo))
      }
    }
  }

  private static func encoded(_ pixels: [UInt8], _ photo: Int) -> [UInt8] {
    let bytes = JPEGEncoder.bytes(
      pixels, width: width, height: height, quality: quality,
      sampling: photo % 2 == 0 ? .quarter : .half, usesStandardTables: true)
    let exif = CameraExif(
      orientation: photo % 4 == 3 ? 6 : 1, thumbnail: photo % 4 < 2 ? CameraExif.thumbnail(of: pixels) : nil)
    let startMarkerLength = 2
    return bytes.prefix(startMarkerLength) + exif.segment + bytes.dropFirst(startMarkerLength)
  }

  var folder: String { files.folder }

  /// The paths of all files.
  var paths: [String] { (0..<Self.count).map { folder + "/" + ImageSet.name($0) } }

  /// Reads the contents of all files.
  func bytes() throws(BenchmarkError) -> [[UInt8]] {
    var contents: [[UInt8]] = []
    for photo in 0..<Self.count { contents.append(try files.bytes(of: ImageSet.name(photo))) }
    return contents
  }
}
