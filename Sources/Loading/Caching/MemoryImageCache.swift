import Synchronization
public import VitrineGraphics

/// Pictures in memory, the least recently used going first (AF-F5).
///
/// ```swift
/// let cache = MemoryImageCache(capacity: 64 << 20, preferredUsageAfterPurge: 48 << 20)
/// cache.insert(image, for: request, additionalIdentifier: "round")
/// ```
///
/// An insert that takes the usage above `capacity` purges to `preferredUsageAfterPurge`, so that not every
/// insert has to. Under one identity lie variants of several sizes, each used and purged on its own; an insert
/// replaces the variant of its size, or of its `targetSize`, and all variants of another source size: the
/// picture behind the URL has changed.
///
/// A fling through thousands of pictures does not flush what is looked at: a picture that was found once goes
/// after those that never were, and one that a slot shows goes last. Up to four fifths of what a purge leaves
/// are kept in this way although others were used later; the bounds hold whatever is shown.
///
/// May be used from any thread. A lookup holds a lock for well under a microsecond and a purge lets go of it
/// again and again, so the main actor never waits. O(1), but for purging, which is O(purged).
public final class MemoryImageCache: ImageRequestCache {
  /// 100 MiB.
  public static let defaultCapacity = 100 << 20
  /// 60 MiB.
  public static let defaultPreferredUsageAfterPurge = 60 << 20
  struct State {
    var images = CachedImages()
    var limits: CacheLimits
    var statistics = Statistics()
    /// When images were last looked for that have become too old.
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

    /// What obeying the limits takes; nil while they are obeyed.
    func dueWork(keeping place: Int? = nil) -> (CachedImages.Purge, EvictionReason)? {
      let isTooMuch = images.cost > limits.capacity
      guard isTooMuch || images.count > limits.count else { return nil }
      let cost = isTooMuch ? min(limits.preferredUsage, limits.capacity) : .max
      let purge = CachedImages.Purge(
        cost: cost, count: limits.count, kept: place, sparing: images.count)
      return (purge, isTooMuch ? .capacity : .count)
    }

    /// Images that have become too old, looked for a few times in a life.
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
  /// Whether images become too old: the clock is read outside the lock, and only then.
  private let expires: Atomic<Bool>

  /// A cache that is empty.
  ///
  /// - Parameters:
  ///   - capacity: bytes of pixels; below 0 counts as 0, which keeps nothing.
  ///   - preferredUsageAfterPurge: bytes; above the capacity counts as the capacity.
  ///   - countLimit: images, each size counted; below 0 counts as 0, which keeps nothing.
  ///   - timeToLive: seconds; 0, less and NaN keep nothing.
  ///   - entryCostLimit: bytes; see the property.
  ///   - timer: The clock that removes expired images without a lookup or an insert; `nil`, the default, sets no timer.
  ///     Replaces `clock`.
  ///   - clock: nanoseconds since some time in the past; the system's by default. Read only where there is a
  ///     `timeToLive`, and with each insert.
  public init(
    capacity: Int = defaultCapacity, preferredUsageAfterPurge: Int = defaultPreferredUsageAfterPurge,
    countLimit: Int = .max, timeToLive: Double = .infinity, entryCostLimit: Int? = nil,
    timer: (any LoadingClock)? = nil, clock: @escaping @Sendable () -> Int64 = Trace.systemTime
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
      self.clock = clock
    }
  }

  deinit {
    state.withLock { state in
      state.ledger?.add(-state.images.cost, to: .cache)
      state.images.forEach { $0.endCaching() }
    }
  }

  // MARK: Limits

  /// Bytes of pixels above which it purges. Purges at once when set below the usage.
  public var capacity: Int {
    get { state.withLock { $0.limits.capacity } }
    set { changeLimits { $0.capacity = max(0, newValue) } }
  }

  /// Bytes of pixels that are left after a purge, at most.
  public var preferredUsageAfterPurge: Int {
    get { state.withLock { $0.limits.preferredUsage } }
    set { changeLimits { $0.preferredUsage = max(0, newValue) } }
  }

  /// Images that it holds at most, each size counted; without bound by default. Those beyond it go at once, and
  /// no others with them (YY-B30).
  public var countLimit: Int {
    get { state.withLock { $0.limits.count } }
    set { changeLimits { $0.count = max(0, newValue) } }
  }

