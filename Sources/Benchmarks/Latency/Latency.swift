import VitrineGalleryServer

/// Downloads of two hundred small objects from nginx over a network with a round trip of 50 ms. The reference is
/// `curl --parallel`.
enum Latency {
  private static let count = 200
  private static let copies = 100
  /// The delay in each direction in seconds.
  private static let delay = 0.025

  static func measure(_ options: Options) throws -> [Figure] {
    let comparison = try FetchComparison()
    var figures: [Figure] = []
    for version in FetchComparison.HTTPVersion.allCases {
      let target = version == .http1 ? comparison.nginx.port : comparison.nginx.securePort
      let proxy = try DelayingProxy(to: target, delay: delay)
      figures += try comparison.measure(
        version, comparison.job(version, count: count, port: proxy.port), runs: options.runs,
        comparesCPU: false)
      proxy.stop()
    }
    return figures + (try duplicates(comparison))
  }

  /// Loads each object a hundred times concurrently, and counts the requests.
  private static func duplicates(_ comparison: FetchComparison) throws -> [Figure] {
    let proxy = try DelayingProxy(to: comparison.nginx.port, delay: delay)
    defer { proxy.stop() }
    let before = comparison.nginx.countedRequests
    var job = comparison.job(.http1, count: count, port: proxy.port, counted: true)
    job.copies = copies
    let run = try ChildProcess(.fetch, job.arguments).figures()
    let requests = comparison.nginx.countedRequests - before
    return [
      Figure(
        "duplicate_requests", Double(requests),
        label: "requests for \(count) objects, \(copies) loads of each",
        floor: .atMost(Double(count)), aim: .atMost(Double(count))),
      Figure("duplicate_loads", Double(count * copies), label: "  loads"),
      Figure("duplicates_s", run["wall_s"] ?? .nan, label: "  all of them, HTTP/1.1", unit: "s"),
    ]
  }
}
