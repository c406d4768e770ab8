import Synchronization
public import VitrineConcurrency
public import VitrineGraphics

/// A memory cache that evicts the least recently used images (AFNetworking's `AFAutoPurgingImageCache`).
///
/// ```swift
/// let cache = MemoryImageCache(capacity: 64 << 20, preferredUsageAfterPurge: 48 << 20)
/// cache.insert(image, for: request, additionalIdentifier: "round")
/// ```
///
/// An insert that takes the usage above `capacity` purges to `preferredUsageAfterPurge`, so that not every insert has
/// to purge. An identity has variants of several sizes, each used and evicted separately. An insert replaces the
/// variant of the same size, the variant of the same `targetSize`, and all variants of another source size, because the
/// image behind the URL has changed.
///
/// Scrolling through thousands of images does not evict the images that are looked at: an image that a lookup has found
/// is evicted after images that no lookup has found, and an image that a slot shows is evicted last. At most four
/// fifths of what a purge leaves are protected in this way against images that were used later. The limits hold even if
/// all images are being shown.
///
/// May be used from any thread. A lookup holds a lock for well under a microsecond, and a purge releases the lock at
/// regular intervals, so the main actor never waits for long. Lookups and inserts are O(variants of the identity), a
/// purge is O(purged images), and the search for expired images, a few times in a lifetime, is O(images).
public final class MemoryImageCache: ImageRequestCache {
  struct State {
    var images = CachedImages()
    var limits: CacheLimits
    var statistics = Statistics()
    /// The time of the last search for expired images in nanoseconds; `.min` if there was none.
    var lastSweep = Int64.min
    var ledger: MemoryLedger?
    /// The weak references; nil unless `keepsWeakReferences` is true.
    var weakImages: WeakImages?

    init(limits: CacheLimits) {
      self.limits = limits
      limitsDidChange()
    }

    mutating func limitsDidChange() {
      lastSweep = .min
      images.protect(cost: min(limits.preferredUsage, limits.capacity), count: limits.count)
    }

    /// Returns the image at an index, marks the image as just used, and counts the lookup; nil for a negative index.
    /// Inlined, because this is the path of each memory hit.
    @inline(__always)
    mutating func use(_ index: Int) -> Image? {
      guard index >= 0 else {
        statistics.misses += 1
        return nil
      }
      statistics.hits += 1
      return images.use(index)
    }

    /// Returns the purge that the limits require, with a reason; nil if the limits are met.
    func neededPurge(keeping index: Int? = nil) -> (CachedImages.Purge, EvictionReason)? {
      let isOverCapacity = images.cost > limits.capacity
      guard isOverCapacity || images.count > limits.count else { return nil }
      let cost = isOverCapacity ? min(limits.preferredUsage, limits.capacity) : .max
      let purge = CachedImages.Purge(cost: cost, count: limits.count, keptIndex: index, sparing: images.count)
      return (purge, isOverCapacity ? .capacity : .count)
    }

    /// Removes and returns expired images. Does nothing if the last search was less than a quarter of a lifetime ago.
    mutating func sweep(at now: Int64) -> [Image] {
      guard limits.lifetime != .max else { return [] }
      if lastSweep != .min, lastSweep <= now, now - lastSweep < limits.lifetime / 4 { return [] }
      lastSweep = now
      let old = images.removeAll(asOldAs: limits.lifetime, at: now)
      statistics.count(old.count, .age)
      return old
    }
  }

  let state: Mutex<State>
  private let clock: @Sendable () -> Int64
  private let timer: ExpiryTimer?
  /// True if images expire. Only then does a lookup read the clock, outside the lock.
  private let expires: Atomic<Bool>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes of pixels above which the cache purges. A negative number counts as 0, which
  ///     stores nothing.
  ///   - preferredUsageAfterPurge: The maximum number of bytes of pixels that a purge leaves. A number above the
  ///     capacity counts as the capacity.
  ///   - countLimit: The maximum number of images; each size of an image counts. A negative number counts as 0, which
  ///     stores nothing.
  ///   - timeToLive: The number of seconds after which an image expires. 0, negative numbers and NaN store nothing.
  ///   - entryCostLimit: The maximum number of bytes of pixels of one image; see the property.
  ///   - timer: The clock that removes expired images without a lookup or an insert, such as `SystemLoadingClock()`;
  ///     `nil`, the default, sets no timer. Replaces `clock`.
  ///   - clock: A clock that returns nanoseconds since an arbitrary time in the past; `nil`, the default, for the
  ///     system's clock. Lookups read the clock only if images expire.
  public init(
    capacity: Int = 100 << 20, preferredUsageAfterPurge: Int = 60 << 20, countLimit: Int = .max,
    timeToLive: Double = .infinity, entryCostLimit: Int? = nil, timer: (any LoadingClock)? = nil,
    clock: (@Sendable () -> Int64)? = nil
  ) {
    var limits = CacheLimits()
    limits.capacity = max(0, capacity)
    limits.preferredUsage = max(0, preferredUsageAfterPurge)
    limits.count = max(0, countLimit)
    limits.timeToLive = timeToLive
    limits.entryCost = entryCostLimit
    state = Mutex(State(limits: limits))
    expires = Atomic(limits.lifetime != .max)
    self.timer = timer.map { ExpiryTimer(clock: $0) }
    if let timer {
      self.clock = { timer.now }
    } else {
      self.clock = clock ?? { Trace.systemTime() }
    }
  }

