import CAllocations
import Glibc
import Synchronization
import Vitrine

/// The child process of `Storm`: starts and cancels loads, and measures the cost of such a pair.
enum StormRun {
  private static let pairs = 100_000
  private static let warmUps = 10_000
  /// The number of distinct URLs, so that some loads join others.
  private static let addresses = 1000

  /// Runs the measurement.
  ///
  /// - Parameter arguments: A URL, and the number of threads.
  static func measure(_ arguments: [String]) throws -> [String: Double] {
    guard arguments.count == 2, let threads = Int(arguments[1]), threads > 0 else {
      throw BenchmarkError("a URL, threads")
    }
    let requests = try (0..<addresses).map { try ImageRequest("\(arguments[0])&number=\($0)") }
    let downloader = ImageDownloader(
      transports: [CurlTransport()], decoder: NothingDecoder(), cache: MemoryImageCache())
    let allocations = Atomic<UInt>(0)

    func storm(_ count: Int) {
      onThreads(threads) { thread in
        let before = allocations_of_this_thread()
        for pair in 0..<count / threads {
          downloader.load(requests[(pair &* 7 &+ thread) % addresses]).cancel()
        }
        allocations.add(allocations_of_this_thread() - before, ordering: .relaxed)
      }
    }
    /// Waits until `count` loads have been reported as cancelled, at most about ten seconds. Returns the number of
    /// missing reports.
    func missingCancellations(of count: Int) -> Int {
      for _ in 0..<10_000 where downloader.statistics.cancellations < count { usleep(1000) }
      return count - downloader.statistics.cancellations
    }

    storm(warmUps)
    _ = missingCancellations(of: warmUps)
    allocations.store(0, ordering: .relaxed)
    let resident = SystemCounters.residentBytes
    let cpu = SystemCounters.processCPU
    let start = SystemCounters.time
    storm(pairs)
    let time = SystemCounters.time - start
    let missing = missingCancellations(of: warmUps + pairs)
    let used = SystemCounters.processCPU - cpu
    let growth = SystemCounters.residentBytes - resident

    let count = Double(pairs)
    return [
      "pair_us": time / count * 1e6, "cpu_us": used / count * 1e6,
      "allocations": Double(allocations.load(ordering: .relaxed)) / count, "growth_mb": Double(growth) / 1e6,
      "unheard": Double(missing),
    ]
  }
}
