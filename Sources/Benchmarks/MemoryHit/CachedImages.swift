import Synchronization
import Vitrine

/// Images in a downloader's memory cache, and in a dictionary under a lock.
final class CachedImages: Sendable {
  private static let target = DecodeTarget(width: 64, height: 64)

  private let texts: [String]
  private let requests: [ImageRequest]
  private let downloader: ImageDownloader
  private let dictionary = Mutex<[String: Image]>([:])

  init(count: Int) throws {
    texts = (0..<count).map { "https://pictures.example.com/albums/2024/summer/\($0)/cover.jpg" }
    requests = try texts.map { text in
      var request = try ImageRequest(text)
      request.targetSize = Self.target
      return request
    }
    let cache = MemoryImageCache()
    downloader = ImageDownloader(transports: [], decoder: ImageCodecs(), cache: cache)
    // All images share one bitmap, because only the lookup is measured.
    let pixels = Bitmap(width: 8, height: 8, format: .bgra, isOpaque: true) { _, _ in }
    for (request, text) in zip(requests, texts) {
      let image = Image(pixels)
      cache.insert(image, for: request, additionalIdentifier: nil)
      dictionary.withLock { $0[text] = image }
    }
  }

  /// Measures the longest lookup while another thread empties the cache. The cache is empty afterwards.
  func purgeStall() -> Figure {
    let isDone = Atomic(false)
    let longest = Mutex(0.0)
    onThreads(2) { [self] thread in
      guard thread == 0 else {
        (downloader.cache as? MemoryImageCache)?.handleMemoryPressure()
        return isDone.store(true, ordering: .relaxed)
      }
      var key = 0
      while !isDone.load(ordering: .relaxed) {
        let start = SystemCounters.time
        _ = lookUp(key)
        let time = SystemCounters.time - start
        longest.withLock { $0 = max($0, time) }
        key = (key + 1) % requests.count
      }
    }
    return Figure(
      "purge_stall_ms", longest.withLock { $0 * 1000 }, label: "longest lookup while all are evicted",
      unit: "ms", aim: .atMost(16.7))
  }

  func lookUp(_ key: Int) -> Image? { downloader.cachedImage(for: requests[key]) }

  func lookUpInDictionary(_ key: Int) -> Image? { dictionary.withLock { $0[texts[key]] } }

  func lookUpByText(_ key: Int) -> Image? {
    guard var request = try? ImageRequest(texts[key]) else { return nil }
    request.targetSize = Self.target
    return downloader.cachedImage(for: request)
  }
}
