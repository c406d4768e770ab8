import Glibc
import Vitrine

/// The child process of `fleet`: loads the same images for many displays at once, which share nothing but this process.
enum FleetRun {
  /// The task of a child process.
  struct Job {
    /// The URL of the images, without a trailing slash.
    var base: String
    /// The query of the URLs; empty for none.
    var query: String
    var images: Int
    var displays: Int

    /// The number of concurrent transfers of all displays together.
    static let concurrency = 200

    var arguments: [String] { [base, query, String(images), String(displays)] }
  }

  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 4, let images = Int(arguments[2]), let displays = Int(arguments[3]) else {
      throw BenchmarkError("a URL, a query, images, displays")
    }
    return try measure(Job(base: arguments[0], query: arguments[1], images: images, displays: displays))
  }

  private static func measure(_ job: Job) throws -> [String: Double] {
    var configuration = ImageDownloader.Configuration()
    configuration.queue.maximumActiveDownloads = Job.concurrency
    configuration.queue.maximumActiveDownloadsPerHost = Job.concurrency
    let downloader = ImageDownloader(
      configuration: configuration,
      transports: [CurlTransport(configuration: .init(connectionsPerHost: Job.concurrency))],
      decoder: NothingDecoder(), cache: nil)
    let start = SystemCounters.time
    for image in 0..<job.images {
      for display in 0..<job.displays {
        var request = try ImageRequest("\(job.base)/\(ImageSet.name(image))\(job.query)")
        // A header that separates the loads of displays here. It is not part of the key of nginx's cache.
        request.headers["Accept-Language"] = "x-display-\(display)"
        downloader.load(request)
      }
    }
    let total = job.images * job.displays
    while downloader.statistics.ended < total { usleep(1000) }
    let statistics = downloader.statistics
    guard statistics.failures == 0 else {
      throw BenchmarkError("\(statistics.failures) of \(total) loads failed")
    }
    return ["wall_s": SystemCounters.time - start, "requests": Double(statistics.requests)]
  }
}
