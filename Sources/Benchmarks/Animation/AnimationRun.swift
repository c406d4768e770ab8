import CCodecs
import FoundationEssentials
import Vitrine
import VitrineAnimation

/// The child process of `animation`: shows animated images in a window of 1280x800 in real time.
@MainActor
enum AnimationRun {
  enum Scene: String {
    case playing
    /// The images are scrolled out of sight.
    case hidden
    /// 40 smaller images whose decoded frames are ten times the memory budget.
    case crowded
    /// 40 images whose decoders exceed the memory budget.
    case canvases
    /// One image in 50 views.
    case shared

    /// The memory budget in bytes; `nil` for the default.
    var budget: Int? {
      switch self {
      case .crowded: 16 << 20
      case .canvases: 64 << 20
      case .playing, .hidden, .shared: nil
      }
    }

    /// The name of the file that a view shows.
    func fileName(_ index: Int) -> String {
      switch self {
      case .crowded: AnimationFiles.smallName(index)
      case .canvases: AnimationFiles.canvasName(index)
      case .playing, .hidden: AnimationFiles.name(index)
      case .shared: AnimationFiles.name(0)
      }
    }
  }

  private static let seconds = 2.0

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The folder of the files, the scene, and the number of periods.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 3, let scene = Scene(rawValue: arguments[1]), let periods = Int(arguments[2])
    else { throw BenchmarkError("folder, scene, periods") }
    let folder = arguments[0]
    let application = try Application.offscreen { configuration in
      configuration.host.size = Size(width: 1280, height: 800)
      if let budget = scene.budget { configuration.memory = MemoryBudget(bytes: budget) }
    }
    let host = application.host
    let scroll = ScrollView(frame: host.window.bounds)
    scroll.contentSize = Size(width: scroll.frame.width, height: 3 * scroll.frame.height)
    host.window.rootView = scroll
    let views = scene == .shared ? sharedTiles(in: scroll) : tiles(scene, in: scroll)
    for (index, view) in views.enumerated() {
      view.setImage(from: URL(filePath: "\(folder)/\(scene.fileName(index))"))
    }
    while !host.window.isLoaded { host.turn() }
    guard views.allSatisfy({ $0.image?.isAnimated == true }) else { throw BenchmarkError("no animations") }
    if scene == .hidden { scroll.contentOffset.y = scroll.frame.height }
    wait(1, in: host)

