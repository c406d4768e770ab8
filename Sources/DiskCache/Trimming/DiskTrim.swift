import VitrineConcurrency
import VitrineLoading

/// Chooses the files to remove so that a disk cache meets the limits.
struct DiskTrim {
  struct Entry: Hashable {
    let name: ContentHash
    /// The number of bytes that the file takes on disk.
    let bytes: Int
    /// The time of the store in seconds since 1970, by a clock that may have been wrong.
    let stored: Int64
    /// The recorded time of the last use in seconds since 1970, by a clock that may have been wrong. Uses are
    /// recorded at intervals; see `DiskImageCache.Limits.useInterval`.
    let used: Int64
  }

  /// The space that a response to be stored needs.
  struct Growth: Hashable {
    /// The size of the new file in bytes, minus the size of the replaced file.
    var bytes = 0
    var files = 0
    /// The file that the response replaces.
    var replaces: ContentHash?
  }

  struct Outcome: Hashable {
    /// The entries to remove, in the order of removal.
    var victims: [Entry] = []
    /// True if the response may be stored once the victims are removed.
    var hasSpace = true
  }

  let limits: DiskImageCache.Limits
  /// The current time in seconds since 1970, by a clock that may be wrong.
  let time: Int64
  /// The last use of each file by this process.
  let uses: [ContentHash: FolderUsage.Use]
  /// The current time in nanoseconds of the clock of `uses`.
  let now: Int64

  /// Returns the entries to remove: expired and idle entries first, then the least recently used.
  ///
  /// - Parameters:
  ///   - unfinished: The number of bytes of files that are being written.
  ///   - space: The space of the file system; nil if unknown.
  ///   - growth: The response that is to be stored.
  func outcome(
    of entries: [Entry], unfinished: Int = 0, space: DiskSpace? = nil, growth: Growth = Growth()
  ) -> Outcome {
    let isOld = { (entry: Entry) in
      entry.name != growth.replaces && (limits.isTooOld(stored: entry.stored, time: time) || isIdle(entry))
    }
    var outcome = Outcome(victims: entries.filter(isOld))
    var remaining = entries.filter { !isOld($0) }.sorted { rank($0) < rank($1) }
    evictToLimits(&remaining, unfinished, &outcome)
    guard let space else { return outcome }
    let outcomeWithStore = evictingToFloor(remaining, space, growth, after: outcome)
    guard !outcomeWithStore.hasSpace else { return outcomeWithStore }
    // The response is not stored, so that nothing is evicted for it.
    outcome = evictingToFloor(remaining, space, Growth(replaces: growth.replaces), after: outcome)
    outcome.hasSpace = false
    return outcome
  }

  /// Returns true if no process has used an entry for `timeToIdle`. A use by this process counts also if the wall clock
  /// was set since, or if the file does not record it.
  private func isIdle(_ entry: Entry) -> Bool {
    guard limits.isIdle(used: entry.used, time: time) else { return false }
    return uses[entry.name].map { limits.isIdle(seconds: now.seconds(since: $0.last)) } ?? true
  }

  private func evictToLimits(_ remaining: inout [Entry], _ unfinished: Int, _ outcome: inout Outcome) {
    var bytes = remaining.bytes(with: unfinished)
    var count = remaining.count
    let bytesTarget = bytes > limits.bytes ? limits.purgeTarget(for: limits.bytes) : .max
    let countTarget = count > limits.count ? limits.purgeTarget(for: limits.count) : .max
    var evictedCount = 0
    for entry in remaining {
      guard bytes > bytesTarget || count > countTarget else { break }
      // The newest entry stays if it is within the limits by itself.
      if count == 1, bytes <= limits.bytes, limits.count > 0 { break }
      evictedCount += 1
      bytes = bytes.subtractingSaturated(entry.bytes)
      count -= 1
    }
    outcome.victims += remaining[..<evictedCount]
    remaining.removeFirst(evictedCount)
  }

  /// Adds victims until enough space is left free for other programs. If that space cannot be reached, adds victims
  /// that the new response may replace.
  private func evictingToFloor(
    _ entries: [Entry], _ space: DiskSpace, _ growth: Growth, after earlier: Outcome
  ) -> Outcome {
    let floor = DiskFloor(limits: limits, space: space)
    var missing = floor.missing(after: growth, freed: earlier.victims)
    guard missing.isAny else { return earlier }
    var (outcome, remaining) = (earlier, entries)
    let storedBytes = remaining.bytes()
    // Frees more than necessary, so that a full disk does not cause a scan for each response.
    if missing.bytes > 0 {
      missing.bytes = missing.bytes.addingSaturated(storedBytes - limits.purgeTarget(for: storedBytes))
    }
    var remainingBytes = storedBytes
    remaining.removeAll { entry in
      guard missing.isAny, entry.name != growth.replaces,
        (remainingBytes - entry.bytes).addingSaturated(max(0, growth.bytes)) >= floor.guaranteedBytes
      else { return false }
      outcome.victims.append(entry)
      missing.subtract(entry.bytes)
      remainingBytes -= entry.bytes
      return true
    }
    if floor.missing(after: growth, freed: outcome.victims).isAny {
      outcome.hasSpace = evictUnused(for: growth, among: remaining, &outcome)
    }
    return outcome
  }

  /// Chooses victims of about the new response's size that no process has used for a day or two: other processes
  /// record a use once a day. The cache then neither grows nor shrinks much.
  private func evictUnused(for growth: Growth, among remaining: [Entry], _ outcome: inout Outcome) -> Bool {
    guard growth.bytes > 0 || growth.files > 0 else { return true }
    let unused = remaining.filter {
      $0.name != growth.replaces && uses[$0.name] == nil && $0.used <= time - 2 * FileTimes.longestUseInterval
        && $0.bytes <= 2 * growth.bytes
    }
    var (victims, bytes) = ([Entry](), 0)
    for entry in unused where bytes < growth.bytes || victims.count < growth.files {
      victims.append(entry)
      bytes = bytes.addingSaturated(entry.bytes)
    }
    guard bytes >= growth.bytes, victims.count >= growth.files else { return false }
    outcome.victims += victims
    return true
  }

  /// Returns the sort key of an entry; the entry with the smallest key is removed first.
  ///
  /// Entries that this process has used are the newest. Entries dated more than a day in the future are removed before
  /// entries of the past, because they would otherwise stay until that date. A file larger than the limit, which no
  /// cache with this limit has written, is removed before all others, so that no other entry is evicted for it.
  private func rank(_ entry: Entry) -> (Int, UInt64, Int64) {
    if entry.bytes > limits.bytes { return (-1, 0, entry.used) }
    if let use = uses[entry.name] { return (2, use.number, 0) }
    return (entry.used > time + 86400 ? 0 : 1, 0, entry.used)
  }
}

extension Sequence<DiskTrim.Entry> {
  /// The bytes of the entries and `others`, at most `Int.max`.
  func bytes(with others: Int = 0) -> Int { reduce(others) { $0.addingSaturated($1.bytes) } }
}
