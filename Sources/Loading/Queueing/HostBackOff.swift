/// Leaves servers alone that have asked for it (429, or 503 with Retry-After): nothing is sent to them for a while.
///
/// When the while is over a single download tries; only when it has succeeded may the others follow, or a thousand
/// would come back at once. Each refusal in a row that names no time doubles the while, from a second to the longest.
/// Times in nanoseconds.
struct HostBackOff {
  private struct Host {
    var until: Int64
    var refusals: Int
    /// The download that tries whether it is over.
    var probe: FetchID?
  }

  /// Seconds.
  var longest = 60.0
  private var hosts: [DownloadQueue.Lane: Host] = [:]

  /// What is known of it. Most often nothing of any, which is found out without hashing a name.
  private func host(_ lane: DownloadQueue.Lane) -> Host? { hosts.isEmpty ? nil : hosts[lane] }

  /// When downloads from there may start, or nil where that is up to one that runs; `now` if nothing is known.
  func opening(of lane: DownloadQueue.Lane, at now: Int64) -> Int64? {
    guard let host = host(lane) else { return now }
    return host.probe == nil ? max(now, host.until) : nil
  }

  /// A download starts.
  mutating func started(_ id: FetchID, lane: DownloadQueue.Lane) {
    if host(lane) != nil { hosts[lane]?.probe = id }
  }

  /// The server has answered. `retryAfter` in seconds, if it named a time.
  mutating func answered(
    _ id: FetchID, lane: DownloadQueue.Lane, status: Int?, retryAfter: Double?, at now: Int64
  ) {
    guard Self.isRefusal(status, retryAfter: retryAfter) else {
      if host(lane)?.probe == id { hosts[lane] = nil }
      return
    }
    let known = host(lane)
    if known == nil { prune(at: now) }
    // Those who ran when the first was refused say nothing new.
    let isNew = known == nil || known?.probe == id
    let refusals = (known?.refusals ?? 0) + (isNew ? 1 : 0)
    let pause = retryAfter ?? Double(1 << min(refusals - 1, 30))
    let until = now.advanced(bySeconds: min(max(0, pause), longest))
    hosts[lane] = Host(
      until: max(until, known?.until ?? until), refusals: refusals, probe: isNew ? nil : known?.probe)
  }

  /// Returns true if a status asks clients to send fewer requests.
  static func isRefusal(_ status: Int?, retryAfter: Double?) -> Bool {
    status == 429 || status == 503 && retryAfter != nil
  }

  /// A download has ended without an answer, or is not wanted any more: another one may try.
  mutating func ended(_ id: FetchID, lane: DownloadQueue.Lane) {
    if host(lane)?.probe == id { hosts[lane]?.probe = nil }
  }

  /// True if the host is backing off, or has been and no download has succeeded since.
  func isLeftAlone(_ lane: DownloadQueue.Lane) -> Bool { host(lane) != nil }

  var count: Int { hosts.count }

  /// The maximum number of remembered hosts, unless more hosts than this are backing off at once.
  static let limit = 256

  /// Removes hosts whose back-off is over and that no running download tries.
  private mutating func prune(at now: Int64) {
    if hosts.count >= Self.limit { hosts = hosts.filter { $0.value.until > now || $0.value.probe != nil } }
  }

  /// Forgets all.
  mutating func removeAll() { hosts = [:] }
}