  /// Seconds after which an image that was put in is not found any more; infinity by default.
  ///
  /// An expired image is removed by a lookup, or by an insert soon afterwards. Only a cache with a `timer` wakes an
  /// idle program to remove images. If the clock is set back, the time starts again for images that seem to come from
  /// the future.
  public var timeToLive: Double {
    get { state.withLock { $0.limits.timeToLive } }
    set { changeLimits { $0.timeToLive = newValue } }
  }

  /// Bytes of pixels above which an image is not kept; what it would have replaced goes nevertheless.
  ///
  /// Nil, which is the default, stands for what a purge may leave, and for a quarter of the capacity where that
  /// is more: a larger image would push out everything else, and go itself with the next purge. That keeps a
  /// picture for a whole 4K screen (32 MiB) by default.
  public var entryCostLimit: Int? {
    get { state.withLock { $0.limits.entryCost } }
    set { changeLimits { $0.entryCost = newValue } }
  }

  /// True to find an evicted image again for as long as another owner, such as a view, holds it; false by default
  /// (SDWebImage's `shouldUseWeakMemoryCache`).
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

  // MARK: What it holds

  /// Bytes of the pixels it holds.
  public var usage: Int { state.withLock { $0.images.cost } }

  /// What it has done so far, and what it holds now.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.entries = state.images.count
      statistics.cost = state.images.cost
      return statistics
    }
  }

  // MARK: ImageRequestCache

  /// The smallest variant that serves the request's `targetSize`; the largest there is without one.
  public func image(for request: ImageRequest, additionalIdentifier: String?) -> Image? {
    let identity = request.pictureIdentity(additionalIdentifier)
    let target = request.targetSize
    let scaleDownBytes = request.scaleDownBytes
    let now = expires.load(ordering: .relaxed) ? clock() : .min
    var old: [Image] = []
    let (image, ledger) = state.withLock { state in
      var place = state.images.place(identity, at: target, scaleDownBytes: scaleDownBytes)
      while place >= 0, now != .min, state.images.age(place, at: now) >= state.limits.lifetime {
        old.append(state.images.remove(place))
        state.statistics.count(1, .age)
        place = state.images.place(identity, at: target, scaleDownBytes: scaleDownBytes)
      }
      if place < 0 { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
      return (place < 0 ? nil : state.images.use(place), old.isEmpty ? nil : state.ledger)
    }
    ledger?.add(-old.reduce(0) { $0 + $1.cost }, to: .cache)
    Self.endCaching(&old)
    return image ?? livingImage(identity, request)
  }

  /// Returns an evicted image that another owner still holds, and stores it again.
  private func livingImage(_ identity: PictureIdentity, _ request: ImageRequest) -> Image? {
    let image = state.withLock { state in
      state.weakImages?.image(identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
    }
    if let image { keep(image, as: identity, request) }
    return image
  }

  /// Keeps an image as the most recently used, and purges if there are too many.
  public func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    keep(image, as: request.pictureIdentity(additionalIdentifier), request)
  }

  private func keep(_ image: Image, as identity: PictureIdentity, _ request: ImageRequest) {
    let now = clock()
    var place: Int?
    release { state in
      state.weakImages?.insert(
        image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
      var released = state.images.makeWay(
        for: image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes)
      if image.cost <= state.limits.largestEntry, state.limits.lifetime > 0 {
        state.statistics.inserts += 1
        image.beginCaching()
        place = state.images.insert(
          image, as: identity, at: request.targetSize, scaleDownBytes: request.scaleDownBytes, now)
      } else {
        state.statistics.refusals += 1
      }
      released += state.sweep(at: now)
      return released
    }
    purgeIfNeeded(keeping: place)
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

  /// Whether it is there in smaller sizes only, was purged, or never was there. O(1).
  public func missReason(for request: ImageRequest, additionalIdentifier: String?) -> TraceEvent.Miss {
    let identity = request.pictureIdentity(additionalIdentifier)
    return state.withLock { $0.images.missReason(identity) }
  }

  /// Removes a picture in all its sizes; whether there was one.
  @discardableResult
  public func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool {
    let identity = request.pictureIdentity(additionalIdentifier)
    var wasAlive = false
    let wasThere = release { state in
      wasAlive = state.weakImages?.remove(identity) ?? false
      return state.images.remove(identity)
    }
    return wasThere || wasAlive
  }

  /// Removes everything; whether there was anything. O(images), but for the lock, which it holds for O(1).
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
