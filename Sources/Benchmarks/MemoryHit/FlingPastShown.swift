import Vitrine

/// Measures how often sixty images that are looked up regularly are still cached while ten thousand others pass through
/// the cache.
enum FlingPastShown {
  private static let shown = 60
  private static let scanned = 10_000
  /// The number of other images between two lookups. Between two lookups of the same image more images are inserted
  /// than the cache can hold.
  private static let interval = 50
  private static let pixels = Bitmap(width: 64, height: 64, format: .bgra, isOpaque: true) { _, _ in }

  static func measure() throws -> [Figure] {
    let capacity = 200 * pixels.byteCount
    let cache = MemoryImageCache(capacity: capacity, preferredUsageAfterPurge: capacity / 10 * 6)
    let rate = try hitRate(of: cache)
    return [
      Figure(
        "scan_hit_rate", rate, label: "hit rate of shown images in a fling past 10,000", aim: .atLeast(0.95))
    ]
  }

  private static func hitRate(of cache: MemoryImageCache) throws -> Double {
    let shownRequests = try (0..<shown).map { try ImageRequest("https://pictures.example.com/shown/\($0)") }
    func insert(_ request: ImageRequest) {
      cache.insert(Image(pixels), for: request, additionalIdentifier: nil)
    }
    func isCached(_ request: ImageRequest) -> Bool {
      cache.image(for: request, additionalIdentifier: nil) != nil
    }
    for request in shownRequests {
      insert(request)
      _ = isCached(request)
    }
    var hits = 0
    for number in 0..<scanned {
      insert(try ImageRequest("https://pictures.example.com/scanned/\(number)"))
      guard number % interval == 0 else { continue }
      let request = shownRequests[number / interval % shown]
      if isCached(request) { hits += 1 } else { insert(request) }
    }
    return Double(hits) / Double(scanned / interval)
  }
}
