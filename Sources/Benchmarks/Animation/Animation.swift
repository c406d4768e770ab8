import Vitrine

/// Moving images: 20 on the screen, beside libwebp's own loop; scrolled off; 40 in a small budget; 40 whose decoders
/// exceed the budget; one in 50 views; and the time to the first frame, beside stills of the same files.
enum Animation {
  static func measure(_ options: Options) throws -> [Figure] {
    try ScratchFolder.use("animation") { folder in
      try AnimationFiles.write(to: folder)
      try AnimationFiles.writeCanvases(to: folder)
      func run(_ scene: AnimationRun.Scene) throws -> [String: Double] {
        // The first period warms up.
        try ChildProcess(.animation, [folder, scene.rawValue, String(options.runs + 1)]).figures()
      }
      func samples(_ figures: [String: Double], _ name: String) -> Samples {
        figures.samples(name, periods: options.runs)
      }
      let playing = try run(.playing)
      let hidden = try run(.hidden)
      let crowded = try run(.crowded)
      let canvases = try run(.canvases)
      let shared = try run(.shared)
      let first = try ChildProcess(.animationStart, [folder, String(options.runs + 1)]).figures()
      return [
        Figure(
          "cpu_ms", samples(playing, "cpu_ms"), label: "20 images of 320x240 at 25/s: processor time a frame",
          unit: "ms"),
        Figure("codec_ms", samples(playing, "codec_ms"), label: "  libwebp's own loop", unit: "ms"),
        Figure(
          "ratio", samples(playing, "ratio"), label: "  ratio", floor: .atMost(1.5), aim: .atMost(1.2)),
        Figure("shown", samples(playing, "shown"), label: "  frames shown in a period"),
        Figure(
          "late", samples(playing, "late"), label: "  frames that were too late", floor: .atMost(0),
          aim: .atMost(0)),
        Figure("memory", samples(playing, "resident_mb"), label: "  memory of the process", unit: "MB"),
        Figure(
          "hidden_frames", samples(hidden, "presented"), label: "scrolled off: frames in a period",
          floor: .atMost(0), aim: .atMost(0)),
        Figure("hidden_percent", samples(hidden, "percent"), label: "  fraction of a core", unit: "%"),
        Figure(
          "crowded_moving", samples(crowded, "moving"),
          label: "40 images in a budget of 16 MiB: images that move",
          floor: .atLeast(40), aim: .atLeast(40)),
        Figure(
          "crowded_gap_s", samples(crowded, "gap"), label: "  longest time without a new frame", unit: "s"),
        Figure(
          "crowded_peak", samples(crowded, "peak_mib"), label: "  peak of the ledger", unit: "MiB",
          floor: .atMost(16), aim: .atMost(16)),
        Figure(
          "canvases_moving", samples(canvases, "moving"),
          label: "40 images with a canvas of 650x650 in a budget of 64 MiB: images that move",
          floor: .atLeast(40), aim: .atLeast(40)),
        Figure(
          "canvases_highest", samples(canvases, "highest_mib"),
          label: "  highest total of the ledger while they play", unit: "MiB",
          floor: .atMost(64), aim: .atMost(64)),
        Figure(
          "canvases_gap_s", samples(canvases, "gap"), label: "  longest time without a new frame", unit: "s"),
        Figure(
          "shared_decoded", samples(shared, "decoded"),
          label: "one image in 50 views: frames decoded in a period of 50 frames", aim: .atMost(51)),
        Figure("shared_shown", samples(shared, "shown"), label: "  frames shown in all views"),
        Figure("shared_pool", samples(shared, "pool_mib"), label: "  decoded frames in memory", unit: "MiB"),
        Figure(
          "first_animated_ms", samples(first, "animated_ms"),
          label: "load of an animation to its first frame",
          unit: "ms"),
        Figure("first_still_ms", samples(first, "still_ms"), label: "  as a still", unit: "ms"),
        Figure("first_ratio", samples(first, "ratio"), label: "  ratio", aim: .atMost(1.05)),
      ]
    }
  }
}
