/// How a gallery server answers, whatever is asked for.
///
/// An answer takes the behaviour that holds when its request arrives and keeps it to its end; the query
/// items `latency` and `rate` of a request win over it.
public struct Behaviour: Sendable, Hashable {
  /// How long an answer lets its reader wait for the first byte. None by default.
  public var latency: Latency

  /// How fast the body of each answer leaves, on average, in bytes a second; nil, the default, is as fast
  /// as the reader takes it. Every answer has this rate for itself. Values below 1 count as 1.
  public var bytesPerSecond: Int?

  /// Whether the server plays dead: connections are accepted and closed at once without an answer, idle
  /// ones are closed too. An answer that is running goes on, then its connection is closed.
  public var isDown: Bool

  /// Makes a behaviour; the default one is a server in good health.
  public init(latency: Latency = .none, bytesPerSecond: Int? = nil, isDown: Bool = false) {
    self.latency = latency
    self.bytesPerSecond = bytesPerSecond
    self.isDown = isDown
  }

  /// The wait before the first byte of an answer.
  public enum Latency: Sendable, Hashable {
    /// Answers leave at once.
    case none

    /// Every answer waits so many milliseconds.
    case fixed(Int)

    /// Each target waits a time of its own, between half and one and a half times so many milliseconds,
    /// the same in every run.
    case varied(around: Int)
  }
}

extension Behaviour.Latency {
  /// The maximum delay of a response: one day in milliseconds.
  static let longest = 86_400_000

  /// The wait for a request of `target`, in milliseconds.
  func milliseconds(for target: String) -> Int {
    switch self {
    case .none: 0
    case .fixed(let wait): wait
    case .varied(let center):
      Int(Double(max(0, min(center, Self.longest))) * (0.5 + Double(fnv1a(target) % 1001) / 1000))
    }
  }

  /// FNV-1a, 64 bits (RFC 9923): unlike Swift's `Hasher` it is the same in every process.
  private func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
