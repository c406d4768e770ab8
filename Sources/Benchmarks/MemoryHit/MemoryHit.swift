import FoundationEssentials
import Synchronization
import Vitrine

/// Looks up an image in the memory cache, as a slot does. The reference is a dictionary under a lock with the same
/// URLs.
enum MemoryHit {
  private static let lookups = 200_000
  private static let threads = 4

  /// A number of images, with the suffix of keys and the label of figures.
  private struct Size {
    let count: Int
    let key: String
    let label: String

    static let all = [
      Size(count: 1000, key: "", label: "1,000 images"),
      Size(count: 100_000, key: "_large", label: "100,000 images"),
    ]
  }

  static func measure(_ options: Options) throws -> [Figure] {
    var figures: [Figure] = []
    for size in Size.all {
      let images = try CachedImages(count: size.count)
      figures += try oneThread(images, size, options)
      figures += try severalThreads(images, size, options)
      if size.count == Size.all.last?.count { figures.append(images.purgeStall()) }
    }
    figures += try nsCacheFigures()
    figures += try FlingPastShown.measure()
    return figures
  }

  // MARK: One thread

  private static func oneThread(
    _ images: CachedImages, _ size: Size, _ options: Options
  ) throws -> [Figure] {
    let order = order(of: size.count, seed: 3)
    let isSmall = size.key.isEmpty
    var cacheTimes: [Double] = []
    var textTimes: [Double] = []
    var reference: [Double] = []
    // The first run of each warms up.
    for index in 0...options.runs {
      let hit = try nanoseconds(order, images.lookUp)
      let plain = try nanoseconds(order, images.lookUpInDictionary)
      let text = isSmall ? try nanoseconds(order, images.lookUpByText) : 0
      guard index > 0 else { continue }
      cacheTimes.append(hit)
      reference.append(plain)
      textTimes.append(text)
    }
    let figures = [
      Figure(
        isSmall ? "median_ns" : "large_ns", Samples(cacheTimes),
        label: "\(size.label), with an existing request", unit: "ns"),
      Figure(
        isSmall ? "reference_ns" : "large_reference_ns", Samples(reference),
        label: "dictionary with a lock, by URL", unit: "ns"),
      Figure(
        "ratio_dictionary\(size.key)", Samples(zip(cacheTimes, reference).map { $0 / $1 }),
        label: "ratio, pair by pair", floor: .atMost(1.5), aim: .atMost(isSmall ? 1.2 : 1.3)),
    ]
    guard isSmall else { return figures }
    return figures + [
      Figure(
        "from_string_ns", Samples(textTimes), label: "from the text of a URL", unit: "ns"),
      Figure(
        "ratio_dictionary_from_string", Samples(zip(textTimes, reference).map { $0 / $1 }),
        label: "ratio to the dictionary", floor: .atMost(4), aim: .atMost(3)),
    ]
  }

  /// Returns the mean time of a lookup in nanoseconds. Throws if a lookup misses.
  private static func nanoseconds(_ order: [Int], _ lookup: (Int) -> Image?) throws -> Double {
    var found = 0
    let start = SystemCounters.time
    for key in order where lookup(key) != nil { found += 1 }
    let end = SystemCounters.time
    guard found == order.count else { throw BenchmarkError("images are missing in the memory cache") }
    return (end - start) / Double(order.count) * 1e9
  }

  /// Returns figures of Foundation's NSCache on one thread, for information only.
  private static func nsCacheFigures() throws -> [Figure] {
    guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return []
    }
    let folder = executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)]
    let figures = try ChildProcess("\(folder)/FoundationCache", []).figures()
    return Size.all.compactMap { size in
      figures["\(size.count)"].map {
        Figure(
          size.key.isEmpty ? "nscache_ns" : "nscache\(size.key)_ns", $0,
          label: "Foundation's NSCache, \(size.label)", unit: "ns")
      }
    }
  }

  // MARK: Several threads

  private static func severalThreads(
    _ images: CachedImages, _ size: Size, _ options: Options
  ) throws -> [Figure] {
    let orders = (0..<threads).map { Array(order(of: size.count, seed: $0 + 10).prefix(lookups / threads)) }
    var cacheTimes: [Double] = []
    var reference: [Double] = []
    for index in 0...options.runs {
      let hit = try nanoseconds(orders) { images.lookUp($0) }
      let plain = try nanoseconds(orders) { images.lookUpInDictionary($0) }
      guard index > 0 else { continue }
      cacheTimes.append(hit)
      reference.append(plain)
    }
    return [
      Figure(
        "threads\(size.key)_ns", Samples(cacheTimes), label: "the same with \(threads) threads at once",
        unit: "ns"),
      Figure(
        "threads\(size.key)_reference_ns", Samples(reference), label: "dictionary with a lock", unit: "ns"),
      Figure(
        "ratio_dictionary_threads\(size.key)", Samples(zip(cacheTimes, reference).map { $0 / $1 }),
        label: "ratio, pair by pair", floor: .atMost(3), aim: .atMost(1.5)),
    ]
  }

  /// Returns the elapsed time of all threads divided by the number of lookups, in nanoseconds. Throws if a lookup
  /// misses.
  private static func nanoseconds(
    _ orders: [[Int]], _ lookup: @escaping @Sendable (Int) -> Image?
  ) throws -> Double {
    let found = Atomic(0)
    let start = SystemCounters.time
    onThreads(orders.count) { thread in
      var hits = 0
      for key in orders[thread] where lookup(key) != nil { hits += 1 }
      found.add(hits, ordering: .relaxed)
    }
    let end = SystemCounters.time
    let total = orders.reduce(0) { $0 + $1.count }
    guard found.load(ordering: .relaxed) == total else {
      throw BenchmarkError("images are missing in the memory cache")
    }
    return (end - start) / Double(total) * 1e9
  }

  private static func order(of count: Int, seed: Int) -> [Int] {
    var random = RandomNumbers(seed: seed)
    return (0..<lookups).map { _ in Int.random(in: 0..<count, using: &random) }
  }
}
