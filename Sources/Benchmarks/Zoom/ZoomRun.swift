import FoundationEssentials
import Vitrine

/// The child process of `Zoom`: shows a photograph whole, pinches it for 300 frames, and waits until it is sharp.
@MainActor
enum ZoomRun {
  private static let frames = 300

  /// - Parameter arguments: The path of the photograph.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard let path = arguments.first else { throw BenchmarkError("which photograph?") }
    let application = try Application.offscreen { $0.host.size = Size(width: 1280, height: 800) }
    let (host, window) = (application.host, application.window)
    let view = ZoomView(frame: window.bounds)
    window.addSubview(view)
    while host.frameStatistics.presented == 0 { host.turn() }
    let baseline = SystemCounters.residentBytes

    let start = SystemCounters.time
    view.setImage(from: URL(filePath: path).absoluteString)
    try wait(for: host) { view.contents != nil }
    let loaded = host.frameStatistics.presented
    try wait(for: host) { host.frameStatistics.presented > loaded }
    let firstView = SystemCounters.time - start
    // The photograph fades in.
    try wait(for: host) { window.isIdle }

    let center = Point(x: 640, y: 400)
    func fingers(_ phase: TouchPhase, distance: Double) {
      for (id, side) in [(1, -0.5), (2, 0.5)] {
        host.inject(
          .touch(id: Int64(id), phase: phase, location: Point(x: center.x + side * distance, y: center.y)))
      }
    }
    let late = host.frameStatistics.late
    var times: [Double] = []
    fingers(.began, distance: 100)
    for frame in 0..<frames {
      // From 1 to 7 and back, three times.
      let phase = Double(frame % 100) / 50
      let fraction = phase < 1 ? phase : 2 - phase
      fingers(.moved, distance: 100 * (1 + 6 * fraction))
      let presented = host.frameStatistics.presented
      while host.frameStatistics.presented == presented { host.turn(waitUpTo: 0.1) }
      times.append(host.frameStatistics.lastMilliseconds)
    }
    // Ends enlarged, where the sharp image is needed, with fingers that rest before they are lifted.
    fingers(.moved, distance: 400)
    let last = SystemCounters.time
    try wait(for: host) { SystemCounters.time > last + 0.2 }
    fingers(.ended, distance: 400)
    try wait(for: host) { !view.isZooming }
    let rest = SystemCounters.time
    try wait(for: host) { areAllThere(view.accessibilityValue ?? "") }
    let complete = host.frameStatistics.presented
    try wait(for: host) { host.frameStatistics.presented > complete || window.isIdle }
    let sharp = (SystemCounters.time - rest) * 1000
    let above = Double(SystemCounters.peakResidentBytes - baseline) / 1e6
    return [
      "first_view_s": firstView,
      "p99_ms": Samples(times).quantile(0.99),
      "late": Double(host.frameStatistics.late - late),
      "sharp_ms": sharp,
      "above_baseline_mb": above,
    ]
  }

  private static func wait(for host: SDLHost, until condition: () -> Bool) throws {
    let end = SystemCounters.time + 30
    while !condition() {
      guard SystemCounters.time < end else { throw BenchmarkError("the photograph is not sharp") }
      host.turn(waitUpTo: 0.1)
    }
  }

  /// Returns true for a value such as `400 %, 12 of 12 tiles`.
  private static func areAllThere(_ value: String) -> Bool {
    let numbers = value.split(separator: " ").compactMap { Int($0) }
    return numbers.count == 3 && numbers[1] == numbers[2] && numbers[2] > 0
  }
}
