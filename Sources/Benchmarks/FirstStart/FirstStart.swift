import Vitrine

/// The cost of storing: the first start with a disk cache and decoded pixels, beside the same start with neither, and
/// beside one that only writes each body to a plain file.
enum FirstStart {
  static func measure(_ options: Options) throws -> [Figure] {
    let server = try ImageServer(.gallery, images: try ImageSet())
    return try ScratchFolder.use("first-start") { folder in
      var storing: [[String: Double]] = []
      var plain: [[String: Double]] = []
      var files: [[String: Double]] = []
      // The first round warms up.
      for index in 0...options.runs {
        // A folder of its own for each round, and no more memory for the page cache than one round needs: on a virtual
        // machine, a page that has not been used before may cost more than all else.
        let folders = ["\(folder)/\(index)", "\(folder)/files\(index)"]
        defer { for folder in folders { ScratchFolder.truncateFiles(in: folder) } }
        func job(_ folder: String?, _ storage: StartJob.Storage = .pixels) -> StartJob {
          StartJob(
            base: server.baseURL, screen: .small, folder: folder, storage: storage, opensWindowFirst: true)
        }
        let jobs = [job(folders[0]), job(nil), job(folders[1], .files)]
        // Each kind of start comes first in a third of the rounds, so that none always follows another one.
        var figures: [[String: Double]] = [[:], [:], [:]]
        for position in jobs.indices {
          let number = (index + position) % jobs.count
          figures[number] = try jobs[number].run(from: .network)
        }
        guard index > 0 else { continue }
        storing.append(figures[0])
        plain.append(figures[1])
        files.append(figures[2])
      }
      return figures(storing, plain, files)
    }
  }

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
