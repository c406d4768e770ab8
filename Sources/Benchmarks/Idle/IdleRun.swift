import Vitrine

/// The child process of `Idle`: shows images, then measures the window while nothing happens.
@MainActor
enum IdleRun {
  private static let seconds = 5.0

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The number of periods.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    let periods = arguments.first.flatMap(Int.init) ?? 1
    let screen = try ImageList(rows: 10_000, movesClock: false)
    let host = screen.application.host
    while host.frameStatistics.presented == 0 || !screen.application.window.isIdle { host.turn() }
    var figures: [String: Double] = [:]
    for period in 0..<periods {
      let frames = host.frameStatistics.presented
      let cpu = SystemCounters.processCPU
      let switches = SystemCounters.voluntarySwitches
      let end = SystemCounters.time + seconds
      while case let remaining = end - SystemCounters.time, remaining > 0 { host.turn(waitUpTo: remaining) }
      figures["frames_\(period)"] = Double(host.frameStatistics.presented - frames)
      figures["cpu_ms_\(period)"] = (SystemCounters.processCPU - cpu) * 1000
      figures["switches_\(period)"] = Double(SystemCounters.voluntarySwitches - switches)
    }
    return figures
  }
}
