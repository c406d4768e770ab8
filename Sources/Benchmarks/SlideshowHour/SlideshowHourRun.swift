import FoundationEssentials
import Vitrine

/// The child process of `SlideshowHour`: shows 40 photographs in turn in a window of 1280x800, each for 10 s with a slow
/// movement. The quarter of the photographs that do not fill the window have a blurred copy behind them.
@MainActor
enum SlideshowHourRun {
  private static let minutes = 60
  /// The interval of the frames in seconds. The clock is advanced in large steps, because each frame is drawn.
  private static let step = 0.5

  /// - Parameter arguments: The folder of the photographs.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let folder = arguments.first else { throw BenchmarkError("which photographs?") }
    let application = try Application.offscreen { $0.host.size = Size(width: 1280, height: 800) }
    let host = application.host
    var time = 0.0
    host.clock = .manual { time }
    let view = SlideshowView(frame: application.window.bounds)
    view.motion = .kenBurns
    var slides = 0
    view.onShow = { _, _ in slides += 1 }
    view.setSlides(
      Slides(
        (0..<PhotoSet.count).map { Slide(URL(filePath: folder + "/" + ImageSet.name($0)).absoluteString) }))
    application.window.addSubview(view)

    // The first round of images fills the memory cache, which takes less than 8 minutes.
    var memory: [Double] = []
    var descriptors: [Double] = []
    for _ in 0..<minutes {
      for _ in 0..<Int(60 / step) {
        try waitUntilPrepared(view, host)
        time += step
        host.turn(waitUpTo: 0)
      }
      memory.append(Double(SystemCounters.residentBytes) / 1e6)
      descriptors.append(Double(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count))
    }
    func mean(_ values: [Double], _ minutes: ClosedRange<Int>) -> Double {
      values[(minutes.lowerBound - 1)...(minutes.upperBound - 1)].reduce(0, +) / Double(minutes.count)
    }
    var figures = ["slides": Double(slides)]
    for (name, values) in [("memory", memory), ("descriptors", descriptors)] {
      let (early, late) = (mean(values, 11...20), mean(values, 51...60))
      figures["\(name)_early"] = early
      figures["\(name)_late"] = late
      figures["\(name)_growth"] = (late / early - 1) * 100
    }
    return figures
  }

  /// Waits in real time, in which the clock stands still, until the next photograph is ready.
  private static func waitUntilPrepared(_ view: SlideshowView, _ host: SDLHost) throws {
    let end = SystemCounters.time + 30
    while view.isPreparing || view.shownIndex == nil {
      guard SystemCounters.time < end else { throw BenchmarkError("a photograph does not load") }
      host.turn(waitUpTo: 0.01)
    }
  }
}
