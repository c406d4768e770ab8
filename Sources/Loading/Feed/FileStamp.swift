import Glibc

/// The state of a file or folder, by which a change is noticed without reading it.
struct FileStamp: Hashable, Sendable {
  /// Identifies a file or folder. Two paths that lead to the same one have the same identity.
  struct ID: Hashable {
    fileprivate let device, inode: UInt64
  }

  let id: ID
  private let size: Int64
  /// The times of the last change of the contents and of the attributes, in nanoseconds since 1970.
  private let modified, changed: Int64
  /// The type of the file in `st_mode`.
  private let type: mode_t

  /// The coarsest unit of time of a file system, that of FAT, in nanoseconds.
  private static let coarsestUnit: Int64 = 2_000_000_000

  /// Returns `nil` if there is no file or folder at the path.
  init?(path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    self.init(info)
  }

  init(_ info: stat) {
    id = ID(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    size = Int64(info.st_size)
    modified = Self.nanoseconds(info.st_mtim)
    changed = Self.nanoseconds(info.st_ctim)
    type = info.st_mode & S_IFMT
  }

  /// True for a regular file.
  var isFile: Bool { type == S_IFREG }
  var isFolder: Bool { type == S_IFDIR }

  /// A short text of digits and letters, equal for stamps with the same contents.
  var version: String {
    let parts = [id.device, id.inode, UInt64(bitPattern: size), UInt64(bitPattern: modified)]
    return parts.map { String($0, radix: 36) }.joined(separator: "-")
  }

  /// Returns true if the file has not been written to since the other stamp of the same path or descriptor. A file that
  /// is renamed, linked or made read-only stays the same.
  func hasSameContents(as other: FileStamp) -> Bool {
    (id, size, modified) == (other.id, other.size, other.modified)
  }

  /// Returns true if a change after `now`, in nanoseconds since 1970, changes the stamp. A file that was changed a
  /// moment ago may change again without another time, if the file system has a coarse clock. So may a file whose time
  /// is in the future.
  func isReliable(at now: Int64) -> Bool {
    max(modified, changed) < now.subtractingReportingOverflow(Self.coarsestUnit).partialValue
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    let (seconds, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return isTooMuch ? .max : seconds.addingReportingOverflow(Int64(time.tv_nsec)).partialValue
  }

  /// The time in nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }
}
