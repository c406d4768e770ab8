/// A window with a list of loaded images, observed for five seconds without any event.
enum Idle {
  static func measure(_ options: Options) throws -> [Figure] {
    // The first period warms up.
    let figures = try ChildProcess(.idle, [String(options.runs + 1)]).figures()
    func samples(_ name: String) -> Samples { figures.samples(name, periods: options.runs) }
    return [
      Figure(
        "frames", samples("frames"), label: "frames presented in 5 s", floor: .atMost(0), aim: .atMost(0)),
      Figure("cpu_ms", samples("cpu_ms"), label: "processor time in 5 s", unit: "ms"),
      Figure(
        "voluntary_switches", samples("switches"),
        label: "wake-ups in 5 s, including the one that ends them"),
    ]
  }
}
