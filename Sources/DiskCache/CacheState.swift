/// The state of a cache in memory. Each method records one event in the counters, the known contents (`FolderUsage`)
/// and the faults (`WritePause`).
struct CacheState {
  var limits: DiskImageCache.Limits
  private(set) var usage = FolderUsage()
  private(set) var pause = WritePause()
  var delayedRemoval = DelayedRemoval()
  private var counters = DiskImageCache.Statistics()

  init(limits: DiskImageCache.Limits) { self.limits = limits }

  /// The counters and the known contents.
  var statistics: DiskImageCache.Statistics {
    var statistics = counters
    (statistics.entries, statistics.bytes) = (usage.entries, usage.bytes)
    return statistics
  }

  /// True if the folder must be trimmed after a store.
  func needsTrim(at now: Int64) -> Bool { usage.needsScan(for: limits, at: now) }

  /// True if the folder must be trimmed after a revalidation, which adds few bytes.
  func needsIdleCheck(at now: Int64) -> Bool { usage.needsIdleCheck(for: limits, at: now) }

  // MARK: Lookups

  mutating func lookedUp(isHit: Bool) {
    if isHit { counters.hits += 1 } else { counters.misses += 1 }
  }

  /// Records that a response was read. Returns true if the use is to be recorded on disk; see `UseRecord.take`.
  mutating func used(_ name: ContentHash, recorded: Int64, time: Int64, at now: Int64) -> Bool {
    usage.used(name, every: limits.useInterval, recorded: recorded, time: time, at: now)
  }

  /// Records a fault of reading. Returns true if the fault is new.
  mutating func readFailed(_ fault: DiskImageCache.Fault) -> Bool {
    counters.failures += 1
    return pause.readFailed(fault)
  }

  // MARK: Stores

  /// Records that a response was stored in a file of `length` bytes, in place of a file of `replaced` bytes.
  mutating func stored(_ name: ContentHash, length: Int, replacing replaced: Int?, at now: Int64) {
    counters.stores += 1
    pause.stored()
    usage.stored(name, length: length, replacing: replaced, at: now)
  }

  /// Records that a response was not stored because of the limits or a pause.
  mutating func refused() { counters.refusals += 1 }

  /// True if a file of `length` bytes, in place of a file of `replaced` bytes, fits within the limits.
  func hasRoom(for length: Int, replacing replaced: Int?) -> Bool {
    usage.hasRoom(for: length, replacing: replaced, within: limits)
  }

  mutating func foundSpace() { pause.foundSpace() }

  /// Records that there was no room for this additional space.
  mutating func lackedSpace(for bytes: Int, at now: Int64) { pause.lackedSpace(for: bytes, at: now) }

  /// Records a fault of writing. Returns true if the fault is new.
  mutating func writeFailed(_ fault: DiskImageCache.Fault, at now: Int64) -> Bool {
    counters.failures += 1
    return pause.writeFailed(fault, at: now)
  }

  // MARK: Removals

  /// The reason why a file was removed.
  enum Removal { case requested, expired, damaged }

  /// Records that a file was removed, which took `bytes` on disk; nil if that is unknown.
  mutating func removed(_ name: ContentHash, bytes: Int?, because reason: Removal) {
    usage.removed(name, bytes: bytes)
    switch reason {
    case .requested: break
    case .expired: counters.evictions += 1
    case .damaged: counters.damaged += 1
    }
  }

  mutating func removedAll() { usage.removedAll() }

  mutating func changedOutside() { usage.changedOutside() }

  /// Records the result of a scan of the folder, in which `evictions` responses were removed. A part that could not be
  /// read counts as a failure.
  ///
  /// - Parameters:
  ///   - evicted: The names of the responses that were removed, or were missing by then.
  ///   - trimmedAt: The time in nanoseconds of the trim that made the scan; nil if the files were only counted.
  mutating func scanned(
    _ found: FolderSweep.Contents, evictions: Int = 0, evicted: Set<ContentHash> = [],
    since before: FolderUsage, trimmedAt: Int64? = nil
  ) {
    counters.evictions += evictions
    if !found.isComplete { counters.failures += 1 }
    usage.scanned(found, evicted: evicted, since: before, trimmedAt: trimmedAt)
  }
}
