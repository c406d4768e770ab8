extension DiskImageCache {
  /// What a cache may hold; kept while it runs, at each answer that is stored. Numbers below 0 count as 0.
  public struct Limits: Hashable, Sendable {
    /// Bytes on disk, each file rounded up to 4 KiB; 150 MiB by default, as in AFNetworking and Nuke. 0 keeps nothing.
    public var bytes = 150 << 20
    /// Answers; without a limit by default.
    public var count = Int.max
    /// The number of bytes to leave free on the file system for other programs; 64 MiB by default. Below this, no new
    /// responses are stored, and the least recently used responses are removed until the cache has shrunk to
    /// `guaranteedBytes`.
    ///
    /// A new version of a response may still replace the old one, and a new response may replace responses of about its
    /// size that were not used for a day. On a file system that is smaller than `bytes`, the space that fits there is
    /// the limit.
    public var freeBytes = 64 << 20
    /// The number of files that other programs can still create on the file system; 1000 by default, and at most a
    /// tenth of all its files. Below this, the same rules apply as for `freeBytes`.
    public var freeFiles = 1000
    /// The number of bytes of responses that are kept even if less than `freeBytes` or `freeFiles` is free; 64 MiB by
    /// default. A device that starts without a network can then still show images.
    public var guaranteedBytes = 64 << 20
    /// Seconds since an answer was stored after which it is gone; without an end by default, as what is old is worth
    /// having when the network is down, and its server is asked whether it still holds.
    public var timeToLive = Double.infinity
    /// What is left of `bytes` and `count` when one of them is exceeded; 0.9 by default, from 0 to 1.
    public var purgeLevel = 0.9

    /// The defaults.
    public init() {}

    /// Room that a file takes: what file systems use at least.
    static func room(_ bytes: Int) -> Int { (min(max(0, bytes), StatedNumber.largest) + 4095) & ~4095 }

    /// Seconds; NaN counts as 0.
    func isTooOld(stored: Int64, now: Int64) -> Bool {
      // A date in the future comes from a clock that was wrong, so the age is unknown.
      guard timeToLive < .infinity || timeToLive.isNaN, stored <= now else { return false }
      return Double(now) - Double(stored) >= (timeToLive > 0 ? timeToLive : 0)
    }

    /// Of a limit, what is left.
    func purged(_ limit: Int) -> Int {
      let level = purgeLevel >= 0 ? min(purgeLevel, 1) : 0
      // A limit near `Int.max` has no exact `Double`.
      return limit == .max ? .max : Int(exactly: (Double(max(0, limit)) * level).rounded(.down)) ?? limit
    }
  }
}
