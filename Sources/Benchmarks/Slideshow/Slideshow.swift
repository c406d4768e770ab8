/// A slideshow of photographs in a window of 1920x1080 with the software renderer.
enum Slideshow {
  static func measure(_ options: Options) throws -> [Figure] {
    let set = try PhotoSet()
    var runs: [[String: Double]] = []
    for index in 0...min(options.runs, 5) {
      let figures = try ChildProcess(.slideshow, [set.folder]).figures()
      // The first run warms up.
      if index > 0 { runs.append(figures) }
    }
    return [
      Figure(
        "dissolve_ms", runs.samples("dissolve_ms"), label: "a frame of a dissolve", unit: "ms",
        floor: .atMost(5), aim: .atMost(3)),
      Figure(
        "ken_burns_ms", runs.samples("ken_burns_ms"), label: "a frame of a slow pan and zoom", unit: "ms",
        floor: .atMost(16), aim: .atMost(10)),
      Figure(
        "ken_burns_dissolve_ms", runs.samples("ken_burns_dissolve_ms"),
        label: "a frame of a dissolve between both",
        unit: "ms"),
      Figure(
        "still_frames", runs.samples("still_frames"), label: "frames in 10 s of a still slide",
        floor: .atMost(0)),
    ]
  }
}
