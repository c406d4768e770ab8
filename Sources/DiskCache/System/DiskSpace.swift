import Glibc

/// The space of a file system that is available to a user without privileges.
struct DiskSpace: Hashable {
  var freeBytes: Int
  /// The size of the file system in bytes, without the blocks reserved for root.
  var totalBytes: Int
  /// The number of files that can still be created; nil on a file system that does not count them.
  var freeFiles: Int?
  var totalFiles = Int.max

  init(freeBytes: Int, totalBytes: Int, freeFiles: Int? = nil, totalFiles: Int = .max) {
    (self.freeBytes, self.totalBytes) = (freeBytes, totalBytes)
    (self.freeFiles, self.totalFiles) = (freeFiles, totalFiles)
  }

  /// Returns nil if the file system does not count blocks.
  init?(_ space: statvfs) {
    guard space.f_blocks > 0 else { return nil }
    let reserved = space.f_bfree >= space.f_bavail ? space.f_bfree - space.f_bavail : 0
    let usable = space.f_blocks >= reserved ? space.f_blocks - reserved : 0
    self.init(
      freeBytes: Self.bytes(UInt64(space.f_bavail), UInt64(space.f_frsize)),
      totalBytes: Self.bytes(UInt64(usable), UInt64(space.f_frsize)),
      freeFiles: space.f_files > 0 ? Int(clamping: space.f_favail) : nil,
      totalFiles: Int(clamping: space.f_files))
  }

  private static func bytes(_ blocks: UInt64, _ size: UInt64) -> Int {
    let (bytes, didOverflow) = blocks.multipliedReportingOverflow(by: size)
    return didOverflow ? .max : Int(clamping: bytes)
  }
}
