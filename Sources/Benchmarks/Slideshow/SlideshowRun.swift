import FoundationEssentials
import Vitrine

/// The child process of `Slideshow`: shows photographs, each for 10 s, with a manual clock.
@MainActor
enum SlideshowRun {
  private static let secondsPerImage = 10.0
  private static let transition = 1.0

  /// - Parameter arguments: The folder of the photographs.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let folder = arguments.first else { throw BenchmarkError("which photographs?") }
    let still = try times(folder, .none)
    let moving = try times(folder, .kenBurns)
    return [
      "dissolve_ms": still.dissolve, "still_frames": still.restingFrames, "ken_burns_ms": moving.rest,
      "ken_burns_dissolve_ms": moving.dissolve,
    ]
  }

  /// The mean processor time of a frame in milliseconds, in a transition and between two.
  private struct Times {
    let dissolve: Double
    let rest: Double
    let restingFrames: Double
  }

  private static func times(_ folder: String, _ motion: SlideMotion) throws -> Times {
    let application = try Application.offscreen { $0.host.size = Size(width: 1920, height: 1080) }
    defer { application.host.close() }
    let host = application.host
    var time = 0.0
    host.clock = .manual { time }
    let view = SlideshowView(frame: application.window.bounds)
    view.motion = motion
    view.transition = .crossDissolve(transition)
    view.secondsPerImage = secondsPerImage
    // Turned photographs would be shown over a blurred copy.
    let files = (0..<PhotoSet.count).filter { $0 % 4 != 3 }.map {
      URL(filePath: folder + "/" + ImageSet.name($0)).absoluteString
    }
    view.setSlides(Slides(files.map { Slide($0) }))
    application.window.addSubview(view)
    func frame() {
      time += 1.0 / 60
      host.turn(waitUpTo: 0)
    }
    /// Waits in real time, in which the clock stands still, until the next photograph is ready.
    func waitUntilPrepared() throws {
      let end = SystemCounters.time + 30
      while view.isPreparing || view.shownIndex == nil {
        guard SystemCounters.time < end else { throw BenchmarkError("a photograph does not load") }
        host.turn(waitUpTo: 0.01)
      }
    }
    var dissolve: [Double] = []
    var rest: [Double] = []
    var restingFrames = 0
    for _ in 0..<4 {
      try waitUntilPrepared()
      while !view.isChanging { frame() }
      while view.isChanging {
        let presented = host.frameStatistics.presented
        frame()
        if host.frameStatistics.presented > presented {
          dissolve.append(host.frameStatistics.lastMilliseconds)
        }
      }
      let presented = host.frameStatistics.presented
      for _ in 0..<Int(secondsPerImage * 60) / 2 {
        let before = host.frameStatistics.presented
        frame()
        if host.frameStatistics.presented > before { rest.append(host.frameStatistics.lastMilliseconds) }
      }
      restingFrames = host.frameStatistics.presented - presented
    }
    func mean(_ values: [Double]) -> Double {
      values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }
    return Times(dissolve: mean(dissolve), rest: mean(rest), restingFrames: Double(restingFrames))
  }
}
