import Glibc
import Vitrine

/// A process that loads many addresses with a downloader that decodes nothing, and says what that took.
enum FetchRun {
  /// What a child is asked for.
  struct Order {
    /// URLs are this and a number.
    var base: String
    var count: Int
    /// Loads of each of them, all at once.
    var copies = 1
    /// Transfers at once.
    var width: Int
    /// Path of a certificate to trust; nil over plain HTTP.
    var authority: String?

    var urls: [String] { (0..<count).map { base + String($0) } }
    var arguments: [String] { [base, String(count), String(copies), String(width), authority ?? ""] }
  }

  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 5, let count = Int(arguments[1]), let copies = Int(arguments[2]),
      let width = Int(arguments[3])
    else { throw BenchmarkError("a URL, a count, copies, a width, a certificate") }
    let order = Order(
      base: arguments[0], count: count, copies: copies, width: width,
      authority: arguments[4].isEmpty ? nil : arguments[4])
    return try measure(order)
  }

  private static func measure(_ order: Order) throws -> [String: Double] {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumActiveDownloads = order.width
    configuration.maximumActiveDownloadsPerHost = order.width
    let transport = CurlTransport(
      configuration: .init(
        connectionsPerHost: order.width, trust: .init(certificateAuthorities: order.authority)))
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: NothingDecoder(),
      // Without one a load that comes after the end of another of its kind would send a request of its own.
      cache: order.copies > 1 ? MemoryImageCache() : nil)
    let requests = try order.urls.map { try ImageRequest($0) }

    let cpu = SystemCounters.processCPU
    let start = SystemCounters.time
    for _ in 0..<order.copies {
      for request in requests { downloader.load(request) }
    }
    // Nobody listens, as nobody does to curl: the main thread looks now and then.
    let total = requests.count * order.copies
    while downloader.statistics.answers < total { usleep(1000) }
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
  /// Loads that are over.
  fileprivate var answers: Int { loads.values.reduce(0, +) + failures + cancellations }
}

/// Gives the same picture whatever the bytes are, at once.
struct NothingDecoder: ImageDecoding {
  private let image = Image(Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { _, _ in })

  func decode(_ data: [UInt8], options: DecodeOptions) -> Image { image }
}
