extension DiskImageCache {
  /// What a cache may hold; kept while it runs, at each answer that is stored. Numbers below 0 count as 0.
  public struct Limits: Hashable, Sendable {
    /// Bytes on disk, each file rounded up to 4 KiB; 150 MiB by default, as in AFNetworking and Nuke. 0 keeps nothing.
    public var bytes = 150 << 20
    /// Answers; without a limit by default.
    public var count = Int.max
    /// Bytes that are left free for others where the folder lies; 64 MiB by default. Below that nothing new is kept,
    /// and what is kept stays, down to `guaranteedBytes`: of more than that the least recently used is given up.
    ///
    /// A new version of a response takes the place of the old one, and a new response that of others of about its size
    /// that were not used for a day. A disk that is itself too small for `bytes` is used as if what fits there were the
    /// limit.
    public var freeBytes = 64 << 20
    /// Files that others can still make where the folder lies, as a disk has no room for more than so many; 1000 by
    /// default, and a tenth of all at most. Below that the same holds as for `freeBytes`.
    public var freeFiles = 1000
    /// Bytes of what is kept that are not given up for the sake of `freeBytes` and `freeFiles`, however full others make
    /// the disk; 64 MiB by default. A machine that starts without a network has something to show.
    public var guaranteedBytes = 64 << 20
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
