/// What a memory cache may hold. None of the numbers is below 0.
struct CacheLimits {
  /// Bytes above which it purges.
  var capacity = 0
  /// Bytes that a purge leaves.
  var preferredUsage = 0
  /// Images.
  var count = Int.max
  /// Seconds; as they were given.
  var timeToLive = Double.infinity
  /// Bytes of one image; nil for what suits the capacity.
  var entryCost: Int?

  /// Nanoseconds after which an image is too old: `.max` for never, 0 for at once.
  var lifetime: Int64 {
    // NaN too.
    guard timeToLive > 0 else { return 0 }
    let nanoseconds = timeToLive * 1e9
    return nanoseconds < 0x1p62 ? max(1, Int64(nanoseconds)) : .max
  }

  /// Bytes of the largest image that is kept.
  var largestEntry: Int { entryCost ?? max(capacity / 4, min(preferredUsage, capacity)) }
}
