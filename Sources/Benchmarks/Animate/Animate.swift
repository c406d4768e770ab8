/// Fifty views whose frame and opacity are animated at once, with the software renderer.
enum Animate {
  static func measure(_ options: Options) throws -> [Figure] {
    var runs: [[String: Double]] = []
    for index in 0...min(options.runs, 5) {
      let figures = try ChildProcess(.animate, []).figures()
      // The first run warms up.
      if index > 0 { runs.append(figures) }
    }
    return [
      Figure(
        "views_ms", runs.samples("views_ms"), label: "a frame, 50 views with a color", unit: "ms",
        floor: .atMost(4),
        aim: .atMost(2)),
      Figure(
        "groups_ms", runs.samples("groups_ms"), label: "a frame, 50 views with a subview each", unit: "ms"),
    ]
  }
}
