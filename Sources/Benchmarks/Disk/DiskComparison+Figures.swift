extension DiskComparison {
  /// Returns the figures of all classes, with the ratios round by round.
  static func figures(_ times: Times) -> [Figure] {
    let kinds = classes.map { ($0.key, $0.name) } + [("pixels", "pixels of \(side)x\(side)")]
    return kinds.flatMap { key, name in
      ["get", "put"].flatMap { operation -> [Figure] in
        func samples(_ store: String) -> [Double] { times["\(key)_\(operation)_\(store)"] ?? [.nan] }
        func ratio(_ store: String) -> Samples {
          Samples(zip(samples("own"), samples(store)).map { $0 / $1 })
        }
        let word = operation == "get" ? "read" : "stored"
        return [
          Figure("\(key)_\(operation)_us", Samples(samples("own")), label: "\(name), \(word)", unit: "µs"),
          Figure(
            "\(key)_\(operation)_files_us", Samples(samples("files")), label: "  plain files", unit: "µs"),
          Figure("\(key)_\(operation)_sqlite_us", Samples(samples("sqlite")), label: "  SQLite", unit: "µs"),
          Figure(
            "ratio_files_\(operation)_\(key)", ratio("files"), label: "  ratio to plain files",
            aim: operation == "get" ? .atMost(1.2) : nil),
          Figure("ratio_sqlite_\(operation)_\(key)", ratio("sqlite"), label: "  ratio to SQLite"),
        ]
      } + checksum(key, times)
    }
  }

  /// Returns the share of the checksum in a read.
  private static func checksum(_ key: String, _ times: Times) -> [Figure] {
    guard let digests = times["\(key)_digest"], let reads = times["\(key)_get_own"] else { return [] }
    return [
      Figure(
        "\(key)_checksum_percent", Samples(zip(digests, reads).map { $0 / $1 * 100 }),
        label: "  checksum, fraction of a read", unit: "%", aim: .atMost(3))
    ]
  }
}
