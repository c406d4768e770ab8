import Glibc
import VitrineLoading

/// The status of a file of the cache folder.
///
/// Sizes and times come from outside: a sparse file has any size, and a file has any time. They are clamped here, so
/// that sums and differences of a few of them cannot overflow.
struct FileStatus: Hashable {
  /// The largest time in seconds since 1970, and the negative of the smallest.
  static let latestTime: Int64 = 1 << 53
  /// The number of bytes of a block, the least that a file takes on most file systems.
  static let blockBytes = 4096

  let isRegular, isFolder: Bool
  /// The size in bytes, from 0 to `StatedNumber.largest`.
  let size: Int
  /// The time of the last change in seconds since 1970: when the response was stored.
  let stored: Int64
  /// The time of the last change in nanoseconds since 1970.
  let modified: Int64
  /// The time of the last access in seconds since 1970.
  let used: Int64
  let owner: uid_t
  let permissions: mode_t
  /// The number of names; 0 for an open file that was removed.
  let linkCount: Int
  /// The bytes of blocks that the file takes on disk, which are fewer than `size` in a file with holes.
  private let usedBytes: Int
  let identity: FileIdentity

  init(_ status: stat) {
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    size = min(max(0, Int(clamping: status.st_size)), StatedNumber.largest)
    stored = Self.bounded(Int64(clamping: status.st_mtim.tv_sec))
    modified = Self.nanoseconds(status.st_mtim)
    used = Self.bounded(Int64(clamping: status.st_atim.tv_sec))
    owner = status.st_uid
    permissions = status.st_mode & 0o7777
    linkCount = Int(clamping: status.st_nlink)
    usedBytes = min(max(0, Int(clamping: status.st_blocks)), StatedNumber.largest / 512) * 512
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino),
      changed: Self.nanoseconds(status.st_ctim))
  }

  /// The number of bytes that the file takes on disk, as counted by the limits.
  var allocatedBytes: Int { Self.allocatedBytes(for: size) }

  /// The number of bytes that the file takes on disk without holes.
  var allocatedBytesWithoutHoles: Int { min(allocatedBytes, usedBytes) }

  /// Returns the number of bytes that a file of `length` bytes takes on disk: the length rounded up to whole blocks.
  static func allocatedBytes(for length: Int) -> Int {
    (min(max(0, length), StatedNumber.largest) + blockBytes - 1) / blockBytes * blockBytes
  }

  /// Returns a time in nanoseconds, which wraps around for times that no clock shows.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  private static func bounded(_ time: Int64) -> Int64 { min(max(-latestTime, time), latestTime) }
}

/// The identity of a file, independent of the path.
struct FileIdentity: Hashable {
  let device: UInt64
  let number: UInt64
  /// The time of the last change of the status in nanoseconds since 1970. A system may reuse the number of a removed
  /// file.
  let changed: Int64

  /// True if both identities are of one file, even if the file has changed in between.
  func isSameFile(as other: FileIdentity) -> Bool { device == other.device && number == other.number }
}
