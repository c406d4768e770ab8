/// Fifty tiles that run a transition concurrently with the software renderer.
enum Fade {
  private static let warmUps = 1
  private static let kinds: [(kind: FadeRun.Kind, label: String)] = [
    (.square, "square tiles"), (.rounded, "rounded tiles"), (.transparent, "transparent images"),
    (.slide, "rounded tiles that slide"), (.flip, "rounded tiles that flip"),
  ]

  static func measure(_ options: Options) throws -> [Figure] {
    var runs: [FadeRun.Kind: [[String: Double]]] = [:]
    for index in 0..<warmUps + options.runs {
      for (kind, _) in kinds {
        let figures = try ChildProcess(.fade, [kind.rawValue]).figures()
        if index >= warmUps { runs[kind, default: []].append(figures) }
      }
    }
    func samples(_ kind: FadeRun.Kind, _ name: String) -> Samples {
      runs[kind, default: []].samples(name)
    }
    let times = kinds.map { kind, label in
      Figure(
        "\(kind.rawValue)_ms", samples(kind, "mean_ms"), label: "per frame, \(label)", unit: "ms",
        aim: .atMost(4))
    }
    return times + [
      Figure(
        "p99_ms", samples(.rounded, "p99_ms"), label: "p99 of a frame, wall clock, rounded tiles",
        unit: "ms"),
      Figure("late_frames", samples(.rounded, "late"), label: "late frames of 240", aim: .atMost(0)),
    ]
  }
}
