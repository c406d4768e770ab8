import Glibc

/// How many connections a server keeps open, and for how long one may wait for its next request.
///
/// The program around the server needs descriptors too: when there are too many connections, the one that has been idle for
/// the longest time is closed, and nothing is accepted while none is idle.
struct ConnectionLimit {
  /// Connections at most, idle or not.
  var most: Int
  /// Nanoseconds.
  var idleTime: UInt64 = 60_000_000_000

  /// A quarter of what the process may have open, between 16 and 512.
  static var ofProcess: ConnectionLimit {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return ConnectionLimit(most: 64)
    }
    return ConnectionLimit(most: Int(min(max(limit.rlim_cur / 4, 16), 512)))
  }

  /// What to do before another connection is accepted.
  enum Admission: Equatable {
    case accept
    /// Close this one first, by its index.
    case acceptInsteadOf(Int)
    case wait
  }

  /// - Parameter idleSince: for each open connection the time since which it waits for a request; nil while it answers one.
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
