import VitrineGalleryServer

/// Four minutes of flinging through lists, grids and large images. Compares the memory that the process has taken since
/// its first frame with the memory that the ledger counts.
enum FlingMemory {
  private static let runs = 3
  /// The number of source images of each size: three quarters baseline, one quarter progressive.
  private static let count = 8

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try GalleryServer()
    defer { server.stop() }
    for (name, width, height) in [("large", 1600, 1200), ("middle", 800, 600), ("small", 240, 180)] {
      for index in 0..<count {
        server.add(
          Resource(body: image(index, width, height), contentType: "image/jpeg"), at: "/\(name)\(index).jpg")
      }
    }
    var figures: [[String: Double]] = []
    for _ in 0..<runs { figures.append(try ChildProcess(.flingMemory, [server.baseURL]).figures()) }
    func samples(_ name: String) -> Samples { Samples(figures.map { $0[name] ?? .nan }) }
    return [
      Figure(
        "ratio_memory", samples("ratio"),
        label: "ratio of the memory above the baseline, less 16 MB, to the ledger",
        aim: .atMost(1.15)),
      Figure("above_mb", samples("above"), label: "  memory above the baseline", unit: "MB", factor: 1e-6),
      Figure("ledger_mb", samples("ledger"), label: "  counted by the ledger", unit: "MB", factor: 1e-6),
      Figure("heap_used_mb", samples("heap_used"), label: "  heap in use", unit: "MB", factor: 1e-6),
      Figure("heap_free_mb", samples("heap_free"), label: "  free heap", unit: "MB", factor: 1e-6),
      Figure("peak_mb", samples("peak"), label: "  maximum above the baseline", unit: "MB", factor: 1e-6),
      Figure("images", samples("images"), label: "  images loaded"),
      Figure("seconds", samples("seconds"), label: "  time of a run", unit: "s"),
    ]
  }

  /// Returns a part of a generated photograph, a different part for each number.
  private static func image(_ index: Int, _ width: Int, _ height: Int) -> [UInt8] {
    let pixels = ImageMaker.pixels(index / 4)
    let left = (ImageMaker.width - width) * (index % 4) / 3
    let rows = (0..<height).map { row in
      let start = (row * ImageMaker.width + left) * 3
      return pixels[start..<start + width * 3]
    }
    return JPEGEncoder.bytes(
      Array(rows.joined()), width: width, height: height, quality: 85, isProgressive: index % 4 == 3)
  }
}
