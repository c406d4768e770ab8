import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// The reason why an image may be out of date; `nil` while the server is being asked.
package struct Staleness: Sendable {
  package let reason: ImageError?

  package init(reason: ImageError?) { self.reason = reason }
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

  /// Notes that a stale image was inserted in the cache of `request`.
  func note(
    _ image: Image, _ request: ImageRequest, _ additionalIdentifier: String?, because reason: ImageError?
  ) {
    let end = clock.now.advanced(bySeconds: max(0, seconds))
    let wake = change { images in
      images.add(
        .init(
          image: image.number, request: request, additionalIdentifier: additionalIdentifier, end: end,
          reason: reason))
    }
    if let wake { schedule(at: wake) }
  }

  /// Returns the reason why an image may be out of date, or `nil` if the image is not known to be stale. Costs one
  /// atomic load while no image is stale.
  func staleness(of image: Image) -> Staleness? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return images.withLock { $0.staleness(of: image.number) }
  }

  /// Removes all stale images from memory now.
  func removeAll() { remove(change { $0.takeAll() }) }

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
      let (due, next) = change { $0.takeDue(at: now) }
      remove(due)
      if let next { schedule(at: next) }
    }
  }

  /// Removes images from memory, except images that newer ones have replaced.
  private func remove(_ stale: [StaleImages.Entry]) {
    for entry in stale {
      let cache = entry.request.cache(default: cache)
      if cache?.image(for: entry.request, additionalIdentifier: entry.additionalIdentifier)?.number
        == entry.image
      {
        cache?.removeImage(for: entry.request, additionalIdentifier: entry.additionalIdentifier)
      }
    }
  }
}
