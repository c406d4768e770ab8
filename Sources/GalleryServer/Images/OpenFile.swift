import Glibc

/// A regular file, open for reading until the last reference is released.
///
/// Files are read while they are sent instead of being loaded: the kernel's page cache holds their bytes anyway, and a
/// program that measures its own memory with the server inside does not count them.
final class OpenFile: Sendable {
  /// The size in bytes when the file was opened.
  let count: Int

  /// The time of the last modification when the file was opened.
  let modified: timespec

  private let descriptor: Int32

  /// Opens the file. Returns `nil` if it is not a regular file or cannot be read.
  init?(path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    count = status.st_size
    modified = status.st_mtim
    guard isRegular else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A strong entity tag made from the size and the modification time.
  var entityTag: String {
    let time = UInt64(bitPattern: Int64(modified.tv_sec)) &* 1_000_000_000 &+ UInt64(modified.tv_nsec)
    return "\"\(String(count, radix: 16))-\(String(time, radix: 16))\""
  }

  /// Reads the beginning of a range into `buffer`. Returns the number of bytes read: 0 if the file has become shorter,
  /// a negative number if reading failed.
  func read(_ range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    pread(descriptor, buffer.baseAddress, min(range.count, buffer.count), range.lowerBound)
  }
}
