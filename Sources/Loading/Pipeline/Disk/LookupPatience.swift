import VitrineConcurrency

/// The times until which lookups may wait for a slow disk before the network goes ahead. Makes decisions only. Times
/// are in nanoseconds.
///
/// All lookups wait equally long, so that the times are in order and each operation is O(1), amortized. Time in which
/// lookups are stopped does not count.
struct LookupPatience {
  private var ends: [(id: FetchID, end: Int64)] = []
  /// The index of the first lookup in `ends` that was not returned by `takeOverdue`.
  private var first = 0
  /// The time in which lookups were stopped, in total.
  private var stopped: Int64 = 0
  private var stoppedSince: Int64?

  var isEmpty: Bool { first == ends.count }

  /// - Parameter limit: The number of seconds, the same in each call.
  mutating func add(_ id: FetchID, at now: Int64, limit: Double) {
    ends.append((id, counted(now).advanced(bySeconds: limit)))
  }

  mutating func setStopped(_ isStopped: Bool, at now: Int64) {
    if isStopped {
      if stoppedSince == nil { stoppedSince = now }
    } else if let since = stoppedSince {
      stopped &+= max(0, now &- since)
      stoppedSince = nil
    }
  }

  /// Returns the lookups that have waited too long. A lookup is returned again only if it was enqueued again.
  mutating func takeOverdue(at now: Int64, isWaiting: (FetchID) -> Bool) -> [FetchID] {
    var overdue: [FetchID] = []
    while first < ends.count, !isWaiting(ends[first].id) || ends[first].end <= counted(now) {
      if isWaiting(ends[first].id) { overdue.append(ends[first].id) }
      first += 1
    }
    compact()
    return overdue
  }

  /// The next time at which `takeOverdue` returns a lookup; `nil` if none waits or lookups are stopped.
  mutating func next(_ isWaiting: (FetchID) -> Bool) -> Int64? {
    while first < ends.count, !isWaiting(ends[first].id) { first += 1 }
    compact()
    guard first < ends.count, stoppedSince == nil else { return nil }
    let (time, isTooMuch) = ends[first].end.addingReportingOverflow(stopped)
    return isTooMuch ? nil : time
  }

  /// Returns `now` minus the total time in which lookups were stopped.
  private func counted(_ now: Int64) -> Int64 { (stoppedSince.map { min($0, now) } ?? now) &- stopped }

  private mutating func compact() {
    if first == ends.count {
      // Large storage is not kept.
      ends.removeAll(keepingCapacity: ends.count <= 1024)
      first = 0
    } else if first > 64, first > ends.count / 2 {
      ends.removeFirst(first)
      first = 0
    }
  }
}
