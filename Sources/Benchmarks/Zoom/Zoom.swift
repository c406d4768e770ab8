import FoundationEssentials

/// Enlarging photographs of 24 and of 100 megapixels with two fingers, in a window of 1280x800.
enum Zoom {
  static func measure(_ options: Options) throws -> [Figure] {
    let set = try LargePhotoSet()
    return try LargePhotoSet.Size.allCases.flatMap { size in
      var runs: [[String: Double]] = []
      // The first run warms up.
      for index in 0...min(options.runs, 5) {
        let figures = try ChildProcess(.zoom, [set.path(size)]).figures()
        if index > 0 { runs.append(figures) }
      }
      return figures(size, runs, scaledDecode: try scaledDecode(set.path(size)))
    }
  }

  /// Returns the time in seconds that libjpeg-turbo takes to decode a photograph to the size of the window, from memory.
  private static func scaledDecode(_ path: String) throws -> Double {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let seconds = (0..<3).map { _ in
      let start = SystemCounters.time
      _ = TurboReference.decode(bytes, covering: (1200, 800))
      return SystemCounters.time - start
    }
    return Samples(seconds).median
  }

  private static func figures(
    _ size: LargePhotoSet.Size, _ runs: [[String: Double]], scaledDecode: Double
  ) -> [Figure] {
    let name = size.rawValue
    let isStandard = size == .megapixels24
    return [
      Figure(
        "\(name)_first_view_s", runs.samples("first_view_s"), label: "\(size.label): first view", unit: "s"),
      Figure(
        "ratio_\(name)_first_view", runs.samples("first_view_s"),
        label: "  ratio to a scaled decode", factor: 1 / scaledDecode, floor: isStandard ? nil : .atMost(1.2)),
      Figure(
        "\(name)_p99_ms", runs.samples("p99_ms"), label: "  p99 of a frame while pinching", unit: "ms",
        floor: isStandard ? .atMost(12) : nil, aim: isStandard ? .atMost(8) : nil),
      Figure(
        "\(name)_late_frames", runs.samples("late"), label: "  late frames of 300",
        floor: isStandard ? .atMost(0) : nil),
      Figure(
        "\(name)_sharp_ms", runs.samples("sharp_ms"), label: "  from rest to sharp", unit: "ms",
        floor: isStandard ? nil : .atMost(200)),
      Figure(
        "\(name)_above_baseline_mb", runs.samples("above_baseline_mb"), label: "  memory above the baseline",
        unit: "MB", floor: isStandard ? nil : .atMost(48), aim: isStandard ? nil : .atMost(32)),
    ]
  }
}

/// Two large photographs, generated once.
struct LargePhotoSet {
  enum Size: String, CaseIterable {
    case megapixels24 = "mp24"
    case megapixels100 = "mp100"

    var label: String { self == .megapixels24 ? "24 megapixels" : "100 megapixels" }
    /// The width; the height is two thirds of it.
    var width: Int { self == .megapixels24 ? 6000 : 12_240 }
    var height: Int { width * 2 / 3 }
  }

  private let files: GeneratedFiles

  init() throws(BenchmarkError) {
    files = try GeneratedFiles(
      folder: ".build/bench/large", version: "made-by-1", jobs: Size.allCases.count
    ) { index in
      let size = Size.allCases[index]
      let pixels = ImageMaker.pixels(2000 + index, width: size.width, height: size.height, grain: 8)
      return [
        GeneratedFiles.File(
          name: size.rawValue + ".jpg",
          bytes: JPEGEncoder.bytes(
            pixels, width: size.width, height: size.height, quality: 92, sampling: .quarter,
            usesStandardTables: true))
      ]
    }
  }

  func path(_ size: Size) -> String { files.folder + "/" + size.rawValue + ".jpg" }
}
