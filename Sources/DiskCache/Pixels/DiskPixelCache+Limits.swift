extension DiskPixelCache {
  /// The limits of a pixel cache. A negative number counts as 0.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of bytes on disk; 256 MiB by default, which is 16,000 tiles of 64x64 pixels or 32 images of
    /// 1920x1080. 0 stores nothing. An image of more than a quarter of the limit is not stored.
    public var bytes = 256 << 20
    /// The number of bytes to leave free on the file system; 128 MiB by default, more than a `DiskImageCache` leaves.
    /// Below this, no new pixels are stored. When responses lack space, pixels are removed first.
    public var freeBytes = 128 << 20
    /// The number of bytes of the largest pixels that share a file with those of other images; 1 MiB by default, which
    /// is 512x512 pixels. The removal of a larger image frees its space at once. 0 gives each image a file of its own.
    ///
    /// A shared file takes at most a thirty-second of `bytes`, and at most 64 MiB, unless one image is larger.
    public var maximumPackedBytes = 1 << 20
    /// The number of bytes that the disk reads in a second; `nil`, the default, for an estimate, which is right for
    /// built-in SD cards, eMMC and solid-state disks. Set it for a slow USB stick or a network file system: pixels are
    /// stored only if they are read faster than the image is decoded. 0 or less stores nothing.
    public var readSpeed: Double?

    /// Creates limits with the default values.
    public init() {}

    /// The limits of a cache that is only read. A seed may have been filled under any limit; `bytes` bounds the largest
    /// image.
    static var seed: Limits {
      var limits = Limits()
      limits.bytes = 1 << 30
      return limits
    }

    /// The limits of a seed that a tool fills: all but the free space.
    package static var writableSeed: Limits {
      var limits = Limits()
      limits.bytes = .max
      return limits
    }

    /// The size in bytes at which a pack is full, a thirty-second of the limit.
    var packBytes: Int { min(max(64 << 10, bytes / 32), 64 << 20) }
    /// The size in bytes of the largest record.
    var maximumRecordBytes: Int { max(0, bytes) / 4 }
    /// The number of buckets of a new index. Without a limit, the index has a length of 16 MiB, with holes, and room for
    /// about 200,000 images.
    var bucketCount: Int { BucketFileHeader.bucketCount(forBytes: min(bytes, 2 << 30)) }
  }

  /// The counters of a pixel cache since it was created.
  public struct Statistics: Hashable, Sendable {
    /// The number of lookups that found pixels.
    public internal(set) var hits = 0
    /// The number of lookups that found no pixels.
    public internal(set) var misses = 0
    /// The number of images that were written.
    public internal(set) var stores = 0
    /// The number of images that were not stored, because of the limits or because writing pauses after a failure.
    public internal(set) var refusals = 0
    /// The number of damaged entries that were found.
    public internal(set) var damaged = 0
    /// The number of times that the system refused to read or write.
    public internal(set) var failures = 0
    /// The number of packs that were removed because of the limits.
    public internal(set) var evictions = 0

    /// Creates statistics in which all counters are 0.
    package init() {}
  }
}
