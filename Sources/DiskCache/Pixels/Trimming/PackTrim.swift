import VitrineConcurrency
import VitrineLoading

/// Chooses the packs that are removed: the least recently used first.
struct PackTrim {
  /// The number of seconds after a use by this process during which a pack is not removed for the sake of new images.
  ///
  /// A slideshow that needs more than the limit would otherwise remove each image before it is shown again, and write
  /// without end.
  static let protectedSeconds = 3600.0

  /// The current time in seconds since 1970, by a clock that may be wrong.
  let time: Int64

  /// Returns the packs in the order of removal.
  ///
  /// Packs that this process has used are the newest. Packs dated more than a day in the future are removed before
  /// packs of the past, because they would otherwise stay until that date.
  func order(
    _ packs: [PackUsage.Pack], lastUse: (UInt32) -> Int64? = { _ in nil }
  ) -> [PackUsage.Pack] {
    packs.map { pack -> (rank: (Int, Int64, UInt32), pack: PackUsage.Pack) in
      if let use = lastUse(pack.number) { return ((2, use, pack.number), pack) }
      return ((pack.used > time + 86400 ? 0 : 1, pack.used, pack.number), pack)
    }.sorted { $0.rank < $1.rank }.map(\.pack)
  }

  /// Returns the packs to remove so that the packs take at most `limit` bytes. Packs in `locked` cannot be removed.
  func victims(_ usage: PackUsage, limit: Int, locked: Set<UInt32> = []) -> [PackUsage.Pack] {
    var bytes = usage.bytes
    let packs = usage.packs.filter { !locked.contains($0.number) }
    return order(packs, lastUse: usage.lastUse).prefix { pack in
      guard bytes > limit else { return false }
      bytes = bytes.subtractingSaturated(pack.bytes)
      return true
    }
  }

  /// Returns the packs to remove so that a new record has room; nil if packs would have to go that this process has
  /// used a short time ago.
  ///
  /// - Parameter now: The time in nanoseconds of a clock that never goes back.
  func victims(
    _ usage: PackUsage, limit: Int, for record: Int, locked: Set<UInt32> = [], at now: Int64
  ) -> [PackUsage.Pack]? {
    let victims = victims(usage, limit: limit.subtractingSaturated(record), locked: locked)
    let freed = victims.reduce(0) { $0.addingSaturated($1.bytes) }
    guard usage.bytes.subtractingSaturated(freed).addingSaturated(record) <= limit else { return nil }
    return victims.contains { usage.isProtected($0.number, at: now) } ? nil : victims
  }
}
