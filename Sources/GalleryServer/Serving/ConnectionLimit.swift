import Glibc

/// The limits for open connections and for the time that a response may stall.
///
/// The program that runs the server needs file descriptors too. If there are too many connections, the one that has
/// been idle for the longest time is closed. While none is idle, no connection is accepted, until a response ends or is
/// aborted because it stalled. Idle connections have no time limit, whose timer would wake an idle program.
struct ConnectionLimit {
  /// The maximum number of connections, idle or not.
  var maximumCount: Int
  /// The maximum time in nanoseconds for which nothing of a response is sent, because the response stalls or the client
  /// does not read.
  var stallTime: UInt64 = 60_000_000_000

  /// A limit of a quarter of the file descriptors that the process may open, clamped to 16...512.
  static var ofProcess: ConnectionLimit {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return ConnectionLimit(maximumCount: 64)
    }
    return ConnectionLimit(maximumCount: Int(min(max(limit.rlim_cur / 4, 16), 512)))
  }

  /// The step to take before another connection is accepted.
  enum Admission: Equatable {
    case accept
    /// Close the connection at this index first.
    case acceptAfterClosing(Int)
    case wait
  }

  /// Returns the step to take before another connection is accepted. O(n) in the number of connections.
  ///
  /// - Parameter idleSince: For each open connection, the time since which it waits for a request; `nil` while it sends
  ///   a response.
  func admission(_ idleSince: some Sequence<UInt64?>) -> Admission {
    var count = 0
    var longest: (index: Int, since: UInt64)?
    for (index, since) in idleSince.enumerated() {
      count += 1
      guard let since, since < longest?.since ?? .max else { continue }
      longest = (index, since)
    }
    if count < maximumCount { return .accept }
    return longest.map { .acceptAfterClosing($0.index) } ?? .wait
  }
}
