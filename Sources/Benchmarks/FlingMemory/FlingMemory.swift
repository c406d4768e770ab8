import VitrineGalleryServer

/// Four minutes of flinging through lists, grids and large images. Compares the memory that the process has taken since
/// its first frame with the memory that the ledger counts.
enum FlingMemory {
  private static let runCount = 3
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
    let runs = try ChildProcess.figures(.flingMemory, [server.baseURL], runs: runCount)
    return [
      Figure(
        "ratio_memory", runs.samples("ratio"),
        label: "ratio of the memory above the baseline, less 16 MB, to the ledger", aim: .atMost(1.15)),
      Figure(
        "above_mb", runs.samples("above"), label: "  memory above the baseline", unit: "MB", factor: 1e-6),
      Figure("ledger_mb", runs.samples("ledger"), label: "  counted by the ledger", unit: "MB", factor: 1e-6),
      Figure("heap_used_mb", runs.samples("heap_used"), label: "  heap in use", unit: "MB", factor: 1e-6),
      Figure("heap_free_mb", runs.samples("heap_free"), label: "  free heap", unit: "MB", factor: 1e-6),
      Figure(
        "peak_mb", runs.samples("peak"), label: "  maximum above the baseline", unit: "MB", factor: 1e-6),
      Figure("images", runs.samples("images"), label: "  images loaded"),
      Figure("seconds", runs.samples("seconds"), label: "  time of a run", unit: "s"),
    ]
  }

  /// Returns a part of a generated photograph, a different part for each number.
  private static func image(_ index: Int, _ width: Int, _ height: Int) -> [UInt8] {
    JPEGEncoder.bytes(
      ofPart: ImageMaker.pixels(index / 4), x: (ImageMaker.width - width) * (index % 4) / 3, y: 0,
      width: width, height: height, isProgressive: index % 4 == 3)
  }
}
