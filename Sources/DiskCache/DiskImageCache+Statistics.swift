extension DiskImageCache {
  /// The counters of a cache since the cache was created, and the known contents of the folder.
  public struct Statistics: Hashable, Sendable {
    /// The number of lookups that found a response.
    public internal(set) var hits = 0
    /// The number of lookups that found no response.
    public internal(set) var misses = 0
    /// The number of responses that were stored.
    public internal(set) var stores = 0
    /// The number of responses that were not stored, because of the limits or because writing pauses after a failure.
    public internal(set) var refusals = 0
    /// The number of damaged files that were found and removed.
    public internal(set) var damaged = 0
    /// The number of times that the system refused to read or write.
    public internal(set) var failures = 0
    /// The number of responses that were removed because of the limits of size, count, free space or age.
    public internal(set) var evictions = 0
    /// The number of stored responses as far as known; 0 until a response is stored or `measured()` is called.
    public internal(set) var entries = 0
    /// The bytes that responses and files being written take on disk, each file rounded up to 4 KiB.
    public internal(set) var bytes = 0

    /// Creates statistics in which all counters are 0.
    package init() {}
  }
}
