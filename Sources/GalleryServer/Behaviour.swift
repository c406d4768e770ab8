/// The behaviour of a gallery server for all requests.
///
/// A response keeps the behaviour that was set when its request arrived. The query items `latency` and `rate` of a
/// request override the behaviour.
package struct Behaviour: Sendable, Hashable {
  /// The delay before the first byte of a response. None by default.
  package var latency: Latency

  /// The maximum average rate of each response's body in bytes per second; `nil`, the default, sends as fast as the
  /// client reads. Concurrent responses do not share the rate. Values below 1 count as 1.
  package var bytesPerSecond: Int?

  /// True if the server simulates an outage: new connections are accepted and closed without a response, and idle
  /// connections are closed. Running responses continue, and then their connections are closed. False by default.
  package var isDown: Bool

  /// Creates a behaviour. The default is a server without delay, rate limit or outage.
  package init(latency: Latency = .none, bytesPerSecond: Int? = nil, isDown: Bool = false) {
    self.latency = latency
    self.bytesPerSecond = bytesPerSecond
    self.isDown = isDown
  }

  /// The delay before the first byte of a response.
  package enum Latency: Sendable, Hashable {
    /// No delay.
    case none

    /// A fixed delay in milliseconds for every response.
    case fixed(Int)

    /// A delay that depends on the request target, between 0.5 and 1.5 times this number of milliseconds, and does not
    /// vary between runs.
    case varied(around: Int)
  }
}

extension Behaviour.Latency {
  /// The maximum delay of a response: one day in milliseconds.
  static let maximumMilliseconds = 86_400_000

  /// Returns the delay of a request for `target`, in milliseconds.
  func milliseconds(for target: String) -> Int {
    switch self {
    case .none: 0
    case .fixed(let wait): wait
    case .varied(let center):
      Int(Double(max(0, min(center, Self.maximumMilliseconds))) * (0.5 + Double(fnv1a(target) % 1001) / 1000))
    }
  }

  /// The FNV-1a hash in 64 bits (RFC 9923). Unlike Swift's `Hasher`, it is the same in every process.
  private func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
