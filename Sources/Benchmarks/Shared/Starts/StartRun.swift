import Vitrine

/// The child process of `second-start` and `first-start`: fills a window with images as a starting program does, and
/// measures until the first frame that has all of them.
@MainActor
struct StartRun {
  private let job: StartJob
  private let application: Application
  private var tiles: [ImageView] = []

  static func measure(_ arguments: [String]) throws -> [String: Double] {
    try StartRun(StartJob(arguments: arguments)).measure()
  }

  private init(_ job: StartJob) throws {
    self.job = job
    let dataCache = job.storage == .files ? try job.folder.map { try PlainFileCache(folder: $0) } : nil
    application = try .offscreen { configuration in
      configuration.host.size = job.screen.window
      guard let folder = job.folder else { return }
      configuration.dataCache = dataCache ?? DiskImageCache(directory: folder)
      configuration.pixelCache = job.storage == .pixels ? DiskPixelCache(directory: folder) : nil
    }
    let tile = job.screen.tile
    for index in 0..<job.screen.count {
      let (row, column) = index.quotientAndRemainder(dividingBy: job.screen.columns)
      let view = ImageView(
        frame: Rect(
          x: Double(column) * tile.width, y: Double(row) * tile.height, width: tile.width, height: tile.height
        ))
      application.window.addSubview(view)
      tiles.append(view)
    }
  }

  private func measure() throws -> [String: Double] {
    let (host, window) = (application.host, application.window)
    while job.opensWindowFirst, host.frameStatistics.presented == 0 { host.turn() }
    let framesBefore = host.frameStatistics.presented
    let meter = StartMeter()
    let pixelCount = Counter()
    let endedCount = Counter()
    for (index, view) in tiles.enumerated() {
      view.setImage(from: job.base + "/" + ImageSet.name(index)) { result in
        endedCount.value += 1
        if case .success(let response) = result, response.isFromPixelCache { pixelCount.value += 1 }
      }
    }
    var loaded: Double?
    while true {
      let presented = host.frameStatistics.presented
      host.turn()
      // Looking at all views in each turn would add to the processor time.
      guard endedCount.value == tiles.count, window.isLoaded else { continue }
      if loaded == nil { loaded = meter.seconds }
      // A turn draws its frame last, so a frame of this turn has the images that arrived in it.
      if host.frameStatistics.presented > presented || window.isIdle { break }
    }
    var figures = meter.figures
    figures["loaded_s"] = loaded
    figures["frames"] = Double(host.frameStatistics.presented - framesBefore)
    figures["from_pixels"] = Double(pixelCount.value)

    while !window.isIdle { host.turn() }
    application.downloader.finishWriting(within: 60)
    figures["written_s"] = meter.seconds
    figures["written_cpu_s"] = meter.cpu
    let statistics = application.downloader.statistics
    figures["requests"] = Double(statistics.requests)
    for source in ImageResponse.Source.allCases {
      figures["from_" + source.rawValue] = Double(statistics.loads[source] ?? 0)
    }
    return figures
  }

  /// A number that completions change.
  @MainActor private final class Counter { var value = 0 }
}
