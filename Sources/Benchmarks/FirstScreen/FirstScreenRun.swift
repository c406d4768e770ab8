import Glibc
import Vitrine

/// The child process of `FirstScreen` and `Photos`: fills a window with images and measures time and memory.
@MainActor
struct FirstScreenRun {
  nonisolated static let tile = 64
  private static let windowWidth = 1280

  private let application: Application
  /// The size of a tile.
  private let size: (width: Int, height: Int)
  private let columns: Int
  private var tiles: [ImageView] = []

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The server's URL, the number of images, the width and the height of a tile, and optionally
  ///   the folder of the images of `ImageSet`, for which the quality of the square tiles is then measured.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count >= 4, let count = Int(arguments[1]), let width = Int(arguments[2]),
      let height = Int(arguments[3]), width > 0, height > 0
    else { throw BenchmarkError("a URL, a count, the size of a tile") }
    let run = try FirstScreenRun(count: count, tile: (width, height))
    var figures = try run.load(from: arguments[0])
    if arguments.count > 4 {
      figures.merge(try run.quality(ImageSet(folder: arguments[4]))) { first, _ in first }
    }
    return figures
  }

  /// Returns the arguments of a child process for tiles of a size.
  nonisolated static func arguments(
    _ server: ImageServer, count: Int, width: Int = tile, height: Int = tile
  ) -> [String] {
    [server.baseURL, String(count), String(width), String(height)]
  }

  private init(count: Int, tile: (width: Int, height: Int)) throws {
    application = try .offscreen()
    size = tile
    columns = max(1, Self.windowWidth / tile.width)
    for index in 0..<count {
      let view = ImageView(
        frame: Rect(
          x: Double(index % columns * tile.width), y: Double(index / columns * tile.height),
          width: Double(tile.width), height: Double(tile.height)))
      application.window.addSubview(view)
      tiles.append(view)
    }
    // The empty window is on the screen before the first request.
    while application.host.frameStatistics.presented == 0 { application.host.turn() }
  }

  private func load(from base: String) throws -> [String: Double] {
    let host = application.host
    let baseline = SystemCounters.residentBytes
    let cpu = SystemCounters.processCPU
    let start = SystemCounters.time
    for (index, view) in tiles.enumerated() { view.setImage(from: base + "/" + ImageSet.name(index)) }
    while !application.window.isLoaded { host.turn() }
    let loaded = SystemCounters.time - start
    let cpuLoaded = SystemCounters.processCPU - cpu
    let presented = host.frameStatistics.presented
    while host.frameStatistics.presented == presented, !application.window.isIdle { host.turn() }
    let drawn = SystemCounters.time - start
    while !application.window.isIdle { host.turn() }

    let statistics = application.downloader.statistics
    guard statistics.loads[.network] == tiles.count else {
      throw BenchmarkError("\(statistics.failures) of \(tiles.count) images were not loaded")
    }
    return [
      "loaded_s": loaded, "drawn_s": drawn, "cpu_s": cpuLoaded, "baseline_rss_bytes": Double(baseline),
      "peak_rss_bytes": Double(SystemCounters.peakResidentBytes), "requests": Double(statistics.requests),
      "connections": Double(statistics.connections), "frames": Double(host.frameStatistics.presented),
      "late_frames": Double(host.frameStatistics.late), "trace_s": Self.secondsToRecord(host.trace),
      "trace_events": Double(host.trace.events.count + host.trace.lostEvents),
    ]
  }

  /// Returns the time in seconds for recording the trace's events once more, including the reads of the clock.
  private static func secondsToRecord(_ trace: Trace) -> Double {
    let events = trace.events
    let rounds = 100
    let copy = Trace()
    let start = SystemCounters.time
    for _ in 0..<rounds {
      for event in events { copy.record(event.kind) }
    }
    return (SystemCounters.time - start) / Double(rounds)
  }

  /// Returns the mean and the worst quality of all tiles, as decoded and as shown on the screen, compared with each reference filter.
  private func quality(_ images: ImageSet) throws -> [String: Double] {
    let bytes = try images.bytes()
    let screen = Pixels(application.host.screenshot())
    let decoded = tiles.compactMap { $0.image.map { Pixels($0.bitmap) } }
    let (side, columns) = (size.height, columns)
    let sums = Sums()
    onAllCores(count: decoded.count) { index in
      guard let source = TurboReference.decode(bytes[index]) else { return }
      let (width, height) = (Double(source.width), Double(source.height))
      let tile = screen.part(x: index % columns * side, y: index / columns * side, width: side, height: side)
      let square = TileQuality.Part(x: (width - height) / 2, y: 0, width: height, height: height)
      // The source area of the whole decoded image; half a column at either side may lie outside the tile.
      let decodedWidth = Double(decoded[index].width) * height / Double(decoded[index].height)
      let decodedPart = TileQuality.Part(
        x: (width - decodedWidth) / 2, y: 0, width: decodedWidth, height: height)
      for filter in TileQuality.Filter.allCases {
        sums.add("psnr_\(filter)_db", TileQuality.psnr(decoded[index], of: source, part: decodedPart, filter))
        sums.add("psnr_screen_\(filter)_db", TileQuality.psnr(tile, of: source, part: square, filter))
      }
    }
    return sums.means.merging(sums.minimums(prefix: "worst_")) { first, _ in first }
  }
}

extension Pixels {
  /// Copies a bitmap, in the byte order BGRA.
  init(_ bitmap: Bitmap) {
    self.init(
      width: bitmap.width, height: bitmap.height,
      bytes: bitmap.withUnsafeBytes { bytes in
        let pixels = Array(bytes)
        guard bitmap.format == .rgba else { return pixels }
        return pixels.indices.map { $0 & 3 == 3 || $0 & 3 == 1 ? pixels[$0] : pixels[$0 ^ 2] }
      })
  }

  func part(x: Int, y: Int, width: Int, height: Int) -> Pixels {
    let rows = (y..<y + height).map {
      bytes[(($0 * self.width + x) * 4)..<(($0 * self.width + x + width) * 4)]
    }
    return Pixels(width: width, height: height, bytes: Array(rows.joined()))
  }
}
