import Vitrine

/// The child process of `Fade`: runs the transitions and measures the frames.
@MainActor
enum FadeRun {
  enum Kind: String { case square, rounded, transparent, slide, flip }

  private static let columns = 10
  private static let rows = 5
  private static let tile = Size(width: 120, height: 150)
  private static let gap = 8.0
  private static let framesOfATransition = 60
  private static let transitions = 4

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The kind of tiles and transition.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let kind = arguments.first.flatMap(Kind.init) else { throw BenchmarkError("which kind?") }
    let application = try Application.offscreen()
    let host = application.host
    var time = 0.0
    host.clock = .manual { time }
    func frame() {
      time += 1.0 / 60
      host.turn(waitUpTo: 0)
    }
    let tiles = (0..<columns * rows).map { tileView($0, kind) }
    for tile in tiles { application.window.addSubview(tile) }
    let images = (0..<2 * tiles.count).map {
      Image.noise($0, size: tile, isOpaque: kind != .transparent)
    }
    func change(_ round: Int) {
      for (index, tile) in tiles.enumerated() {
        tile.setImage(images[2 * index + round % 2], transition: transition(kind))
      }
    }
    // The first round prepares the images for the screen.
    for round in 0..<2 {
      change(round)
      for _ in 0..<framesOfATransition + 4 { frame() }
    }

    let before = (frames: host.frameStatistics.presented, late: host.frameStatistics.late)
    let cpu = SystemCounters.processCPU
    var wallTimes: [Double] = []
    for round in 0..<transitions {
      change(round)
      for _ in 0..<framesOfATransition {
        let start = SystemCounters.time
        frame()
        wallTimes.append(SystemCounters.time - start)
      }
      guard tiles.allSatisfy(\.isInTransition) else { throw BenchmarkError("it ended too early") }
      for _ in 0..<4 { frame() }
    }
    let frames = host.frameStatistics.presented - before.frames
    guard frames >= transitions * framesOfATransition else {
      throw BenchmarkError("only \(frames) frames were presented")
    }
    return [
      "mean_ms": (SystemCounters.processCPU - cpu) / Double(frames) * 1000,
      "p99_ms": Samples(wallTimes).quantile(0.99) * 1000,
      "late": Double(host.frameStatistics.late - before.late),
    ]
  }

  private static func tileView(_ index: Int, _ kind: Kind) -> ImageView {
    let (row, column) = index.quotientAndRemainder(dividingBy: columns)
    let view = ImageView(
      frame: Rect(
        x: gap / 2 + Double(column) * (tile.width + gap), y: gap / 2 + Double(row) * (tile.height + gap),
        width: tile.width, height: tile.height))
    view.cornerRadius = kind == .square || kind == .transparent ? 0 : 6
    return view
  }

  private static func transition(_ kind: Kind) -> Transition {
    // The transition lasts one frame longer than the frames that are counted.
    let duration = Double(framesOfATransition + 1) / 60
    return switch kind {
    case .square, .rounded, .transparent: .crossDissolve(duration)
    case .slide: .slide(.left, duration: duration)
    case .flip: .flip(.left, duration: duration)
    }
  }
}
