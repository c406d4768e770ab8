/// Loads 200 JPEGs of 1600x1200 over loopback HTTP into tiles of 64x64, from the first request until all are loaded.
/// The reference is libjpeg-turbo alone, which decodes the same bytes from memory at reduced scale on the same cores.
enum FirstScreen {
  private static let warmUps = 1

  static func measure(_ options: Options) throws -> [Figure] {
    let images = try ImageSet()
    let bytes = try images.bytes()
    let server = try ImageServer(options.server, folder: images.folder)
    let side = FirstScreenRun.tile
    // The width to which a tile's image must be decoded to fill the tile; the excess is cropped.
    let width = side * ImageMaker.width / ImageMaker.height + 1

    var runs: [[String: Double]] = []
    var references: [(seconds: Double, cpu: Double)] = []
    for index in 0..<warmUps + options.runs {
      let arguments = FirstScreenRun.arguments(server, count: ImageSet.count)
      let run = try ChildProcess(.firstScreen, arguments).figures()
      let reference = TurboReference.measure(bytes, width: width, height: side)
      guard index >= warmUps else { continue }
      runs.append(run)
      references.append(reference)
    }
    let quality = try ChildProcess(
      .firstScreen, FirstScreenRun.arguments(server, count: ImageSet.count) + [images.folder]
    ).figures()

    let ratios = Samples(zip(runs, references).map { ($0["loaded_s"] ?? .nan) / $1.seconds })
    let above = Samples(
      runs.map { (($0["peak_rss_bytes"] ?? .nan) - ($0["baseline_rss_bytes"] ?? .nan)) / 1e6 })
    func bestQuality(_ prefix: String) -> Double {
      max(quality[prefix + "_area_db"] ?? .nan, quality[prefix + "_lanczos_db"] ?? .nan)
    }
    let kilobytes = Double(bytes.reduce(0) { $0 + $1.count }) / Double(bytes.count) / 1000
    return [
      Figure("median_s", runs.samples("loaded_s"), label: "first request to all loaded", unit: "s"),
      Figure("drawn_s", runs.samples("drawn_s"), label: "to all drawn", unit: "s"),
      Figure(
        "reference_s", Samples(references.map(\.seconds)), label: "libjpeg-turbo, bytes in memory", unit: "s"),
      Figure(
        "ratio_libjpeg_turbo", ratios, label: "ratio, pair by pair", floor: .atMost(1.1), aim: .atMost(0.85)),
      Figure("cpu_s", runs.samples("cpu_s"), label: "processor time", unit: "s"),
      Figure(
        "reference_cpu_s", Samples(references.map(\.cpu)), label: "processor time of libjpeg-turbo", unit: "s"
      ),
      Figure(
        "ratio_libjpeg_turbo_cpu", Samples(zip(runs, references).map { ($0["cpu_s"] ?? .nan) / $1.cpu }),
        label: "ratio of processor time, without the server", floor: .atMost(1), aim: .atMost(0.75)),
      Figure(
        "trace_percent", Samples(runs.map { ($0["trace_s"] ?? .nan) / ($0["cpu_s"] ?? .nan) * 100 }),
        label: "fraction of the processor time for the trace", unit: "%", floor: .atMost(1)),
      Figure("trace_events", runs.samples("trace_events"), label: "events in the trace"),
      Figure(
        "above_baseline_mb", above, label: "memory above the baseline", unit: "MB", floor: .atMost(12),
        aim: .atMost(10)),
      Figure("peak_rss_mb", runs.samples("peak_rss_bytes"), label: "peak memory", unit: "MB", factor: 1e-6),
      Figure(
        "baseline_rss_mb", runs.samples("baseline_rss_bytes"), label: "memory of the empty window",
        unit: "MB",
        factor: 1e-6),
      Figure(
        "psnr_db", bestQuality("psnr"), label: "quality as decoded", unit: "dB", floor: .atLeast(40)),
      Figure(
        "psnr_screen_db", bestQuality("psnr_screen"), label: "quality on the screen", unit: "dB",
        floor: .atLeast(40)),
      Figure(
        "psnr_worst_db", bestQuality("worst_psnr"), label: "worst quality as decoded", unit: "dB",
        floor: .atLeast(35)),
      Figure(
        "psnr_screen_worst_db", bestQuality("worst_psnr_screen"), label: "worst quality on the screen",
        unit: "dB", floor: .atLeast(35)),
      Figure("psnr_area_db", quality["psnr_area_db"] ?? .nan),
      Figure("psnr_lanczos_db", quality["psnr_lanczos_db"] ?? .nan),
      Figure("psnr_screen_area_db", quality["psnr_screen_area_db"] ?? .nan),
      Figure("psnr_screen_lanczos_db", quality["psnr_screen_lanczos_db"] ?? .nan),
      Figure("requests", runs.samples("requests"), label: "requests"),
      Figure("connections", runs.samples("connections"), label: "connections"),
      Figure("frames", runs.samples("frames"), label: "frames presented"),
      Figure("late_frames", runs.samples("late_frames"), label: "late frames"),
      Figure("image_kb", kilobytes, label: "mean size of an image", unit: "kB"),
    ] + (try qtQuick(server, runs: options.runs))
  }

  /// Loads the same images on one core, with Vitrine and with Qt Quick in turn. The server is on any core.
  private static func qtQuick(_ server: ImageServer, runs: Int) throws -> [Figure] {
    do {
      let program = try QtQuick()
      var own: [Double] = []
      var other: [Double] = []
      for index in 0..<warmUps + runs {
        let arguments = FirstScreenRun.arguments(server, count: ImageSet.count)
        let run = try ChildProcess.onOneCore(.firstScreen, arguments).figures()
        let seconds = try program.secondsOnOneCore(
          server.baseURL, count: ImageSet.count, tile: FirstScreenRun.tile)
        guard index >= warmUps else { continue }
        own.append(run["loaded_s"] ?? .nan)
        other.append(seconds)
      }
      return [
        Figure("one_core_s", Samples(own), label: "on one core, to all loaded", unit: "s"),
        Figure("qt_quick_s", Samples(other), label: "  Qt Quick", unit: "s"),
        Figure(
          "ratio_qt_quick", Samples(zip(own, other).map { $0 / $1 }), label: "  ratio, pair by pair",
          floor: .atMost(0.75), aim: .atMost(0.5)),
      ]
    } catch let error as NotMeasurable {
      return [.missing("ratio_qt_quick", reason: error.reason)]
    }
  }
}
