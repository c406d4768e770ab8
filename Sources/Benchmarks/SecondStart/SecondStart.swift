import Vitrine

/// Starts a program again whose images are on disk: from the first request to the first frame with all images, with
/// and without decoded pixels on disk, beside the first start, which loads the images over loopback HTTP.
enum SecondStart {
  /// The starts of a round, in order.
  private enum Start: String, CaseIterable {
    case first, second, without, opened, cold

    var label: String {
      switch self {
      case .first: "first start, over HTTP"
      case .second: "second start"
      case .without: "second start without decoded pixels"
      case .opened: "a screen that is opened later"
      case .cold: "second start, files not in the page cache"
      }
    }
  }

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try ImageServer(.gallery, folder: try ImageSet().folder)
    return try StartJob.Screen.allCases.flatMap { screen in
      try ScratchFolder.use("second-start") { folder in
        var runs: [Start: [[String: Double]]] = [:]
        // The first round warms up.
        for index in 0...options.runs {
          try ScratchFolder.empty(folder)
          for start in Start.allCases {
            let figures = try run(start, screen, folder, server.baseURL)
            if index > 0 { runs[start, default: []].append(figures) }
          }
        }
        return figures(screen, runs)
      }
    }
  }

  private static func run(
    _ start: Start, _ screen: StartJob.Screen, _ folder: String, _ base: String
  ) throws -> [String: Double] {
    var job = StartJob(base: base, screen: screen, folder: folder)
    job.storage = start == .without ? .responses : .pixels
    job.opensWindowFirst = start == .opened
    if start == .cold { ScratchFolder.dropPages(of: folder) }
    return switch start {
    case .first: try job.run(from: .network)
    case .second, .without, .opened: try job.run(from: .disk)
    // The server is asked for an image that the storage has not delivered in half a second.
    case .cold: try job.run(from: nil)
    }
  }

  private static func figures(
    _ screen: StartJob.Screen, _ runs: [Start: [[String: Double]]]
  ) -> [Figure] {
    func values(_ start: Start, _ name: String) -> [Double] { runs[start, default: []].values(name) }
    func ratio(_ start: Start, _ name: String) -> Samples {
      Samples(zip(values(start, name), values(.first, name)).map { $0 / $1 })
    }
    func figure(
      _ start: Start, _ name: String, _ label: String, unit: String = "", factor: Double = 1
    ) -> Figure {
      Figure(
        "\(screen)_\(start)_\(name)", Samples(values(start, name)), label: label, unit: unit, factor: factor)
    }
    let shown = Start.allCases.map {
      figure($0, "shown_s", "\(screen.name): \($0.label), to all shown", unit: "s")
    }
    let details = [Start.first, .second, .without].flatMap { start in
      [
        figure(start, "cpu_s", "  \(start.label): processor time", unit: "s"),
        figure(start, "read_bytes", "    bytes read", unit: "MB", factor: 1e-6),
        figure(start, "minor_faults", "    page faults"),
        figure(start, "above_baseline_bytes", "    memory above the baseline", unit: "MB", factor: 1e-6),
      ]
    }
    return shown + [
      Figure(
        "ratio_first_\(screen)", ratio(.second, "shown_s"), label: "  ratio to the first start",
        floor: .atMost(0.2), aim: .atMost(0.1)),
      Figure("ratio_first_without_\(screen)", ratio(.without, "shown_s"), label: "  without decoded pixels"),
      Figure("ratio_first_cpu_\(screen)", ratio(.second, "cpu_s"), label: "  of processor time"),
      // The window's first frame has the number 1.
      Figure(
        "\(screen)_second_frame", Samples(values(.second, "frames")),
        label: "  number of the first frame with all images", floor: .atMost(2), aim: .atMost(1)),
      figure(.opened, "frames", "  frames until a screen that is opened later has all"),
      figure(.second, "from_pixels", "  images from decoded pixels"),
      figure(
        .cold, "storage_bytes", "  bytes from the storage, not in the page cache", unit: "MB", factor: 1e-6),
      figure(.cold, "major_faults", "  page faults that waited for the storage"),
      figure(.cold, "from_network", "  images from the network, because the storage was slow"),
    ] + details
  }
}
