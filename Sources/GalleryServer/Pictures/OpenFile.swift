import Glibc

/// A regular file, open for reading until the last reference goes.
///
/// Files are read while they are sent instead of being kept: the system has their bytes in memory anyway,
/// and a program that measures itself with the server inside is not charged for them.
final class OpenFile: Sendable {
  /// Size in bytes when it was opened.
  let count: Int

  /// Last modification when it was opened.
  let modified: timespec

  private let descriptor: Int32

  /// Opens the file; nil for what is no regular file or cannot be read.
  init?(path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    count = status.st_size
    modified = status.st_mtim
    guard isRegular else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// A strong tag of size and modification time.
  var entityTag: String {
    let time = UInt64(bitPattern: Int64(modified.tv_sec)) &* 1_000_000_000 &+ UInt64(modified.tv_nsec)
    return "\"\(String(count, radix: 16))-\(String(time, radix: 16))\""
  }

  /// Reads what fits of a range and says how many bytes that was: 0 when the file has become shorter,
  /// less than 0 when it could not be read.
  func read(_ range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    pread(descriptor, buffer.baseAddress, min(range.count, buffer.count), range.lowerBound)
  }
}
