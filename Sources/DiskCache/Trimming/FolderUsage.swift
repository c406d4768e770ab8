import VitrineConcurrency
import VitrineLoading

/// The contents of a cache folder as far as this process knows, and the order in which this process has used responses.
///
/// Other processes write to the folder as well, so the contents are counted by a scan from time to time.
struct FolderUsage {
  private struct Contents {
    var entries: Int
    var bytes: Int
    /// The number of bytes that this process has stored since the scan.
    var stored: Int
  }

  /// The last use of a file by this process. Times are in nanoseconds of a clock that never goes back.
  struct Use: Hashable {
    /// A number that is larger for later uses, so that uses at the same time have an order.
    let number: UInt64
    let last: Int64
    /// Limits how often uses are recorded in the file.
    var record: UseRecord
  }

  /// The contents of the folder; nil before the first scan.
  private var contents: Contents?
  private(set) var uses: [ContentHash: Use] = [:]
  private var lastUse: UInt64 = 0
  /// The time in nanoseconds of the last trim, which has looked for idle responses; nil before the first.
  private var lastIdleCheck: Int64?

  /// The number of responses; 0 before the first scan.
  var entries: Int { contents?.entries ?? 0 }
  /// The bytes that responses and files being written take on disk; 0 before the first scan.
  var bytes: Int { contents?.bytes ?? 0 }

  /// Returns true if the folder must be scanned: the contents are unknown or exceed a limit, this process has stored
  /// more than a sixteenth of the byte limit since the last scan, or it is time to look for idle responses. Other
  /// processes may have stored as much.
  func needsScan(for limits: DiskImageCache.Limits, at now: Int64) -> Bool {
    guard let contents else { return true }
    return needsIdleCheck(for: limits, at: now) || contents.stored > limits.bytes / 16
      || contents.bytes > limits.bytes || contents.entries > limits.count
  }

  /// Returns true if it is time to look for idle responses.
  func needsIdleCheck(for limits: DiskImageCache.Limits, at now: Int64) -> Bool {
    guard let interval = limits.idleCheckInterval else { return false }
    return lastIdleCheck.map { now >= $0.advanced(bySeconds: interval) } ?? true
  }

  /// Returns true if a file of `length` bytes, in place of a file of `replaced` bytes, fits within the limits, or takes
  /// no more than before.
  func hasRoom(
    for length: Int, replacing replaced: Int?, within limits: DiskImageCache.Limits
  ) -> Bool {
    let growth = FileStatus.allocatedBytes(for: length) - (replaced.map(FileStatus.allocatedBytes) ?? 0)
    return (growth <= 0 || bytes.addingSaturated(growth) <= limits.bytes)
      && (replaced != nil || entries < limits.count)
  }

  /// Records that a response was read.
  mutating func used(_ name: ContentHash, at now: Int64) {
    lastUse += 1
    uses[name] = Use(number: lastUse, last: now, record: uses[name]?.record ?? UseRecord())
  }

  /// Records that a response was read. Returns true if the use is to be recorded on disk; see `UseRecord.take`.
  mutating func used(
    _ name: ContentHash, every interval: Int64, recorded: Int64, time: Int64, at now: Int64
  ) -> Bool {
    used(name, at: now)
    return uses[name]?.record.take(every: interval, recorded: recorded, time: time, at: now) ?? false
  }

  /// Records that a response was stored in a file of `length` bytes, in place of a file of `replaced` bytes.
  mutating func stored(_ name: ContentHash, length: Int, replacing replaced: Int?, at now: Int64) {
    used(name, at: now)
    if let replaced { subtract(FileStatus.allocatedBytes(for: replaced)) }
    let bytes = FileStatus.allocatedBytes(for: length)
    guard let known = contents else { return }
    contents = Contents(
      entries: known.entries + 1, bytes: known.bytes.addingSaturated(bytes),
      stored: known.stored.addingSaturated(bytes))
  }

  /// Records that a file was removed, which took `bytes` on disk; nil if that is unknown.
  mutating func removed(_ name: ContentHash, bytes: Int?) {
    uses[name] = nil
    if let bytes { subtract(bytes) }
  }

  private mutating func subtract(_ bytes: Int) {
    guard let known = contents else { return }
    contents?.entries = max(0, known.entries - 1)
    contents?.bytes = max(0, known.bytes - bytes)
  }

  mutating func removedAll() {
    contents = nil
    uses = [:]
  }

  /// Records that files were added without `stored`, so that the folder must be scanned.
  mutating func changedOutside() { contents = nil }

  /// Records the result of a scan, and forgets the uses of files that do not exist. An incomplete scan does not count,
  /// and will be repeated: only the uses of evicted files are forgotten, because files that were not found may exist.
  ///
  /// - Parameters:
  ///   - evicted: The files that were removed after the scan, or were missing then.
  ///   - before: The usage when the scan began.
  ///   - trimmedAt: The time in nanoseconds of the trim that made the scan; nil if the files were only counted.
  mutating func scanned(
    _ found: FolderSweep.Contents, evicted: Set<ContentHash> = [], since before: FolderUsage,
    trimmedAt: Int64? = nil
  ) {
    let names = Set(found.entries.map(\.name))
    uses = uses.filter { name, use in
      use.number > before.lastUse || (found.isComplete ? names.contains(name) : !evicted.contains(name))
    }
    if let trimmedAt { lastIdleCheck = trimmedAt }
    guard found.isComplete else { return }
    // The scan may or may not have counted responses that were stored meanwhile. Adding them at worst causes another
    // scan.
    let meanwhile = max(0, (contents?.stored ?? 0) - (before.contents?.stored ?? 0))
    contents = Contents(
      entries: found.entries.count, bytes: found.bytes.addingSaturated(meanwhile), stored: meanwhile)
  }
}