  deinit {
    state.withLock { state in
      state.ledger?.add(-state.images.cost, to: .cache)
      state.images.forEach { $0.endCaching() }
    }
  }

  // MARK: Limits

  /// The number of bytes of pixels above which the cache purges; 100 MiB by default. Setting a value below the usage
  /// purges at once.
  public var capacity: Int {
    get { state.withLock { $0.limits.capacity } }
    set { changeLimits { $0.capacity = max(0, newValue) } }
  }

  /// The maximum number of bytes of pixels that a purge leaves; 60 MiB by default.
  public var preferredUsageAfterPurge: Int {
    get { state.withLock { $0.limits.preferredUsage } }
    set { changeLimits { $0.preferredUsage = max(0, newValue) } }
  }

  /// The maximum number of images; each size of an image counts. Unlimited by default. Images beyond the limit are
  /// evicted at once, without a purge to `preferredUsageAfterPurge`.
  public var countLimit: Int {
    get { state.withLock { $0.limits.count } }
    set { changeLimits { $0.count = max(0, newValue) } }
  }

  /// The number of seconds after which an image expires and is not found any more; infinity by default. 0, negative
  /// numbers and NaN store nothing.
  ///
  /// An expired image is removed by a lookup, or by an insert soon afterwards. Only a cache with a `timer` wakes an
  /// idle program to remove images. If the clock is set back, the time starts again for images that seem to come from
  /// the future.
  public var timeToLive: Double {
    get { state.withLock { $0.limits.timeToLive } }
    set { changeLimits { $0.timeToLive = newValue } }
  }

  /// The maximum number of bytes of pixels of one image. A larger image is not stored; the variants that it would
  /// replace are removed nevertheless.
  ///
  /// `nil`, the default, stands for the larger of `preferredUsageAfterPurge` and a quarter of `capacity`: a larger
  /// image would evict all other images and would itself be evicted by the next purge. By default, an image for a whole
  /// 4K screen (32 MiB) is stored.
  public var entryCostLimit: Int? {
    get { state.withLock { $0.limits.entryCost } }
    set { changeLimits { $0.entryCost = newValue } }
  }

  /// True to find an evicted image again for as long as another owner, such as a view, keeps the image alive; false by
  /// default (SDWebImage's `shouldUseWeakMemoryCache`).
  ///
  /// An image found in this way is stored and counted again. Removing an image also removes its weak reference.
  public var keepsWeakReferences: Bool {
    get { state.withLock { $0.weakImages != nil } }
    set {
      state.withLock { state in
        if newValue != (state.weakImages != nil) { state.weakImages = newValue ? WeakImages() : nil }
      }
    }
  }

  private func changeLimits(_ change: (inout CacheLimits) -> Void) {
    let now = clock()
    release { state in
      change(&state.limits)
      state.limitsDidChange()
      expires.store(state.limits.lifetime != .max, ordering: .relaxed)
      return state.sweep(at: now)
    }
    purgeIfNeeded()
    scheduleSweep()
  }

  // MARK: Contents

  /// The number of bytes of pixels in the cache.
  public var usage: Int { state.withLock { $0.images.cost } }

