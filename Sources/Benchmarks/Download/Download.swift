/// Downloads of two thousand small objects from nginx on this machine. The reference is `curl --parallel`.
enum Download {
  private static let count = 2000

  static func measure(_ options: Options) throws -> [Figure] {
    let comparison = try FetchComparison()
    return try FetchComparison.HTTPVersion.allCases.flatMap { version in
      let port = version == .http1 ? comparison.nginx.port : comparison.nginx.securePort
      return try comparison.measure(
        version, comparison.job(version, count: count, port: port), runs: options.runs, comparesCPU: true)
    }
  }
}
