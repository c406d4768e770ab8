/// Downloads that wait for the time of their next attempt. Times are in nanoseconds.
struct RestingDownloads {
  private struct Rest {
    var priority: ImageRequest.Priority
    let until: Int64
  }

  private var rests: [FetchID: Rest] = [:]
  /// The earliest time at which a download may continue; nil if none rests.
  private(set) var next: Int64?

  mutating func insert(_ id: FetchID, priority: ImageRequest.Priority, until time: Int64) {
    rests[id] = Rest(priority: priority, until: time)
    next = min(next ?? time, time)
  }

  mutating func remove(_ id: FetchID) {
    if rests.removeValue(forKey: id)?.until == next { findNext() }
  }

  /// Sets the priority of a download. Returns false if the download does not rest.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID) -> Bool {
    guard rests[id] != nil else { return false }
    rests[id]?.priority = priority
    return true
  }

  /// Removes and returns the downloads whose time has come, in the order of their times. O(1) if there are none.
  mutating func takeRested(at now: Int64) -> [(id: FetchID, priority: ImageRequest.Priority)] {
    guard let next, next <= now else { return [] }
    let rested = rests.filter { $0.value.until <= now }
    for id in rested.keys { rests[id] = nil }
    findNext()
    return rested.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
      .map { ($0.key, $0.value.priority) }
  }

  private mutating func findNext() { next = rests.values.lazy.map(\.until).min() }
}
