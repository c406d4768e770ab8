/// Which of the files have to go.
struct DiskTrim {
  struct Entry: Hashable {
    let name: ContentHash
    /// Room on disk.
    let bytes: Int
    /// Seconds since 1970, by a clock that may have been wrong.
    let stored: Int64
    /// The same; known to the hour.
    let used: Int64
  }

  let limits: DiskImageCache.Limits
  /// Seconds since 1970, by a clock that may be wrong.
  let now: Int64
  /// When this process has used what, counted.
  let uses: [ContentHash: UInt64]

  /// The least recently used first, and before them what is too old.
  ///
  /// - Parameter freeBytes: where they lie, less what is to be stored; nil where nobody knows.
  func victims(of entries: [Entry], freeBytes: Int?) -> [Entry] {
    let isOld = { (entry: Entry) in limits.isTooOld(stored: entry.stored, now: now) }
    var victims = entries.filter(isOld)
    let rest = entries.filter { !isOld($0) }.sorted { rank($0) < rank($1) }
    var bytes = rest.reduce(0) { $0 + $1.bytes }
    var count = rest.count
    var missing =
      freeBytes.map { max(0, limits.freeBytes) - $0 - victims.reduce(0) { $0 + $1.bytes } } ?? 0
    // Some more, so that not each answer on a full disk has to look through all.
    if missing > 0 { missing += bytes - limits.purged(bytes) }
    let bytesTarget = bytes > limits.bytes ? limits.purged(limits.bytes) : .max
    let countTarget = count > limits.count ? limits.purged(limits.count) : .max
    for entry in rest {
      guard bytes > bytesTarget || count > countTarget || missing > 0 else { break }
      // A purge leaves what has just come, if that alone is within the limits.
      if count == 1, missing <= 0, bytes <= limits.bytes, limits.count > 0 { break }
      victims.append(entry)
      bytes -= entry.bytes
      count -= 1
      missing -= entry.bytes
    }
    return victims
  }

  /// What this process has used is newest. What comes from the future goes first: else it stayed until then.
  private func rank(_ entry: Entry) -> (Int, UInt64, Int64) {
    if let use = uses[entry.name] { return (2, use, 0) }
    return (entry.used > now + 86400 ? 0 : 1, 0, entry.used)
  }
}
