/// The limits of a memory cache. `capacity`, `preferredUsage` and `count` are 0 or more.
struct CacheLimits {
  /// The number of bytes of pixels above which the cache purges.
  var capacity = 0
  /// The maximum number of bytes of pixels that a purge leaves.
  var preferredUsage = 0
  /// The maximum number of images; each size of an image counts.
  var count = Int.max
  /// The lifetime of an image in seconds, as set by the caller. Negative values and NaN are kept, and count as 0.
  var timeToLive = Double.infinity
  /// The maximum size of one image in bytes; nil derives the maximum from the other limits, see `largestEntryCost`.
  var entryCost: Int?

  /// The lifetime of an image in nanoseconds: `.max` if images do not expire, 0 if no image is stored.
  var lifetime: Int64 {
    // The comparison is false for NaN as well.
    guard timeToLive > 0 else { return 0 }
    let nanoseconds = timeToLive * 1e9
    return nanoseconds < 0x1p62 ? max(1, Int64(nanoseconds)) : .max
  }

  /// The size of the largest image that is stored, in bytes. By default the larger of a quarter of the capacity and the
  /// usage that a purge leaves.
  var largestEntryCost: Int { entryCost ?? max(capacity / 4, min(preferredUsage, capacity)) }
}
