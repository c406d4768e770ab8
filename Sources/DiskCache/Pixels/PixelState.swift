import VitrineConcurrency
import VitrineLoading

/// The state of a pixel cache in memory: the counters, the known packs (`PackUsage`) and the faults (`WritePause`).
struct PixelState {
  /// The number of seconds for which no room is looked for after there was none.
  static let noRoomSeconds = 60.0

  var limits: DiskPixelCache.Limits
  private(set) var usage = PackUsage()
  private(set) var pause = WritePause()
  var delayedRemoval = DelayedRemoval()
  /// The kind of disk that holds the folder, as far as known.
  var medium = DiskMedium.other
  private(set) var statistics = DiskPixelCache.Statistics()
  private var quota = EvictionQuota()
  /// The time in nanoseconds until which no packs are removed for new images.
  private var noRoomUntil: Int64?

  init(limits: DiskPixelCache.Limits) { self.limits = limits }

  // MARK: Lookups

  mutating func lookedUp(isHit: Bool) {
    if isHit { statistics.hits += 1 } else { statistics.misses += 1 }
  }

  /// Records that pixels of a pack were read. Returns true if the file is to get a time stamp.
  mutating func used(_ pack: UInt32, recorded: Int64, time: Int64, at now: Int64) -> Bool {
    usage.used(pack, at: now)
    return usage.takeStamp(pack, recorded: recorded, time: time, at: now)
  }

  mutating func foundDamage() { statistics.damaged += 1 }

  /// Records a fault of reading. Returns true if the fault is new.
  mutating func readFailed(_ fault: DiskImageCache.Fault) -> Bool {
    statistics.failures += 1
    return pause.readFailed(fault)
  }

  // MARK: Stores

  /// Records that a record of `length` bytes was added to a pack. Returns true if the file is to get a time stamp.
  mutating func stored(_ pack: UInt32, length: Int, recorded: Int64, time: Int64, at now: Int64) -> Bool {
    statistics.stores += 1
    pause.stored()
    usage.grew(pack, by: length, time: time, at: now)
    return usage.takeStamp(pack, recorded: recorded, time: time, at: now)
  }

  /// Records that pixels were not stored because of the limits or a pause.
  mutating func refused() { statistics.refusals += 1 }

  /// Records a fault of writing. Returns true if the fault is new.
  mutating func writeFailed(_ fault: DiskImageCache.Fault, at now: Int64) -> Bool {
    statistics.failures += 1
    return pause.writeFailed(fault, at: now)
  }

  /// Records that the file system has no room for so many bytes.
  mutating func lackedSpace(for bytes: Int, at now: Int64) { pause.lackedSpace(for: bytes, at: now) }

  /// Returns true while nothing is written: after a failure, or after the file system had no room.
  func isPaused(for bytes: Int, at now: Int64) -> Bool {
    pause.isPaused(at: now) || pause.isFull(for: bytes, at: now)
  }

  // MARK: Room

  /// True if a record fits within the limit.
  func hasRoom(for record: Int) -> Bool {
    usage.bytes.addingSaturated(FileStatus.allocatedBytes(for: record)) <= limits.bytes
  }

  /// True if there was no room a short time ago, so that another scan would be useless.
  func lacksRoom(at now: Int64) -> Bool { noRoomUntil.map { now < $0 } ?? false }

  /// Chooses the packs to remove for a new record; nil if the record is not to be stored. Packs in `locked` cannot be
  /// removed.
  mutating func makeRoom(
    for record: Int, locked: Set<UInt32>, time: Int64, at now: Int64
  ) -> [PackUsage.Pack]? {
    let victims = PackTrim(time: time).victims(
      usage, limit: limits.bytes, for: FileStatus.allocatedBytes(for: record), locked: locked, at: now)
    let bytes = victims?.reduce(0) { $0.addingSaturated($1.bytes) } ?? 0
    if let victims, bytes == 0 || quota.take(bytes, limit: limits.bytes, at: now) {
      noRoomUntil = nil
      return victims
    }
    noRoomUntil = now.advanced(bySeconds: Self.noRoomSeconds)
    return nil
  }

  /// Records that a new record replaces the entry of another image. Returns false if enough was evicted today.
  mutating func replaces(_ entry: PixelEntry, by record: Int, at now: Int64) -> Bool {
    guard usage.mayExist(entry.pack) else { return true }
    return quota.take(FileStatus.allocatedBytes(for: record), limit: limits.bytes, at: now)
  }

  // MARK: Removals

  mutating func evicted(_ pack: UInt32) {
    statistics.evictions += 1
    usage.removed(pack)
  }

  mutating func scanned(_ found: PixelSweep.Contents, at now: Int64) {
    if !found.isComplete { statistics.failures += 1 }
    usage.scanned(found, at: now)
  }

  mutating func removedAll() {
    usage.removedAll()
    noRoomUntil = nil
  }
}
