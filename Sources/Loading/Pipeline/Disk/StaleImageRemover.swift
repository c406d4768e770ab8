import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// The state of an image in memory that may be out of date.
package struct Staleness: Sendable {
  /// The number of seconds since the response was last known to be valid.
  package let age: Double
  /// The reason for the failed update; `nil` while the server is being asked.
  package let reason: ImageError?

  package init(age: Double, reason: ImageError?) { (self.age, self.reason) = (age, reason) }

  /// The staleness of a response; `nil` if the response is not stale.
  package init?(_ freshness: ImageResponse.Freshness) {
    guard case .stale(let age, let reason) = freshness else { return nil }
    self.init(age: age, reason: reason)
  }
}

/// Removes stale images from memory after `FreshnessRules.staleInMemory` seconds, so that the next request asks the
/// server again.
final class StaleImageRemover: Sendable {
  private let cache: (any ImageRequestCache)?
  private let seconds: Double
  private let clock: any LoadingClock
  private let images = Mutex(StaleImages())
  /// The number of stale images, read without the lock.
  private let count = Atomic(0)

  /// - Parameters:
  ///   - cache: The cache of requests that do not name a cache of their own.
  ///   - seconds: The number of seconds after which a stale image is removed.
  init(from cache: (any ImageRequestCache)?, after seconds: Double, clock: any LoadingClock) {
    self.cache = cache
    self.seconds = seconds
    self.clock = clock
  }

  /// Notes that a stale image is about to be inserted in the cache of `request`, or was inserted. Called before the
  /// insertion, so that the image is never believed to be fresh, and after it, because stale images may have been
  /// removed in between.
  ///
  /// - Parameters:
  ///   - age: The number of seconds since the response was last known to be valid.
  ///   - response: The head of the stored response that the image was made from.
  func note(
    _ image: Image, _ request: ImageRequest, _ additionalIdentifier: String?, because reason: ImageError?,
    age: Double = 0, madeFrom response: TransportResponse? = nil
  ) {
    let now = clock.now
    let wake = change { images in
      images.add(
        .init(
          image: image.number, request: request, additionalIdentifier: additionalIdentifier,
          end: now.advanced(bySeconds: max(0, seconds)), reason: reason, age: age, noted: now,
          response: response))
    }
    if let wake { schedule(at: wake) }
  }

  private var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Returns the age of an image and the reason why the image may be out of date, or `nil` if the image is not known to
  /// be stale. Costs one atomic load while no image is stale.
  func staleness(of image: Image) -> Staleness? {
    guard !isEmpty else { return nil }
    let now = clock.now
    return images.withLock { $0.staleness(of: image.number, at: now) }
  }

  // MARK: Responses of servers

  /// Returns the stale image in memory that was made from a stored response with this head; `nil` if there is none.
  func image(
    for request: ImageRequest, _ additionalIdentifier: String?, madeFrom response: TransportResponse
  ) -> Image? {
    guard !isEmpty else { return nil }
    let key = ProcessedImageKey(request, additionalIdentifier: additionalIdentifier)
    guard let number = images.withLock({ $0.image(key, madeFrom: response) }),
      let image = request.cache(default: cache)?.image(
        for: request, additionalIdentifier: additionalIdentifier),
      image.number == number
    else { return nil }
    return image
  }

  /// Notes the freshness with which an image is delivered, if the image is known to be stale.
  func update(_ image: Image, _ freshness: ImageResponse.Freshness) {
    guard !isEmpty else { return }
    switch freshness {
    case .revalidated: change { $0.confirm(image.number) }
    case .stale(_, let reason?): change { $0.fail(image.number, because: reason) }
    case .fresh, .stale(_, nil): break
    }
  }

  /// Notes that the server could not be asked about the image of a request.
  func fail(_ request: ImageRequest, _ additionalIdentifier: String?, because error: ImageError) {
    guard !isEmpty else { return }
    let key = ProcessedImageKey(request, additionalIdentifier: additionalIdentifier)
    change { $0.fail(key, because: error) }
  }

  // MARK: Removal

  /// Removes all stale images from memory now.
  func removeAll() { remove(images.withLock { $0.all }) }

  private func change<Value>(_ change: (inout StaleImages) -> Value) -> Value {
    images.withLock { images in
      defer { count.store(images.count, ordering: .relaxed) }
      return change(&images)
    }
  }

  private func schedule(at time: Int64) {
    clock.wake(at: time) { [weak self] in
      guard let self else { return }
      let now = clock.now
      remove(images.withLock { $0.due(at: now) })
      if let next = images.withLock({ $0.takeNextWake() }) { schedule(at: next) }
    }
  }

  /// Removes images from memory, except images that newer ones have replaced, and then their entries. In this order, so
  /// that an image in memory is known to be stale until the end.
  private func remove(_ stale: [StaleImages.Entry]) {
    for entry in stale {
      let cache = entry.request.cache(default: cache)
      let number = cache?.image(for: entry.request, additionalIdentifier: entry.additionalIdentifier)?.number
      if number == entry.image || number != nil && number == entry.replaced {
        cache?.removeImage(for: entry.request, additionalIdentifier: entry.additionalIdentifier)
      }
    }
    change { $0.remove(stale) }
  }
}
