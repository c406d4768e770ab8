import FoundationEssentials
import Glibc
import Synchronization
import Vitrine

/// The child process of `flash`: loads the images, starts again, and shows the images for two hours of an accelerated
/// clock.
struct FlashRun {
  private static let roundsPerHour = 60
  private static let tile = DecodeTarget(width: 64, height: 64, mode: .fill)

  private let folder: String
  private let requests: [ImageRequest]
  private let clock: AcceleratedClock

  /// Runs the measurement.
  ///
  /// - Parameter arguments: The server's URL, the folder of the caches, and the lifetime of a response in seconds.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 3, let lifetime = Int(arguments[2]) else {
      throw BenchmarkError("a URL, a folder, a lifetime")
    }
    return try FlashRun(base: arguments[0], folder: arguments[1], lifetime: lifetime).measure()
  }

  private init(base: String, folder: String, lifetime: Int) throws {
    self.folder = folder
    requests = try (0..<ImageSet.count).map { index in
      var request = try ImageRequest("\(base)/\(ImageSet.name(index))?maxage=\(lifetime)")
      request.targetSize = Self.tile
      return request
    }
    clock = AcceleratedClock()
  }

  private func measure() throws -> [String: Double] {
    let first = downloader()
    try show(first)
    first.finishWriting(within: 60)

    let downloader = downloader()
    var figures: [String: Double] = [:]
    for hour in 1...2 {
      let before = (
        downloader.statistics.requests, SystemCounters.io, ScratchFolder.changeTimes(below: folder)
      )
      for _ in 0..<Self.roundsPerHour {
        try show(downloader)
        clock.advance(by: 3600 / Double(Self.roundsPerHour))
      }
      downloader.finishWriting(within: 60)
      let times = ScratchFolder.changeTimes(below: folder)
      figures["written_\(hour)"] = Double(SystemCounters.io.writtenToStorage - before.1.writtenToStorage)
      figures["changed_\(hour)"] = Double(times.count { before.2[$0.key] != $0.value })
      figures["requests_\(hour)"] = Double(downloader.statistics.requests - before.0)
    }
    return figures
  }

  /// Returns a downloader without a memory cache, as after a start of the program.
  private func downloader() -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.environment.wallClock = { [clock] in clock.now }
    return ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs(), cache: nil,
      dataCache: DiskImageCache(directory: folder, wallClock: { [clock] in clock.now }),
      pixelCache: DiskPixelCache(directory: folder, wallClock: { [clock] in clock.now }))
  }

  /// Loads all images once.
  private func show(_ downloader: ImageDownloader) throws {
    let target = downloader.statistics.ended + requests.count
    for request in requests { downloader.load(request) }
    // The results are polled and not delivered to a handler, because the main actor's queue does not run here.
    while downloader.statistics.ended < target { usleep(500) }
    let failures = downloader.statistics.failures
    guard failures == 0 else { throw BenchmarkError("\(failures) loads failed") }
  }
}

/// A wall clock that starts three hours ago, so that the dates of the server are never in its past.
private final class AcceleratedClock: Sendable {
  private let seconds = Mutex(Date().timeIntervalSince1970 - 3 * 3600)

  var now: Double { seconds.withLock { $0 } }
  func advance(by more: Double) { seconds.withLock { $0 += more } }
}
