import Glibc
import VitrineLoading

/// The status of a file of the cache folder.
///
/// Sizes and times come from outside: a sparse file has any size, and a file has any time. They are clamped here, so
/// that sums and differences of a few of them cannot overflow.
struct FileStatus: Hashable {
  /// The largest time in seconds since 1970, and the negative of the smallest.
  static let latestTime: Int64 = 1 << 53

  let isRegular: Bool
  /// The size in bytes, from 0 to `StatedNumber.largest`.
  let size: Int
  /// The time of the last change in seconds since 1970: when the response was stored.
  let stored: Int64
  /// The time of the last access in seconds since 1970.
  let used: Int64
  let owner: uid_t
  let permissions: mode_t
  /// The identity of the file, independent of the path.
  let device: UInt64
  let number: UInt64

  init(_ status: stat) {
    isRegular = status.st_mode & S_IFMT == S_IFREG
    size = min(max(0, Int(clamping: status.st_size)), StatedNumber.largest)
    stored = Self.bounded(Int64(clamping: status.st_mtim.tv_sec))
    used = Self.bounded(Int64(clamping: status.st_atim.tv_sec))
    owner = status.st_uid
    permissions = status.st_mode & 0o7777
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The number of bytes that the file takes on disk, as counted by the limits.
  var room: Int { DiskImageCache.Limits.room(size) }

  private static func bounded(_ time: Int64) -> Int64 { min(max(-latestTime, time), latestTime) }
}
