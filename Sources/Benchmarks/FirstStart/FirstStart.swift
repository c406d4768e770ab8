import Vitrine

/// The cost of storing: the first start with a disk cache and decoded pixels, beside the same start with neither, and
/// beside one that only writes each body to a plain file.
enum FirstStart {
  /// The number of runs without `--runs`. With fewer runs, the error of the median is larger than its
  /// distance from the floor.
  private static let defaultRuns = 99

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try ImageServer(.gallery, folder: try ImageSet().folder)
    return try ScratchFolder.use("first-start") { folder in
      var storing: [[String: Double]] = []
      var plain: [[String: Double]] = []
      var files: [[String: Double]] = []
      // The first round warms up.
      for index in 0...(options.statedRuns ?? Self.defaultRuns) {
        func figures(_ name: String?, _ storage: StartJob.Storage = .pixels) throws -> [String: Double] {
          // A folder of its own for each start, which is emptied at once: the next start is not delayed by what this one
          // has left to be written, and finds the pages of memory that this one has used. On a virtual machine, a page
          // that has not been used before may cost more than all else.
          let folder = name.map { "\(folder)/\($0)\(index)" }
          defer { if let folder { ScratchFolder.truncateFiles(in: folder) } }
          let job = StartJob(
            base: server.baseURL, screen: .small, folder: folder, storage: storage, opensWindowFirst: true)
          return try job.run(from: .network)
        }
        let kinds = [
          { storing.append(try figures("pixels")) }, { plain.append(try figures(nil)) },
          { files.append(try figures("files", .files)) },
        ]
        // In each of the six orders in turn, so that no kind of start always follows the same other kind.
        for kind in Self.orders[index % Self.orders.count] { try kinds[kind]() }
        if index == 0 { (storing, plain, files) = ([], [], []) }
      }
      return figures(storing, plain, files)
    }
  }

  private static let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]]

  private static func figures(
    _ storing: [[String: Double]], _ plain: [[String: Double]], _ files: [[String: Double]]
  ) -> [Figure] {
    func ratio(
      _ name: String, _ one: [[String: Double]]? = nil, to other: [[String: Double]]? = nil
    ) -> Samples {
      Samples(zip((one ?? storing).values(name), (other ?? plain).values(name)).map { $0 / $1 })
    }
    return [
      Figure(
        "with_s", storing.samples("loaded_s"), label: "to all loaded, with disk cache and pixels", unit: "s"),
      Figure("without_s", plain.samples("loaded_s"), label: "  with neither", unit: "s"),
      Figure(
        "ratio_without_disk", ratio("loaded_s"), label: "  ratio, pair by pair", floor: .atMost(1.1),
        aim: .atMost(1.03)),
      Figure("files_s", files.samples("loaded_s"), label: "  with a plain file for each body", unit: "s"),
      Figure("ratio_files", ratio("loaded_s", to: files), label: "  ratio to plain files"),
      Figure("ratio_files_without_disk", ratio("loaded_s", files), label: "  plain files to neither"),
      Figure(
        "with_cpu_s", storing.samples("cpu_s"), label: "processor time, with disk cache and pixels", unit: "s"
      ),
      Figure("without_cpu_s", plain.samples("cpu_s"), label: "  with neither", unit: "s"),
      Figure(
        "ratio_without_disk_cpu", ratio("cpu_s"), label: "  ratio", floor: .atMost(1.1), aim: .atMost(1.03)),
      Figure("files_cpu_s", files.samples("cpu_s"), label: "  with a plain file for each body", unit: "s"),
      Figure("ratio_files_cpu", ratio("cpu_s", to: files), label: "  ratio to plain files"),
      Figure("ratio_files_without_disk_cpu", ratio("cpu_s", files), label: "  plain files to neither"),
      Figure(
        "written_cpu_s", storing.samples("written_cpu_s"), label: "processor time until all is written",
        unit: "s"),
      Figure("written_s", storing.samples("written_s"), label: "time until all is written", unit: "s"),
      Figure(
        "ratio_without_disk_written_cpu", ratio("written_cpu_s"),
        label: "ratio of processor time until all is written"),
    ]
  }
}
