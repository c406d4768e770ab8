import VitrineConcurrency

/// Backs off from servers that have asked for a pause (429, or 503 with `Retry-After`): no downloads start meanwhile.
///
/// After the pause, a single download starts as a probe. The others follow once a probe has received a response that is
/// not a refusal; otherwise a thousand downloads would return at once. Each consecutive refusal without `Retry-After`
/// doubles the pause, from one second to `maximumPause`. A pause that the server states is at most `maximumStatedPause`.
/// Each pause is extended by up to a tenth at random (`Jitter`). Except for pauses, times are in nanoseconds.
struct HostBackOff {
  private struct Host {
    var until: Int64
    var refusals: Int
    /// The probe that is under way.
    var probe: FetchID?
  }

  /// The maximum pause in seconds; 60 by default.
  var maximumPause = 60.0
  /// The maximum pause in seconds that a server may ask for, before its extension; an hour by default.
  var maximumStatedPause = 3600.0
  private var hosts: [DownloadQueue.Lane: Host] = [:]

  /// Returns the state of a host. Usually no host is backing off, which is checked without hashing a name.
  private func host(_ lane: DownloadQueue.Lane) -> Host? { hosts.isEmpty ? nil : hosts[lane] }

  /// Returns the time from which downloads from a host may start: `now` for an unknown host, `nil` while a probe is
  /// under way.
  func opening(of lane: DownloadQueue.Lane, at now: Int64) -> Int64? {
    guard let host = host(lane) else { return now }
    return host.probe == nil ? max(now, host.until) : nil
  }

  /// Records that a download starts. If the host is backing off, the download is the probe.
  mutating func started(_ id: FetchID, lane: DownloadQueue.Lane) {
    if host(lane) != nil { hosts[lane]?.probe = id }
  }

  /// Records a response.
  ///
  /// - Parameters:
  ///   - retryAfter: The number of seconds that the server has named; `nil` if it has not.
  ///   - random: A random number from 0 to 1.
  mutating func responded(
    _ id: FetchID, lane: DownloadQueue.Lane, status: Int?, retryAfter: Double?,
    random: @autoclosure () -> Double, at now: Int64
  ) {
    guard Self.isRefusal(status, retryAfter: retryAfter) else {
      if host(lane)?.probe == id { hosts[lane] = nil }
      return
    }
    let current = host(lane)
    if current == nil { prune(at: now) }
    // A download that was running at the first refusal says nothing new.
    let isNew = current == nil || current?.probe == id
    let refusals = (current?.refusals ?? 0) + (isNew ? 1 : 0)
    let pause =
      retryAfter.map { min(max(0, $0), maximumStatedPause) }
      ?? min(Double(1 << min(refusals - 1, 30)), maximumPause)
    let until = now.advanced(bySeconds: Jitter.extended(pause, by: random()))
    hosts[lane] = Host(
      until: max(until, current?.until ?? until), refusals: refusals, probe: isNew ? nil : current?.probe)
  }

  /// Returns true if the status and `Retry-After` of a response ask clients to send fewer requests.
  static func isRefusal(_ status: Int?, retryAfter: Double?) -> Bool {
    status == 429 || status == 503 && retryAfter != nil
  }

  /// Records that a download was cancelled or has ended without a response, so that another one may be the probe.
  mutating func ended(_ id: FetchID, lane: DownloadQueue.Lane) {
    if host(lane)?.probe == id { hosts[lane]?.probe = nil }
  }

  /// True from a refusal until a probe has received a response that is not a refusal.
  func isBackingOff(_ lane: DownloadQueue.Lane) -> Bool { host(lane) != nil }

  var count: Int { hosts.count }

  /// The maximum number of remembered hosts, unless more hosts than this are backing off at once.
  static let limit = 256

  /// Removes hosts whose pause is over and that have no running probe.
  private mutating func prune(at now: Int64) {
    if hosts.count >= Self.limit { hosts = hosts.filter { $0.value.until > now || $0.value.probe != nil } }
  }

  /// Ends all back-offs.
  mutating func removeAll() { hosts = [:] }
}
