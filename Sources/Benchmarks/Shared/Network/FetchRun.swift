import Glibc
import Vitrine

/// The child process that loads many URLs with a downloader that does not decode, and measures the time.
enum FetchRun {
  /// The task of a child process.
  struct Job {
    /// The prefix of the URLs, to which a number is appended.
    var base: String
    var count: Int
    /// The number of concurrent loads of each URL.
    var copies = 1
    /// The number of concurrent transfers.
    var concurrency: Int
    /// The path of a certificate to trust; `nil` over plain HTTP.
    var authority: String?

    var urls: [String] { (0..<count).map { base + String($0) } }
    var arguments: [String] { [base, String(count), String(copies), String(concurrency), authority ?? ""] }
  }

  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 5, let count = Int(arguments[1]), let copies = Int(arguments[2]),
      let concurrency = Int(arguments[3])
    else { throw BenchmarkError("a URL, a count, copies, a concurrency, a certificate") }
    let job = Job(
      base: arguments[0], count: count, copies: copies, concurrency: concurrency,
      authority: arguments[4].isEmpty ? nil : arguments[4])
    return try measure(job)
  }

  private static func measure(_ job: Job) throws -> [String: Double] {
    var configuration = ImageDownloader.Configuration()
    configuration.queue.maximumActiveDownloads = job.concurrency
    configuration.queue.maximumActiveDownloadsPerHost = job.concurrency
    let transport = CurlTransport(
      configuration: .init(
        connectionsPerHost: job.concurrency, trust: .init(certificateAuthorities: job.authority)))
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: NothingDecoder(),
      // Without a memory cache, a load that starts after another load of its URL has ended would send a second request.
      cache: job.copies > 1 ? MemoryImageCache() : nil)
    let requests = try job.urls.map { try ImageRequest($0) }

    let cpu = SystemCounters.processCPU
    let start = SystemCounters.time
    for _ in 0..<job.copies {
      for request in requests { downloader.load(request) }
    }
    // The results are polled and not delivered to a handler, because curl reports to no one either.
    let total = requests.count * job.copies
    while downloader.statistics.ended < total { usleep(1000) }
    let wall = SystemCounters.time - start
    let used = SystemCounters.processCPU - cpu

    let statistics = downloader.statistics
    guard statistics.failures == 0 else {
      throw BenchmarkError("\(statistics.failures) of \(total) loads failed")
    }
    return [
      "wall_s": wall, "cpu_s": used, "requests": Double(statistics.requests),
      "connections": Double(statistics.connections), "bytes": Double(statistics.bytes),
    ]
  }
}

extension ImageDownloader.Statistics {
  /// The number of loads that have ended.
  var ended: Int { loads.values.reduce(0, +) + failures + cancellations }
}

/// A decoder that returns one fixed image for any data.
struct NothingDecoder: ImageDecoding {
  private let image = Image(Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { _, _ in })

  func decode(_ data: [UInt8], options: DecodeOptions) -> Image { image }
}
