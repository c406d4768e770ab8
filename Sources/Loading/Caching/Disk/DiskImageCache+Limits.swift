extension DiskImageCache {
  /// What a cache may hold; kept while it runs, at each answer that is stored. Numbers below 0 count as 0.
  public struct Limits: Hashable, Sendable {
    /// Bytes on disk, each file rounded up to 4 KiB; 150 MiB by default, as in AFNetworking and Nuke. 0 keeps nothing.
    public var bytes = 150 << 20
    /// Answers; without a limit by default.
    public var count = Int.max
    /// Bytes that are left free for others where the folder lies; 64 MiB by default. Below it the cache gives up what
    /// it has, the least recently used first, and keeps nothing new.
    public var freeBytes = 64 << 20
    /// Seconds since an answer was stored after which it is gone; without an end by default, as what is old is worth
    /// having when the network is down, and its server is asked whether it still holds.
    public var timeToLive = Double.infinity
    /// What is left of `bytes` and `count` when one of them is exceeded; 0.9 by default, from 0 to 1.
    public var purgeLevel = 0.9

    /// The defaults.
    public init() {}

    /// Room that a file takes: what file systems use at least.
    static func room(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }

    /// Seconds; NaN counts as 0.
    func isTooOld(stored: Int64, now: Int64) -> Bool {
      // What comes from the future is by a clock that was wrong: of no known age.
      guard timeToLive < .infinity || timeToLive.isNaN, stored <= now else { return false }
      return Double(now - stored) >= (timeToLive > 0 ? timeToLive : 0)
    }

    /// Of a limit, what is left.
    func purged(_ limit: Int) -> Int {
      let level = purgeLevel >= 0 ? min(purgeLevel, 1) : 0
      return limit == .max ? .max : Int(Double(max(0, limit)) * level)
    }
  }
}
