import VitrineLoading

/// The free space that a cache leaves to other programs, and the bytes that stay cached nevertheless.
struct DiskFloor {
  /// The missing free space; negative values are a surplus.
  struct Missing {
    var bytes: Int
    var files: Int

    var isAny: Bool { bytes > 0 || files > 0 }

    /// Accounts for the removal of a file.
    mutating func subtract(_ fileBytes: Int) {
      bytes = bytes.subtractingSaturated(fileBytes)
      files -= 1
    }
  }

  let limits: DiskImageCache.Limits
  let space: DiskSpace

  /// The bytes to leave free. A cache can use half of a file system that is smaller than the limit.
  private var freeBytes: Int { min(max(0, limits.freeBytes), space.totalBytes / 2) }
  /// The files to leave free. A small file system has few files in total.
  private var freeFiles: Int { min(max(0, limits.freeFiles), space.totalFiles / 10) }

  /// The number of bytes that are never removed for the sake of free space. On a file system that is too small for the
  /// limits, this is at most what fits there, so that the cache can use all of a file system of its own.
  var guaranteedBytes: Int {
    let allowedBytes = space.totalBytes - freeBytes
    let guaranteedBytes = min(max(0, limits.guaranteedBytes), max(0, limits.bytes))
    return allowedBytes > 0 ? min(guaranteedBytes, limits.purgeTarget(for: allowedBytes)) : guaranteedBytes
  }

  /// Returns the free space that is missing after the response is stored and the victims are removed.
  func missing(after growth: DiskTrim.Growth, freed victims: [DiskTrim.Entry] = []) -> Missing {
    var missing = Missing(
      bytes: (freeBytes - space.freeBytes).addingSaturated(growth.bytes),
      files: freeFiles > 0 ? space.freeFiles.map { freeFiles - $0 + growth.files } ?? 0 : 0)
    for victim in victims { missing.subtract(victim.bytes) }
    return missing
  }
}
