/// The pauses that servers have asked for with `Retry-After`. Times are in nanoseconds.
struct HostPauses {
  /// The maximum number of remembered hosts. The pauses that end first are dropped.
  static let limit = 256

  private var ends: [DownloadQueue.Lane: Int64] = [:]

  var isEmpty: Bool { ends.isEmpty }

  /// Returns the end of a host's pause, or the earliest possible time if the host has not asked for one.
  func end(of host: DownloadQueue.Lane) -> Int64 { ends.isEmpty ? .min : ends[host] ?? .min }

  /// Sets the end of a host's pause, unless a later end is known.
  mutating func set(_ host: DownloadQueue.Lane, until end: Int64, at now: Int64) {
    guard end > now else { return }
    if ends[host] == nil, ends.count >= Self.limit {
      ends = ends.filter { $0.value > now }
      if ends.count >= Self.limit, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
    }
    ends[host] = max(ends[host] ?? end, end)
  }

  mutating func remove(_ host: DownloadQueue.Lane) { if !ends.isEmpty { ends[host] = nil } }

  mutating func removeAll() { ends = [:] }
}
