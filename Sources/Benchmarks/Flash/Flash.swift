/// The bytes written to the disk while the same 200 images are shown for two hours, once a minute each. Nothing keeps
/// the images in memory, so that they come from disk each time. The clock is accelerated.
enum Flash {
  private static let runs = 3
  /// The bytes that a changed inode takes on the storage.
  private static let block = 4096.0

  static func measure(_ options: Options) throws -> [Figure] {
    let server = try ImageServer(.gallery, folder: try ImageSet().folder)
    return try [("fresh", 1_000_000), ("revalidated", 300)].flatMap { name, lifetime in
      var runs: [[String: Double]] = []
      for _ in 0..<Self.runs {
        try ScratchFolder.use("flash") { folder in
          let arguments = [server.baseURL, folder, String(lifetime)]
          runs.append(try ChildProcess(.flash, arguments).figures())
        }
      }
      return figures(name, runs)
    }
  }

  private static func figures(_ name: String, _ runs: [[String: Double]]) -> [Figure] {
    let title = name == "fresh" ? "images that stay fresh" : "images that are fresh for five minutes"
    return (1...2).flatMap { hour -> [Figure] in
      let written = runs.values("written_\(hour)")
      let changed = runs.values("changed_\(hour)")
      let all = Samples(zip(written, changed).map { $0 + $1 * block })
      let isAim = name == "fresh"
      return [
        Figure(
          "\(name)_hour_\(hour)_bytes", all, label: "\(title), hour \(hour): written", unit: "KB",
          factor: 1e-3, aim: isAim ? .atMost(0) : nil),
        Figure(
          "\(name)_hour_\(hour)_contents", Samples(written), label: "  contents", unit: "KB", factor: 1e-3),
        Figure("\(name)_hour_\(hour)_files", Samples(changed), label: "  changed files and folders"),
        Figure(
          "\(name)_hour_\(hour)_requests", runs.samples("requests_\(hour)"), label: "  requests to the server"
        ),
      ]
    }
  }
}
