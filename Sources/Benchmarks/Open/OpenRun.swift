import FoundationEssentials
import Vitrine

/// The child process of `Open`: opens photographs from their tiles, one after another.
@MainActor
enum OpenRun {
  private static let photos = 12
  private static let tile = Size(width: 160, height: 120)

  /// A tile that opens its photograph.
  private final class Tile: ImageView {
    var onTap: () -> Void = {}
    override func touchBegan(_ touch: Touch) {}
    override func touchEnded(_ touch: Touch) { onTap() }
  }

  /// The times of one photograph, from the end of the tap.
  private struct Times {
    var frames = 0
    var firstFrame = 0.0
    var sharp = 0.0
  }

  /// - Parameter arguments: The folder of the photographs.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let folder = arguments.first else { throw BenchmarkError("which photographs?") }
    let application = try Application.offscreen { $0.host.size = Size(width: 1280, height: 800) }
    let (host, window) = (application.host, application.window)
    let tiles = (0..<photos).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: 6)
      return Tile(
        frame: Rect(
          origin: Point(x: Double(column) * (tile.width + 8), y: Double(row) * (tile.height + 8)), size: tile)
      )
    }
    for (index, view) in tiles.enumerated() {
      view.isUserInteractionEnabled = true
      window.addSubview(view)
      view.setImage(from: url(index, folder))
    }
    try wait(for: host) { window.isIdle }

    let times = try tiles.enumerated().map { try open($1, url($0, folder), in: host) }
    let sharp = Samples(times.map { $0.sharp * 1000 })
    return [
      "frames": Double(times.map(\.frames).max() ?? 0),
      "first_frame_ms": Samples(times.map { $0.firstFrame * 1000 }).median,
      "sharp_ms": sharp.median, "slowest_ms": sharp.quantile(1),
    ]
  }

  private static func url(_ index: Int, _ folder: String) -> String {
    URL(filePath: folder + "/" + ImageSet.name(index)).absoluteString
  }

  /// Taps on a tile, waits until its photograph is sharp, and closes it.
  private static func open(_ tile: Tile, _ url: String, in host: SDLHost) throws -> Times {
    let zoom = ZoomView(frame: host.window.bounds)
    let hero = HeroView(content: zoom) { zoom.contents }
    tile.onTap = {
      zoom.setImage(from: url)
      hero.open(from: HeroTile(frame: tile.frame), in: host.window)
    }
    var times = Times()
    let presented = host.frameStatistics.presented
    host.inject(.touch(id: InputEvent.mouse, phase: .began, location: tile.frame.center))
    let start = SystemCounters.time
    host.inject(.touch(id: InputEvent.mouse, phase: .ended, location: tile.frame.center))
    try wait(for: host) { host.frameStatistics.presented > presented }
    guard hero.stage == .opening else { throw BenchmarkError("the image does not leave its tile") }
    times.frames = host.frameStatistics.presented - presented
    times.firstFrame = SystemCounters.time - start
    try wait(for: host) { !zoom.isLoading }
    let loaded = host.frameStatistics.presented
    try wait(for: host) { host.frameStatistics.presented > loaded || host.window.isIdle }
    times.sharp = SystemCounters.time - start
    guard let image = zoom.contents, image.pixelWidth > Int(Self.tile.width) * 2 else {
      throw BenchmarkError("the photograph is not sharp")
    }
    try wait(for: host) { host.window.isIdle }
    hero.close()
    try wait(for: host) { hero.stage == .closed }
    return times
  }

  private static func wait(for host: SDLHost, until condition: () -> Bool) throws {
    let end = SystemCounters.time + 30
    while !condition() {
      guard SystemCounters.time < end else { throw BenchmarkError("a photograph does not load") }
      host.turn(waitUpTo: 0.1)
    }
  }
}
