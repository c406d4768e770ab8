import FoundationEssentials
import Vitrine

/// The child process of `animation` that loads files as animations and as stills in turn, and measures the time until
/// the image is there. The image of an animation is its first frame.
@MainActor
enum AnimationStart {
  private static let loadsPerPeriod = 40

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The folder of the files, and the number of periods.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 2, let periods = Int(arguments[1]) else {
      throw BenchmarkError("folder, periods")
    }
    let application = try Application.offscreen()
    var figures: [String: Double] = [:]
    // The first period warms up.
    for period in 0..<periods {
      var times: [ImageRequest.Animation: [Double]] = [:]
      for index in 0..<2 * loadsPerPeriod {
        let animation = index % 2 == 0 ? ImageRequest.Animation.automatic : .firstFrame
        let name = AnimationFiles.name(index / 2 % AnimationFiles.count)
        times[animation, default: []].append(
          try load("\(arguments[0])/\(name)", animation, in: application))
      }
      let animated = Samples(times[.automatic] ?? []).median
      let still = Samples(times[.firstFrame] ?? []).median
      figures["animated_ms_\(period)"] = animated * 1000
      figures["still_ms_\(period)"] = still * 1000
      figures["ratio_\(period)"] = animated / still
    }
    return figures
  }

  /// Returns the seconds that a load takes.
  private static func load(
    _ path: String, _ animation: ImageRequest.Animation, in application: Application
  ) throws -> Double {
    var request = ImageRequest(url: URL(filePath: path))
    request.animation = animation
    request.targetSize = DecodeTarget(width: 256, height: 192, mode: .fill)
    request.cachePolicy = .reload
    var result: Result<ImageResponse, ImageError>?
    let start = SystemCounters.time
    let task = application.downloader.load(request) { result = $0 }
    while result == nil { application.host.turn(waitUpTo: 1) }
    let time = SystemCounters.time - start
    withExtendedLifetime(task) {}
    let image = try result?.get().image
    guard image?.isAnimated == (animation == .automatic) else { throw BenchmarkError("no animation") }
    return time
  }
}
