/// Slots with indicators of each kind, whose images never arrive. Measures the cost of the indicators.
enum Spinners {
  static func measure(_ options: Options) throws -> [Figure] {
    func run(_ count: Int, _ kind: SpinnersRun.Kind) throws -> [String: Double] {
      // The first period warms up.
      try ChildProcess(.spinners, [String(count), kind.rawValue, String(options.runs + 1)]).figures()
    }
    func samples(_ figures: [String: Double], _ name: String) -> Samples {
      figures.samples(name, periods: options.runs)
    }
    let fifty = try run(50, .activity)
    let one = try run(1, .activity)
    let bars = try run(50, .bar)
    let rings = try run(50, .ring)
    let hidden = try run(50, .hidden)
    return [
      Figure(
        "fifty_percent", samples(fifty, "percent"), label: "50 spinners, fraction of a core", unit: "%",
        aim: .atMost(3)),
      Figure("fifty_frames", samples(fifty, "frames"), label: "frames per second", aim: .atMost(12.5)),
      Figure("one_percent", samples(one, "percent"), label: "one spinner", unit: "%", aim: .atMost(0.5)),
      Figure("bars_percent", samples(bars, "percent"), label: "50 indeterminate bars", unit: "%"),
      Figure("rings_percent", samples(rings, "percent"), label: "50 indeterminate rings", unit: "%"),
      Figure(
        "hidden_percent", samples(hidden, "percent"), label: "50 spinners, scrolled off the screen", unit: "%"
      ),
      Figure(
        "hidden_frames", samples(hidden, "frames"), label: "frames per second", floor: .atMost(0),
        aim: .atMost(0)),
    ]
  }
}
