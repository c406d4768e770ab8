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
/// insert has to. A picture larger than the capacity is therefore not kept. Under one identity lie variants
/// of several sizes, each used and purged on its own; an insert replaces the variant of its size, or of its
/// `targetSize`, and all variants of another source size: the picture behind the URL has changed.
///
/// May be used from any thread. A lookup holds a lock for well under a microsecond, so the main actor never
/// waits. O(1), but for purging, which is O(purged).
public final class MemoryImageCache: ImageRequestCache {
  /// 100 MiB.
  public static let defaultCapacity = 100 << 20
  /// 60 MiB.
  public static let defaultPreferredUsageAfterPurge = 60 << 20

  private struct State {
    var images = CachedImages()
    var capacity: Int
    var preferredUsage: Int
    var statistics = Statistics()

    /// What had to go to obey the capacity.
    mutating func purgeIfNeeded() -> [Image] {
      images.cost > capacity ? purge(to: min(preferredUsage, capacity)) : []
    }

    mutating func purge(to cost: Int) -> [Image] {
      let purged = images.purge(to: cost)
      statistics.evictions += purged.count
      return purged
    }
  }

  /// What a cache has done so far, and what it holds.
  public struct Statistics: Hashable, Sendable {
    /// Lookups that found an image.
    public internal(set) var hits = 0
    /// Lookups that did not.
    public internal(set) var misses = 0
    /// Images that were put in, replaced ones included.
    public internal(set) var inserts = 0
    /// Images that went to make room; not those replaced or removed.
    public internal(set) var evictions = 0
    /// Images held, each size counted.
    public internal(set) var entries = 0
    /// Bytes of their pixels.
    public internal(set) var cost = 0

    /// Nothing done, nothing held.
    public init() {}
  }

  private let state: Mutex<State>

  /// Bytes of pixels; below 0 counts as 0, which keeps nothing. A preferred usage above the capacity counts
  /// as the capacity.
  public init(
    capacity: Int = defaultCapacity, preferredUsageAfterPurge: Int = defaultPreferredUsageAfterPurge
  ) {
    state = Mutex(State(capacity: max(0, capacity), preferredUsage: max(0, preferredUsageAfterPurge)))
  }

  /// Bytes of pixels above which it purges. Purges at once when set below the usage.
  public var capacity: Int {
    get { state.withLock { $0.capacity } }
    set {
      release { state in
        state.capacity = max(0, newValue)
        return state.purgeIfNeeded()
      }
    }
  }

  /// Bytes of pixels that are left after a purge, at most.
  public var preferredUsageAfterPurge: Int {
    get { state.withLock { $0.preferredUsage } }
    set { state.withLock { $0.preferredUsage = max(0, newValue) } }
  }

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
    return state.withLock { state in
      let image = state.images.use(identity, at: request.targetSize)
      if image == nil { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
      return image
    }
  }

  /// Keeps an image as the most recently used, and purges if there are too many.
  public func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) {
    let identity = request.pictureIdentity(additionalIdentifier)
    release { state in
      state.statistics.inserts += 1
      let replaced = state.images.insert(image, as: identity, at: request.targetSize)
      return replaced + state.purgeIfNeeded()
    }
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
    return release { $0.images.remove(identity) }
  }

  /// Removes everything; whether there was anything. O(images).
  @discardableResult
  public func removeAllImages() -> Bool { release { $0.images.removeAll() } }

  // MARK: Purging

  /// Removes the least recently used images until `bytes` at most are left.
  public func purge(to bytes: Int) { release { $0.purge(to: max(0, bytes)) } }

  /// Removes everything (AF-C19): the system has told the application that memory is short.
  public func relieveMemoryPressure() { purge(to: 0) }

  /// Lets images go after the lock: freeing megabytes takes time. Whether there were any.
  @discardableResult
  private func release(_ change: (inout State) -> [Image]) -> Bool {
    let images = state.withLock { change(&$0) }
    return !images.isEmpty
  }
}
