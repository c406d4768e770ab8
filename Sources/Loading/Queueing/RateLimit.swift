/// How many downloads may be started in vain: a fast scroll past thousands of pictures starts and gives up one after
/// the other, and each costs a request, a connection and the server's work.
///
/// A download starts while there is a token, and one that is given up on the way takes it. What is let finish is therefore
/// never slowed down, however many run at once, and what is not is slowed to `perSecond` once `burst` have been in vain.
public struct RateLimit: Hashable, Sendable {
  /// Tokens at first, and at most; below 1 counts as 1.
  public var burst: Int
  /// Tokens that come back by themselves; with 0, less, or NaN none do.
  public var perSecond: Double

  /// 32 at once, then 16 a second, unless said otherwise.
  public init(burst: Int = 32, perSecond: Double = 16) {
    self.burst = burst
    self.perSecond = perSecond
  }
}

/// The tokens of a rate limit (a token bucket). Times in nanoseconds.
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

  /// When there is a token; nil where none comes by itself.
  mutating func nextToken(at now: Int64) -> Int64? {
    fill(at: now)
    if tokens >= 1 { return now }
    return rate > 0 ? now.advanced(bySeconds: (1 - tokens) / rate + 1e-6) : nil
  }

  /// Takes one, whether or not there is: all that run may be given up when there is only one left.
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
