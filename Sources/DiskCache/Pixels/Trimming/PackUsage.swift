import VitrineConcurrency
import VitrineLoading

/// The packs of a pixel folder as far as this process knows, and the uses of packs by this process. O(packs) memory.
///
/// Other processes write to the folder as well, so the packs are counted by a scan from time to time.
struct PackUsage {
  struct Pack: Hashable {
    let number: UInt32
    /// The length of the file in bytes.
    var size: Int
    /// The number of bytes that the file takes on disk.
    var bytes: Int
    /// The time of the last use that the file records, in seconds since 1970, by a clock that may have been wrong.
    var used: Int64
  }

  private struct Use {
    /// The time of the last use in nanoseconds.
    var last: Int64
    /// Limits how often uses are recorded in the file.
    var record = UseRecord()
  }

  private var known: [UInt32: Pack]?
  private var uses: [UInt32: Use] = [:]
  /// The number of bytes that this process has stored since the scan.
  private var grown = 0
  /// The time in nanoseconds of the last scan; nil before the first.
  private var scannedAt: Int64?
  /// The bytes of all packs and of the index; 0 before the first scan.
  private(set) var bytes = 0

  /// The packs; none before the first scan.
  var packs: [Pack] { known.map { Array($0.values) } ?? [] }

  /// Returns the time in nanoseconds of the last use of a pack by this process; nil if there was none.
  func lastUse(of number: UInt32) -> Int64? { uses[number]?.last }

  /// Returns true if this process has used a pack a short time ago, so that its images are not replaced by new ones.
  func isProtected(_ number: UInt32, at now: Int64) -> Bool {
    lastUse(of: number).map { now < $0.advanced(bySeconds: PackTrim.protectedSeconds) } ?? false
  }

  /// Returns false if there is no such pack as far as this process knows.
  func mayExist(_ number: UInt32) -> Bool { known.map { $0[number] != nil } ?? true }

  /// Returns true if the folder must be scanned: the packs are unknown, or this process has stored more than a
  /// sixteenth of the limit since the last scan. Other processes may have stored as much.
  func needsScan(forLimit limit: Int) -> Bool { known == nil || grown > limit / 16 }

  /// Returns true if the packs were scanned less than `seconds` ago.
  func wasScanned(within seconds: Double, at now: Int64) -> Bool {
    scannedAt.map { now < $0.advanced(bySeconds: seconds) } ?? false
  }

  /// Records that pixels of a pack were read or stored.
  mutating func used(_ number: UInt32, at now: Int64) {
    uses[number, default: Use(last: now)].last = now
  }

  /// Returns true if the file of a pack is to get a time stamp, at most once a day; see `UseRecord.take`.
  mutating func takeStamp(_ number: UInt32, recorded: Int64, time: Int64, at now: Int64) -> Bool {
    uses[number, default: Use(last: now)].record.take(
      every: FileTimes.longestUseInterval, recorded: recorded, time: time, at: now)
  }

  /// Records that this process has added a record to a pack.
  mutating func grew(_ number: UInt32, by count: Int, time: Int64, at now: Int64) {
    used(number, at: now)
    var pack = known?[number] ?? Pack(number: number, size: 0, bytes: 0, used: time)
    let size = pack.size.addingSaturated(count)
    let growth = FileStatus.allocatedBytes(for: size) - FileStatus.allocatedBytes(for: pack.size)
    pack.size = size
    pack.bytes = pack.bytes.addingSaturated(growth)
    known?[number] = pack
    grown = grown.addingSaturated(growth)
    bytes = bytes.addingSaturated(growth)
  }

  /// Records that a pack was removed.
  mutating func removed(_ number: UInt32) {
    uses[number] = nil
    guard let pack = known?.removeValue(forKey: number) else { return }
    bytes = max(0, bytes - pack.bytes)
  }

  mutating func removedAll() { self = PackUsage() }

  /// Records the result of a scan at the time `now` in nanoseconds. An incomplete scan does not count.
  mutating func scanned(_ found: PixelSweep.Contents, at now: Int64) {
    guard found.isComplete else { return }
    scannedAt = now
    known = Dictionary(found.packs.map { ($0.number, $0) }) { first, _ in first }
    uses = uses.filter { known?[$0.key] != nil }
    grown = 0
    bytes = found.packs.reduce(found.indexBytes) { $0.addingSaturated($1.bytes) }
  }
}