    var figures: [String: Double] = [:]
    for period in 0..<periods {
      // The loop of the codec has stopped the window.
      wait(0.2, in: host)
      let counters = views.map { FrameCounter($0) }
      let pool = FramePool.shared
      let (presented, cpu) = (host.frameStatistics.presented, SystemCounters.processCPU)
      let decoded = pool.decodedFrames
      var highest = 0
      wait(seconds, in: host) { highest = max(highest, application.ledger.usage.total) }
      let used = SystemCounters.processCPU - cpu
      let shown = counters.reduce(0) { $0 + $1.shown }
      let late = counters.reduce(0) { $0 + $1.late }
      figures["presented_\(period)"] = Double(host.frameStatistics.presented - presented)
      figures["percent_\(period)"] = used / seconds * 100
      figures["shown_\(period)"] = Double(shown)
      figures["late_\(period)"] = Double(late)
      figures["decoded_\(period)"] = Double(pool.decodedFrames - decoded)
      figures["pool_mib_\(period)"] = Double(pool.bytes) / 1_048_576
      figures["moving_\(period)"] = Double(counters.count { $0.shown > 0 })
      figures["gap_\(period)"] = counters.map { $0.longestGap }.max() ?? 0
      figures["resident_mb_\(period)"] = Double(SystemCounters.residentBytes) / 1e6
      figures["highest_mib_\(period)"] = Double(highest) / 1_048_576
      figures["peak_mib_\(period)"] = Double(application.downloader.ledger.peak) / 1_048_576
      if scene == .playing, shown > 0 {
        let codec = try codecSeconds(for: shown, in: folder)
        figures["cpu_ms_\(period)"] = used / Double(shown) * 1000
        figures["codec_ms_\(period)"] = codec / Double(shown) * 1000
        figures["ratio_\(period)"] = used / codec
      }
    }
    return figures
  }

  private static func tiles(_ scene: Scene, in scroll: ScrollView) -> [ImageView] {
    let isCrowded = scene.budget != nil
    let count = isCrowded ? AnimationFiles.smallCount : AnimationFiles.count
    let columns = isCrowded ? 9 : 5
    let size =
      isCrowded
      ? Size(width: Double(AnimationFiles.smallSide), height: Double(AnimationFiles.smallSide))
      : Size(width: 256, height: 192)
    return (0..<count).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      let view = ImageView(
        frame: Rect(
          origin: Point(x: Double(column) * size.width, y: Double(row) * size.height), size: size))
      scroll.addSubview(view)
      return view
    }
  }

  /// 50 views of one size, in rows of ten.
  private static func sharedTiles(in scroll: ScrollView) -> [ImageView] {
    (0..<50).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: 10)
      let view = ImageView(frame: Rect(x: Double(column) * 128, y: Double(row) * 96, width: 128, height: 96))
      scroll.addSubview(view)
      return view
    }
  }

  private static func wait(_ seconds: Double, in host: SDLHost, afterTurn: () -> Void = {}) {
    let end = SystemCounters.time + seconds
    while case let remaining = end - SystemCounters.time, remaining > 0 {
      host.turn(waitUpTo: remaining)
      afterTurn()
    }
  }

  /// Counts the frames that a view shows from now on.
  @MainActor private final class FrameCounter {
    private let player: AnimationPlayer?
    private let before: Int
    private(set) var shown = 0
    private var lastFrame = SystemCounters.time
    private var longestGapBetweenFrames = 0.0
    var late: Int { (player?.droppedFrames ?? 0) - before }
    /// The longest time without a new frame so far, in seconds.
    var longestGap: Double { max(longestGapBetweenFrames, SystemCounters.time - lastFrame) }

    init(_ view: View) {
      player = view.animationPlayer
      before = player?.droppedFrames ?? 0
      player?.frameHandler = { [weak self] _ in self?.noteFrame() }
    }

    private func noteFrame() {
      longestGapBetweenFrames = longestGap
      lastFrame = SystemCounters.time
      shown += 1
    }
  }

  /// Decodes as many frames of all files in turn with libwebp's own decoder of animations, and returns the processor time
  /// in seconds.
  private static func codecSeconds(for frames: Int, in folder: String) throws -> Double {
    let loops = try (0..<AnimationFiles.count).map { index in
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(AnimationFiles.name(index))") else {
        throw BenchmarkError("no file")
      }
      return try CodecLoop([UInt8](bytes))
    }
    let start = SystemCounters.processCPU
    for frame in 0..<frames { try loops[frame % loops.count].decodeNext() }
    return SystemCounters.processCPU - start
  }
}

/// libwebp's own decoder of an animation, which starts again after the last frame.
private final class CodecLoop {
  private let decoder: OpaquePointer
  private let file: UnsafeMutableBufferPointer<UInt8>

  init(_ bytes: [UInt8]) throws {
    file = .allocate(capacity: bytes.count)
    _ = file.initialize(from: bytes)
    var data = WebPData(bytes: file.baseAddress, size: file.count)
    guard let decoder = WebPAnimDecoderNewInternal(&data, nil, Int32(WEBP_DEMUX_ABI_VERSION)) else {
      file.deallocate()
      throw BenchmarkError("libwebp does not decode the animation")
    }
    self.decoder = decoder
  }

  deinit {
    WebPAnimDecoderDelete(decoder)
    file.deallocate()
  }

  func decodeNext() throws {
    if WebPAnimDecoderHasMoreFrames(decoder) == 0 { WebPAnimDecoderReset(decoder) }
    var pixels: UnsafeMutablePointer<UInt8>?
    var time: Int32 = 0
    guard WebPAnimDecoderGetNext(decoder, &pixels, &time) != 0 else {
      throw BenchmarkError("libwebp does not decode a frame")
    }
  }
}
