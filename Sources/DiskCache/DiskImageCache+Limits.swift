extension DiskImageCache {
  /// The limits of a disk cache, applied when a response is stored; `timeToIdle` is checked at intervals. A negative
  /// number counts as 0.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of bytes on disk, each file rounded up to 4 KiB; 150 MiB by default, as in AFNetworking and
    /// Nuke. 0 stores nothing. In addition, a table of heads takes at most an eighth of
    /// this. The table saves opening the file of each response when pixels are looked up.
    public var bytes = 150 << 20
    /// The maximum number of responses; unlimited by default.
    public var count = Int.max
    /// The number of bytes to leave free on the file system for other programs; 64 MiB by default, and at most half of
    /// its size. Below this, no new responses are stored, and the least recently used responses are removed until the
    /// cache has shrunk to `guaranteedBytes`.
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
    /// The number of seconds after which a stored response is removed; infinity by default, because an old response is
    /// useful while the network is down, and is revalidated otherwise.
    public var timeToLive = Double.infinity
    /// The number of seconds without a use after which a response is removed; infinity by default.
    ///
    /// A use is a lookup on disk, of the response or its pixels; an image that is found in memory is not used on disk.
    /// Uses are recorded at intervals of a tenth of this time, at most a day, and a response may stay for one interval
    /// longer. It is then removed by `trim()`, a store or a revalidation. Stores and revalidations look for such
    /// responses once in an interval, and at most once a minute. A response that is looked up before its removal stays.
    ///
    /// Programs that share a directory should have the same value. A recorded use before 2026 or in the future comes
    /// from a wrong clock, and the response stays.
    public var timeToIdle = Double.infinity
    /// The fraction of an exceeded limit, `bytes` or `count`, that a purge leaves; 0.9 by default, from 0 to 1.
    public var purgeLevel = 0.9

    /// Creates limits with the default values.
    public init() {}

    /// The limits of a seed that a tool fills. A seed has all images of a list: none is removed to make room for
    /// another, but free space is left to other programs.
    package static var seed: Limits {
      var limits = Limits()
      (limits.bytes, limits.guaranteedBytes) = (.max, .max)
      return limits
    }

    /// The number of bytes of the longest body that may be stored.
    var maximumBodyBytes: Int { min(max(0, bytes), ResponseFile.maximumBodyBytes) }

    /// Returns true if a response is older than `timeToLive`. Times are in seconds since 1970.
    func isTooOld(stored: Int64, time: Int64) -> Bool {
      // A date in the future comes from a clock that was wrong, so the age is unknown.
      guard let maximum = Self.maximumSeconds(timeToLive), stored <= time else { return false }
      return Double(time) - Double(stored) >= maximum
    }

    /// Returns true if a response whose last recorded use was at `used` is idle. Times are in seconds since 1970.
    func isIdle(used: Int64, time: Int64) -> Bool {
      FileTimes.earliestTime <= used && used <= time && isIdle(seconds: Double(time) - Double(used))
    }

    /// Returns true if a response without a recorded use for this number of seconds is idle. The last use may be
    /// `useInterval` later than the recorded one.
    func isIdle(seconds: Double) -> Bool {
      Self.maximumSeconds(timeToIdle).map { seconds >= $0 + Double(useInterval) } ?? false
    }

    /// The minimum number of seconds between two records of the use of a response.
    var useInterval: Int64 {
      timeToIdle > 0 ? Int64(min(timeToIdle / 10, Double(FileTimes.longestUseInterval))) : 0
    }

    /// The number of seconds after which a store or a revalidation looks for idle responses again; nil if `timeToIdle`
    /// is infinite.
    var idleCheckInterval: Double? {
      Self.maximumSeconds(timeToIdle).map { _ in max(60, Double(useInterval)) }
    }

    /// Returns a maximum age in seconds; nil if there is none. Negative numbers and NaN count as 0.
    private static func maximumSeconds(_ limit: Double) -> Double? {
      limit == .infinity ? nil : limit > 0 ? limit : 0
    }

    /// Returns the part of a limit that a purge leaves.
    func purgeTarget(for limit: Int) -> Int {
      let level = purgeLevel >= 0 ? min(purgeLevel, 1) : 0
      // A limit near `Int.max` has no exact `Double`.
      return limit == .max ? .max : Int(exactly: (Double(max(0, limit)) * level).rounded(.down)) ?? limit
    }
  }
}
