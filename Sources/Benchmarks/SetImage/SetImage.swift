/// Sets an image from memory on a slot that shows another image: the cost of each new row of a list.
enum SetImage {
  static func measure(_ options: Options) throws -> [Figure] {
    // The first period warms up.
    let figures = try ChildProcess(.setImage, [String(options.runs + 1)]).figures()
    func samples(_ call: SetImageRun.Call, _ name: String) -> Samples {
      figures.samples("\(call.key)_\(name)", periods: options.runs)
    }
    return SetImageRun.Call.all.flatMap { call in
      // A caller that passes a URL or a text pays for parsing, which may allocate.
      let isBare = call.source == .request
      return [
        Figure("\(call.key)_us", samples(call, "us"), label: call.label, unit: "µs", aim: .atMost(5)),
        Figure(
          "\(call.key)_allocations", samples(call, "allocations"), label: "  allocations",
          aim: isBare ? .atMost(0) : nil),
      ]
    }
  }
}
