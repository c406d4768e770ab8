/// Ten minutes of an accelerated clock with 12 moving images in a small memory budget, which come and go.
enum AnimationSoak {
  static func measure(_ options: Options) throws -> [Figure] {
    try ScratchFolder.use("animation-soak") { folder in
      try AnimationFiles.write(to: folder)
      let figures = try ChildProcess(.animationSoak, [folder]).figures()
      func figure(_ name: String) -> Samples { Samples([figures[name] ?? .nan]) }
      return [
        Figure("decoded", figure("decoded"), label: "frames decoded in ten minutes"),
        Figure("memory_2_mb", figure("memory_2"), label: "memory of the process after 2 minutes", unit: "MB"),
        Figure("memory_10_mb", figure("memory_10"), label: "  after 10 minutes", unit: "MB"),
        Figure(
          "growth_mb", figure("growth"), label: "  growth from the mean of minutes 2 to 4 to that of 8 to 10",
          unit: "MB", floor: .atMost(1), aim: .atMost(0.5)),
        Figure(
          "descriptors", figure("descriptor_growth"), label: "file descriptors more than after 2 minutes",
          floor: .atMost(0), aim: .atMost(0)),
        Figure(
          "peak_mib", figure("peak_mib"), label: "peak of the ledger, of 8 MiB", unit: "MiB",
          floor: .atMost(8), aim: .atMost(8)),
      ]
    }
  }
}
