import VitrineConcurrency
package import VitrineGraphics

/// The freshness of an image in memory for a request. All properties follow from one read of the offline switch, which
/// another thread may turn at any time.
package struct FreshnessInMemory {
  /// The age of an image that may be out of date, and the reason; `nil` for an image that is not known to be stale.
  package let staleness: Staleness?
  /// True if the server has to be asked before the image serves a load, because its response is past its lifetime. While
  /// the downloader is offline, only an image that needs its server counts as expired; others are shown as stale.
  package let isExpired: Bool
  /// True for an image that was delivered stale because the downloader was offline, if it is online now. The server is
  /// asked; if it confirms the image, the image in memory is delivered.
  let isToBeRequested: Bool

  /// The freshness that callers see. An image that is past its lifetime and serves a caller without its server is stale.
  package let freshness: ImageResponse.Freshness
}

extension ImageDownloader {
  /// Returns the freshness of an image in memory for a request.
  package func freshnessInMemory(of image: Image, for request: ImageRequest) -> FreshnessInMemory {
    let isOffline = engine.isOffline
    var staleness = self.staleness(of: image)
    let ageAfterLifetime = self.ageAfterLifetime(image, for: request)
    let isToBeAsked = ageAfterLifetime != nil && request.cachePolicy == .useCache
    if staleness == nil, isOffline, isToBeAsked, let age = ageAfterLifetime {
      staleness = Staleness(age: age, reason: .offline)
    }
    let age = staleness?.age ?? ageAfterLifetime
    return FreshnessInMemory(
      staleness: staleness, isExpired: isToBeAsked && (image.requiresRevalidation || !isOffline),
      isToBeRequested: staleness?.reason == .offline && !isOffline,
      freshness: age.map { .stale(age: $0, reason: staleness?.reason) } ?? .fresh)
  }

  /// Returns the number of seconds since the server last sent or confirmed an image in memory, for a request that uses
  /// the disk cache; `nil` if the image is within its lifetime. The clock is read only for images that have a lifetime.
  private func ageAfterLifetime(_ image: Image, for request: ImageRequest) -> Double? {
    guard image.expiry < .max, request.cache.usesDisk, dataCache != nil else { return nil }
    let now = engine.clock.now
    return image.expiry <= now ? now.seconds(since: image.confirmed) : nil
  }
}
