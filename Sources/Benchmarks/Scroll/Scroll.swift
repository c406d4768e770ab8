/// Scrolls a list of images with two lines of text by the software renderer. The reference is a memmove of the window.
enum Scroll {
  private static let warmUps = 1

  static func measure(_ options: Options) throws -> [Figure] {
    var slow: [[String: Double]] = []
    var fast: [[String: Double]] = []
    var short: [[String: Double]] = []
    for index in 0..<warmUps + options.runs {
      let a = try ChildProcess(.scroll, ["10000", "4"]).figures()
      let b = try ChildProcess(.scroll, ["10000", "30"]).figures()
      let c = try ChildProcess(.scroll, ["100", "30"]).figures()
      guard index >= warmUps else { continue }
      slow.append(a)
      fast.append(b)
      short.append(c)
    }
    let mean = fast.values("mean_ms")
    let toMemmove = Samples(zip(mean, fast.values("memmove_ms")).map { $0 / $1 })
    let flatness = Samples(zip(mean, short.values("mean_ms")).map { $0 / $1 })
    return [
      Figure(
        "median_ms", fast.samples("mean_ms"), label: "main thread per frame, 30 points", unit: "ms",
        floor: .atMost(2.6), aim: .atMost(1)),
      Figure(
        "slow_ms", slow.samples("mean_ms"), label: "main thread per frame, 4 points", unit: "ms",
        floor: .atMost(2.6), aim: .atMost(1)),
      Figure("process_ms", fast.samples("process_ms"), label: "all threads per frame, 30 points", unit: "ms"),
      Figure("p99_ms", fast.samples("p99_ms"), label: "p99 of a frame, wall clock", unit: "ms"),
      Figure("max_ms", fast.samples("max_ms"), label: "longest frame, wall clock", unit: "ms"),
      Figure("late_frames", fast.samples("late"), label: "late frames of 600", aim: .atMost(0)),
      Figure("reference_ms", fast.samples("memmove_ms"), label: "memmove of the window", unit: "ms"),
      Figure("ratio_memmove", toMemmove, label: "ratio to memmove"),
      Figure("short_list_ms", short.samples("mean_ms"), label: "the same with 100 rows", unit: "ms"),
      Figure("ratio_100_rows", flatness, label: "ratio of 10,000 rows to 100 rows"),
    ]
  }
}
