import Synchronization
import Vitrine

/// A lookup of a picture that is in memory, as a slot makes it; beside a dictionary and a lock, by the same URLs.
enum MemoryHit {
  private static let keyCount = 1000
  private static let lookups = 200_000
  private static let target = DecodeTarget(width: 64, height: 64)

  static func measure(_ options: Options) throws -> [Figure] {
    let texts = (0..<keyCount).map { "https://pictures.example.com/albums/2024/summer/\($0)/cover.jpg" }
    let pixels = Bitmap(width: 8, height: 8, format: .bgra, isOpaque: true) { _, _ in }
    let requests = try texts.map { text in
      var request = try ImageRequest(text)
      request.targetSize = target
      return request
    }
    let cache = MemoryImageCache()
    let dictionary = Mutex<[String: Image]>([:])
    for (request, text) in zip(requests, texts) {
      let image = Image(pixels)
      cache.insert(image, for: request, additionalIdentifier: nil)
      dictionary.withLock { $0[text] = image }
    }
    let downloader = ImageDownloader(transports: [], decoder: ImageCodecs(), cache: cache)
    var random = RandomNumbers(seed: 3)
    let order = (0..<lookups).map { _ in Int.random(in: 0..<keyCount, using: &random) }

    var ours: [Double] = []
    var fromText: [Double] = []
    var reference: [Double] = []
    // The first run of each warms up.
    for index in 0...options.runs {
      let hit = try nanoseconds(order) { downloader.cachedImage(for: requests[$0]) }
      let plain = try nanoseconds(order) { key in dictionary.withLock { $0[texts[key]] } }
      let text = try nanoseconds(order) { key in
        guard var request = try? ImageRequest(texts[key]) else { return nil }
        request.targetSize = target
        return downloader.cachedImage(for: request)
      }
      guard index > 0 else { continue }
      ours.append(hit)
      reference.append(plain)
      fromText.append(text)
    }
    return [
      Figure("median_ns", Samples(ours), label: "with a request at hand", unit: "ns"),
      Figure("reference_ns", Samples(reference), label: "dictionary and lock, by URL", unit: "ns"),
      Figure(
        "ratio_dictionary", Samples(zip(ours, reference).map { $0 / $1 }), label: "ratio, pair by pair",
        floor: .atMost(3), aim: .atMost(1.5)),
      Figure("from_string_ns", Samples(fromText), label: "from a URL's text, parsed anew", unit: "ns"),
      Figure(
        "ratio_dictionary_from_string", Samples(zip(fromText, reference).map { $0 / $1 }),
        label: "ratio of that"),
    ]
  }

  /// Of a lookup, on average; throws when one finds nothing.
  private static func nanoseconds(_ order: [Int], _ lookup: (Int) -> Image?) throws -> Double {
    var found = 0
    let start = SystemCounters.time
    for key in order where lookup(key) != nil { found += 1 }
    let end = SystemCounters.time
    guard found == order.count else { throw BenchmarkError("pictures are missing in the memory cache") }
    return (end - start) / Double(order.count) * 1e9
  }
}
