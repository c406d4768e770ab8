import VitrineGalleryServer

/// Slots that receive ten thousand new requests per second in total, as if cells were reused faster than a list can
/// scroll.
enum ReuseStorm {
  /// The number of runs. Three are enough, because each takes fifteen seconds.
  private static let storms = 3

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try GalleryServer()
    for (index, bytes) in images().enumerated() {
      server.add(Resource(body: bytes, contentType: "image/jpeg"), at: "/\(index).jpg")
    }
    let runs = try ChildProcess.figures(.reuseStorm, [server.baseURL, "15"], runs: storms)
    server.stop()
    return [
      Figure(
        "changes_per_s", runs.samples("changes_per_s"), label: "slot changes per second",
        floor: .atLeast(9_990)),
      Figure("frames_per_s", runs.samples("frames_per_s"), label: "frames per second"),
      Figure("late_frames", runs.samples("late"), label: "late frames in 15 s", aim: .atMost(0)),
      Figure(
        "main_p50_ms", runs.samples("main_p50_ms"), label: "processor time of the main thread per frame",
        unit: "ms"),
      Figure("main_p99_ms", runs.samples("main_p99_ms"), label: "  p99", unit: "ms"),
      Figure(
        "main_max_ms", runs.samples("main_max_ms"), label: "  longest", unit: "ms", aim: .atMost(1000 / 60)),
      Figure(
        "process_percent", runs.samples("process_percent"), label: "all threads, fraction of a core",
        unit: "%"),
      Figure("shown_per_s", runs.samples("shown_per_s"), label: "images loaded and decoded per second"),
      Figure(
        "heap_growth_mb", runs.samples("heap_growth_mb"), label: "growth of the heap in use, second 5 to 15",
        unit: "MB", aim: .atMost(1)),
      Figure(
        "resident_growth_mb", runs.samples("resident_growth_mb"),
        label: "growth of the process, second 5 to 15", unit: "MB", aim: .atMost(1)),
      Figure(
        "wrong_endings", runs.samples("wrong_endings"), label: "completions not called exactly once",
        floor: .atMost(0), aim: .atMost(0)),
      Figure(
        "left_over", runs.samples("left_over"), label: "retained completions and waiting slots",
        floor: .atMost(0), aim: .atMost(0)),
    ]
  }

  /// Returns sections of a large image, encoded to about 7 kB each.
  private static func images() -> [[UInt8]] {
    let pixels = ImageMaker.pixels(0)
    let (width, height) = (ReuseStormRun.imageWidth, ReuseStormRun.imageHeight)
    return (0..<ReuseStormRun.imageCount).map { index in
      JPEGEncoder.bytes(
        ofPart: pixels, x: index % 4 * width, y: index / 4 * height, width: width, height: height)
    }
  }
}
