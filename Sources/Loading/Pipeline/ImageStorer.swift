import VitrineConcurrency
import VitrineGraphics

/// Offers new images to the cache.
struct ImageStorer: Sendable {
  private let state: Shared<LoadState>
  private let cache: (any ImageRequestCache)?
  private let staleImages: StaleImageRemover
  private let rules: StoredResponseRules
  private let hasDisk: Bool
  private let clock: any LoadingClock

  /// - Parameters:
  ///   - cache: The cache of requests that do not name a cache of their own.
  ///   - hasDisk: True if there is a disk cache.
  init(
    _ state: Shared<LoadState>, _ cache: (any ImageRequestCache)?, _ staleImages: StaleImageRemover,
    _ rules: StoredResponseRules, hasDisk: Bool, clock: any LoadingClock
  ) {
    self.hasDisk = hasDisk
    self.state = state
    self.cache = cache
    self.staleImages = staleImages
    self.rules = rules
    self.clock = clock
  }

  /// True if there is a cache for the image of a request.
  func hasCache(for request: ImageRequest) -> Bool { request.cache(default: cache) != nil }

  /// Offers an image to the cache, unless no caller waits for the image any more. The first new image of a fetch
  /// replaces all other sizes, and so does an image that the server has confirmed if another version is in memory.
  func store(_ id: ProcessedImageID, _ image: Image, _ request: ImageRequest, _ identifier: String?) {
    // The origin is read before the cache is called, because the callers may leave in the meantime.
    guard let cache = request.cache(default: cache),
      let origin = state.withLock({ $0.registry.origin(of: id) }),
      cache.shouldCache(image, for: request, additionalIdentifier: identifier)
    else { return }
    let replacesOthers =
      switch origin.freshness {
      case .fresh: state.withLock { $0.registry.replacesOtherSizes(id, request) }
      case .revalidated: Self.hasOlderVersion(of: image, cache, request, identifier)
      case .stale: false
      }
    image.expiry = .max
    // A stale image is removed by `StaleImageRemover`.
    if origin.freshness.age == nil, let response = origin.response,
      origin.isOnDisk || hasDisk && CacheControl(response.headers).forbidsStoring
    {
      limitTime(of: image, request, response, age: origin.age)
    }
    if replacesOthers { cache.removeImage(for: request, additionalIdentifier: identifier) }
    note(image, request, identifier, origin.freshness, origin.response)
    cache.insert(image, for: request, additionalIdentifier: identifier)
    // The server may have confirmed the image in the meantime.
    let now = state.withLock { $0.registry.origin(of: id)?.freshness } ?? origin.freshness
    note(image, request, identifier, now, origin.response)
  }

  /// Returns true if a cache has sizes of an image that were made from another response than the one that the server has
  /// just confirmed. Another process or downloader has stored that response.
  private static func hasOlderVersion(
    of image: Image, _ cache: any ImageRequestCache, _ request: ImageRequest, _ identifier: String?
  ) -> Bool {
    let known = (cache as? MemoryImageCache)?.largestVariant(for: request, additionalIdentifier: identifier)
    return known?.hasOtherVersion(than: image.version) ?? false
  }

  /// Sets the time from which an image in memory no longer serves loads. An image without a stored response has no such
  /// time, because there is nothing else to show, unless its server has to be asked (`no-cache`, `must-revalidate`).
  ///
  /// - Parameter age: The number of seconds since the server last sent or confirmed the response; `nil` if it has just
  ///   done so.
  private func limitTime(
    of image: Image, _ request: ImageRequest, _ response: TransportResponse, age: Double?
  ) {
    guard request.cache.usesDisk, !request.isLocal else { return }
    guard let use = rules.useInMemory(response, of: request, age: age) else {
      image.requiresRevalidation = false
      image.expiry = .max
      return
    }
    let now = clock.now
    image.requiresRevalidation = use.requiresRevalidation
    image.confirmed = now.advanced(bySeconds: -use.age)
    image.expiry = now.advanced(bySeconds: use.seconds)
  }

  /// Sets the time from which an image that was read from disk, or that the server has just confirmed, no longer serves
  /// loads.
  func limitTime(of image: Image, in response: ImageResponse, for request: ImageRequest) {
    guard let http = response.http else { return }
    limitTime(of: image, request, http, age: response.freshness.age?.seconds ?? response.ageOnDisk)
  }

  /// Notes a stale image.
  private func note(
    _ image: Image, _ request: ImageRequest, _ identifier: String?, _ freshness: ImageResponse.Freshness,
    _ response: TransportResponse?
  ) {
    guard case .stale(let age, let reason) = freshness else { return }
    staleImages.note(image, request, identifier, because: reason, age: age, madeFrom: response)
  }
}
