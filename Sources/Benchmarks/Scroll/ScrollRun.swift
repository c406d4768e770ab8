import Glibc
import Vitrine

/// The child process of `Scroll`: scrolls a list and measures the frames.
@MainActor
enum ScrollRun {
  private static let warmUps = 60
  private static let frames = 600

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The number of rows, and the speed in points per frame.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 2, let rows = Int(arguments[0]), let step = Double(arguments[1]) else {
      throw BenchmarkError("rows, points")
    }
    let screen = try ImageList(rows: rows, movesClock: true)
    screen.frame()
    var direction = step
    func scroll() {
      let range = screen.list.verticalRange
      let next = screen.list.contentOffset.y + direction
      if !range.contains(next) { direction = -direction }
      screen.list.contentOffset.y += direction
      screen.frame()
    }
    for _ in 0..<warmUps { scroll() }

    let host = screen.application.host
    let before = (frames: host.frameStatistics.presented, late: host.frameStatistics.late)
    let processCPU = SystemCounters.processCPU
    var threadTimes: [Double] = []
    var wallTimes: [Double] = []
    for _ in 0..<frames {
      let wall = SystemCounters.time
      let cpu = SystemCounters.threadCPU
      scroll()
      threadTimes.append(SystemCounters.threadCPU - cpu)
      wallTimes.append(SystemCounters.time - wall)
    }
    let allCPU = SystemCounters.processCPU - processCPU
    guard host.frameStatistics.presented - before.frames == frames else {
      throw BenchmarkError(
        "\(host.frameStatistics.presented - before.frames) of \(frames) frames were presented")
    }
    let copy = memmoveTime(bytes: 1280 * 800 * 4)
    let times = Samples(threadTimes)
    return [
      "median_ms": times.median * 1000, "mean_ms": times.mean * 1000,
      "cpu_p99_ms": times.quantile(0.99) * 1000,
      "process_ms": allCPU / Double(frames) * 1000, "p99_ms": Samples(wallTimes).quantile(0.99) * 1000,
      "max_ms": Samples(wallTimes).max * 1000, "late": Double(host.frameStatistics.late - before.late),
      "memmove_ms": copy * 1000,
    ]
  }

  /// Returns the median time in seconds for moving the window's bytes by one row of pixels, as scrolling would.
  private static func memmoveTime(bytes: Int) -> Double {
    let row = 1280 * 4
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes + row, alignment: 64)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 7)
    guard let start = memory.baseAddress else { return .nan }
    let times = (0..<101).map { _ -> Double in
      let begin = SystemCounters.threadCPU
      memmove(start, start + row, bytes)
      return SystemCounters.threadCPU - begin
    }
    return Samples(times).median
  }
}
