/// Downloads that wait for the time of their next attempt. Times are in nanoseconds.
struct DelayedDownloads {
  private struct Delay {
    var priority: ImageRequest.Priority
    let until: Int64
  }

  private var delays: [FetchID: Delay] = [:]
  /// The earliest time at which a download may continue; nil if there are none.
  private(set) var next: Int64?

  mutating func insert(_ id: FetchID, priority: ImageRequest.Priority, until time: Int64) {
    delays[id] = Delay(priority: priority, until: time)
    next = min(next ?? time, time)
  }

  mutating func remove(_ id: FetchID) {
    if delays.removeValue(forKey: id)?.until == next { findNext() }
  }

  /// Sets the priority of a download. Returns false if the download is not delayed.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID) -> Bool {
    guard delays[id] != nil else { return false }
    delays[id]?.priority = priority
    return true
  }

  /// Removes and returns the downloads whose time has come, in the order of their times. O(1) if there are none.
  mutating func takeElapsed(at now: Int64) -> [(id: FetchID, priority: ImageRequest.Priority)] {
    guard let next, next <= now else { return [] }
    let elapsed = delays.filter { $0.value.until <= now }
    for id in elapsed.keys { delays[id] = nil }
    findNext()
    return elapsed.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
      .map { ($0.key, $0.value.priority) }
  }

  private mutating func findNext() { next = delays.values.lazy.map(\.until).min() }
}
