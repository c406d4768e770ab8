import Glibc

/// The limits for open connections and for the time that a connection may wait for its next request.
///
/// The program that runs the server needs descriptors too. When there are too many connections, the one that has been
/// idle for the longest time is closed. While none is idle, no connection is accepted: answers that stall are given up
/// after a while.
struct ConnectionLimit {
  /// The maximum number of connections, idle or not.
  var most: Int
  /// The maximum idle time in nanoseconds.
  var idleTime: UInt64 = 60_000_000_000
  /// The maximum time in nanoseconds for which nothing of an answer is sent, because it stalls or is not read.
  var stallTime: UInt64 = 60_000_000_000

  /// A limit of a quarter of the descriptors that the process may open, between 16 and 512.
  static var ofProcess: ConnectionLimit {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return ConnectionLimit(most: 64)
    }
    return ConnectionLimit(most: Int(min(max(limit.rlim_cur / 4, 16), 512)))
  }

  /// The step to take before another connection is accepted.
  enum Admission: Equatable {
    case accept
    /// Close the connection at this index first.
    case acceptInsteadOf(Int)
    case wait
  }

  /// - Parameter idleSince: For each open connection, the time since which it waits for a request; nil while it is
  ///   answering one.
  func admission(_ idleSince: some Sequence<UInt64?>) -> Admission {
    var count = 0
    var longest: (index: Int, since: UInt64)?
    for (index, since) in idleSince.enumerated() {
      count += 1
      guard let since, since < longest?.since ?? .max else { continue }
      longest = (index, since)
    }
    if count < most { return .accept }
    return longest.map { .acceptInsteadOf($0.index) } ?? .wait
  }
}
