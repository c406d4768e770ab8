import VitrineConcurrency

/// A rate limit for downloads that are cancelled before they finish. A fast scroll past thousands of images starts and
/// cancels downloads one after another, and each costs a request, a connection and the server's work.
///
/// A download starts only if there is a token, and takes the token if it is cancelled after its start. Downloads that
/// finish take no tokens, regardless of how many run at once; cancelled downloads are slowed down to `perSecond` after
/// the first `burst`.
public struct RateLimit: Hashable, Sendable {
  /// The number of tokens at first and at most; 32 by default. Values below 1 count as 1.
  public var burst: Int
  /// The number of tokens that are added per second; 16 by default. 0, negative values and NaN add none.
  public var perSecond: Double

  /// Creates a rate limit; by default 32 downloads at once, then 16 per second.
  public init(burst: Int = 32, perSecond: Double = 16) {
    self.burst = burst
    self.perSecond = perSecond
  }
}

/// The tokens of a rate limit: a token bucket. Times are in nanoseconds.
struct TokenBucket {
  var limit: RateLimit { didSet { tokens = min(tokens, capacity) } }
  private var tokens: Double
  private var filledAt: Int64 = 0

  init(_ limit: RateLimit) {
    self.limit = limit
    tokens = Double(max(1, limit.burst))
  }

  private var capacity: Double { Double(max(1, limit.burst)) }
  private var rate: Double { limit.perSecond > 0 ? limit.perSecond : 0 }

  /// Returns the time of the next token, `now` if there is one; nil if none will be added.
  mutating func nextToken(at now: Int64) -> Int64? {
    fill(at: now)
    if tokens >= 1 { return now }
    return rate > 0 ? now.advanced(bySeconds: (1 - tokens) / rate + 1e-6) : nil
  }

  /// Takes a token even if there is none, because all running downloads may be cancelled when only one is left.
  mutating func take(at now: Int64) {
    fill(at: now)
    tokens -= 1
  }

  private mutating func fill(at now: Int64) {
    defer { filledAt = max(filledAt, now) }
    guard now > filledAt else { return }
    tokens = min(capacity, tokens + rate * Double(now - filledAt) / 1e9)
  }
}
