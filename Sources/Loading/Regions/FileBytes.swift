import Glibc

/// The bytes of a file that stays open, so that they are neither copied into memory nor mapped: a file that is shortened
/// meanwhile ends early, where a mapping would end the process.
final class FileBytes: Sendable {
  private let descriptor: Int32
  let count: Int

  /// Opens a regular file; `nil` if that is not possible.
  init?(path: String) {
    guard !path.utf8.contains(0) else { return nil }
    var status = stat()
    // Checked before opening as well, because opening a device may have effects.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  var encoded: EncodedBytes {
    EncodedBytes(count: count) { offset, buffer in
      while true {
        let count = pread(self.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }
}
