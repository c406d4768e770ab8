/// Opening a photograph of 12 megapixels from its tile over a window of 1280x800: from the tap to the first frame in which
/// the image has left its tile, and to the frame in which it is sharp.
enum Open {
  static func measure(_ options: Options) throws -> [Figure] {
    let set = try PhotoSet()
    var runs: [[String: Double]] = []
    // The first run warms up.
    for index in 0...min(options.runs, 5) {
      let figures = try ChildProcess(.open, [set.folder]).figures()
      if index > 0 { runs.append(figures) }
    }
    return [
      Figure(
        "first_frame", runs.samples("frames"),
        label: "frames from the tap to the first with the opening image",
        floor: .atMost(1)),
      Figure("first_frame_ms", runs.samples("first_frame_ms"), label: "  time until it is drawn", unit: "ms"),
      Figure(
        "sharp_ms", runs.samples("sharp_ms"), label: "from the tap to the sharp image, from a file",
        unit: "ms",
        floor: .atMost(200), aim: .atMost(150)),
      Figure("slowest_ms", runs.samples("slowest_ms"), label: "  the slowest of 12 photographs", unit: "ms"),
    ]
  }
}
