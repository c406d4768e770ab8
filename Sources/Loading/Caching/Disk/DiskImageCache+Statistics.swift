extension DiskImageCache {
  /// What a cache has done so far, and what its folder holds.
  public struct Statistics: Hashable, Sendable {
    /// Lookups that found an answer.
    public internal(set) var hits = 0
    /// Lookups that did not.
    public internal(set) var misses = 0
    /// Answers that were stored.
    public internal(set) var stores = 0
    /// Answers that were not, as they are larger than all that may be held, or writing rests after a failure.
    public internal(set) var refusals = 0
    /// Files that were not as they had been written, and are gone.
    public internal(set) var damaged = 0
    /// Times that the system refused to read or to write.
    public internal(set) var failures = 0
    /// Answers that had to go for others, for room, or for their age.
    public internal(set) var evictions = 0
    /// Answers held, as far as is known: 0 until something is stored or `measured()` asks.
    public internal(set) var entries = 0
    /// The bytes that responses and files being written take on disk, each file rounded up to 4 KiB.
    public internal(set) var bytes = 0

    /// Nothing done, nothing held.
    public init() {}
  }
}