  /// The counters since the cache was created, and the current contents.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.entries = state.images.count
      statistics.cost = state.images.cost
      return statistics
    }
  }

  // MARK: ImageRequestCache

  /// Returns the smallest variant that serves the request's `targetSize`, or the largest variant if the request has
  /// none; `nil` if there is no such variant. Marks the image as just used.
  public func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    if additionalIdentifier == nil, !request.hasChoices, !expires.load(ordering: .relaxed) {
      return plainImage(for: request) ?? livingImage(request.imageIdentity(nil), request)
    }
    let identity = request.imageIdentity(additionalIdentifier)
    let target = request.targetSize
    let scaleDownBytes = request.scaleDownBytes
    let image =
      expires.load(ordering: .relaxed)
      ? freshImage(identity, target, scaleDownBytes, at: clock())
      : state.withLock { $0.use($0.images.index(of: identity, at: target, scaleDownBytes: scaleDownBytes)) }
    return image ?? livingImage(identity, request)
  }

  /// Looks an image up that does not expire, for a request with the default choices. Copies neither the request nor its
  /// identity, which would count references in memory that is not in the processor's cache.
  @inline(__always)
  private func plainImage(for request: ImageRequest) -> Image? {
    let (target, address, guess) = (
      request.targetSize, request.identity.address, request.identity.guessedIndex
    )
    return state.withLock { state in
      let index = state.images.index(guessed: guess, of: address, at: target)
      return state.use(index >= 0 ? index : state.images.index(of: request.imageIdentity(nil), at: target))
    }
  }

  /// Returns the largest variant of an image; `nil` if there is none, or if it has expired. Counts neither as a lookup
  /// nor as a use.
  func largestVariant(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    let identity = request.imageIdentity(additionalIdentifier)
    let now = expires.load(ordering: .relaxed) ? clock() : nil
    return state.withLock { state in
      let index = state.images.index(of: identity, at: nil)
      guard index >= 0 else { return nil }
      if let now, state.images.age(index, at: now) >= state.limits.lifetime { return nil }
      return state.images.image(index)
    }
  }

  /// Looks an image up like `image(for:additionalIdentifier:)`, and removes the expired variants that the lookup would
  /// find. Both happen under one lock, so that a variant that becomes the next to be found is checked as well.
  private func freshImage(
    _ identity: ImageIdentity, _ target: DecodeTarget?, _ scaleDownBytes: Int?, at now: Int64
  ) -> Image? {
    var image: Image?
    release { state in
      var old: [Image] = []
      while case let index = state.images.index(of: identity, at: target, scaleDownBytes: scaleDownBytes),
        index >= 0, state.images.age(index, at: now) >= state.limits.lifetime
      {
        old.append(state.images.remove(index))
        state.statistics.count(1, .age)
      }
      image = state.use(state.images.index(of: identity, at: target, scaleDownBytes: scaleDownBytes))
      return old
    }
    return image
  }

  /// Returns an evicted image that another owner still holds, and stores the image again.
  private func livingImage(_ identity: ImageIdentity, _ request: ImageRequest) -> Image? {
    let image = state.withLock { state in
      state.weakImages?.image(identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
    }
    if let image { keep(image, as: identity, request) }
    return image
  }

  /// Stores an image as the most recent one, and purges if a limit is exceeded. An image above `entryCostLimit` is not
  /// stored.
  public func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    keep(image, as: request.imageIdentity(additionalIdentifier), request)
  }

  private func keep(_ image: Image, as identity: ImageIdentity, _ request: ImageRequest) {
    let now = clock()
    var index: Int?
    release { state in
      state.weakImages?.insert(
        image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
      var released = state.images.removeReplaced(
        by: image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
      if image.cost <= state.limits.largestEntryCost, state.limits.lifetime > 0 {
        state.statistics.inserts += 1
        image.beginCaching()
        index = state.images.insert(
          image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes, now)
      } else {
        state.statistics.refusals += 1
      }
      released += state.sweep(at: now)
      return released
    }
    purgeIfNeeded(keeping: index)
    scheduleSweep()
  }

  /// Schedules the removal of expired images.
  private func scheduleSweep() {
    guard let timer, expires.load(ordering: .relaxed) else { return }
    let oldest = state.withLock { $0.images.count > 0 ? $0.limits.lifetime : nil }
    guard let oldest else { return }
    timer.schedule(after: oldest) { [weak self] in self?.sweepByTimer() }
  }

  private func sweepByTimer() {
    let now = clock()
    release { state in
      state.lastSweep = .min
      return state.sweep(at: now)
    }
    scheduleSweep()
  }

  /// Returns the reason why the preceding lookup did not find an image, for the trace. Does not count as a use. Returns
  /// `.tooSmall` if the cache has only smaller sizes, `.purged` if a purge has evicted the image, and otherwise
  /// `.absent`. O(1).
  package func missReason(for request: ImageRequest, additionalIdentifier: String?) -> TraceEvent.Miss {
    let identity = request.imageIdentity(additionalIdentifier)
    return state.withLock { $0.images.missReason(identity) }
  }

  /// Removes an image in all sizes. Returns true if there was one, or if an evicted image was still held by another
  /// owner.
  @discardableResult
  public func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    let identity = request.imageIdentity(additionalIdentifier)
    var wasAlive = false
    let wasStored = release { state in
      wasAlive = state.weakImages?.remove(identity) ?? false
      return state.images.remove(identity)
    }
    return wasStored || wasAlive
  }

  /// Removes all images and all weak references. Returns true if the cache had images. O(images), but the lock is held
  /// only for O(weak references).
  @discardableResult
  public func removeAllImages() -> Bool {
    let (all, ledger) = state.withLock { state in
      let all = state.images
      state.images = CachedImages()
      state.weakImages?.removeAll()
      state.limitsDidChange()
      return (all, state.ledger)
    }
    ledger?.add(-all.cost, to: .cache)
    all.forEach { $0.endCaching() }
    return all.count > 0
  }
}
