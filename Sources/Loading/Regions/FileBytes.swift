import Glibc

/// The bytes of a file that stays open, so that they are neither copied into memory nor mapped: a mapping would end the
/// process if the file is shortened meanwhile. Once a file has been written to, reading fails, because its old and its
/// new contents do not belong together. A file that takes the place of the open one makes no difference.
final class FileBytes: Sendable {
  private let descriptor: Int32
  private let stamp: FileStamp
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
    stamp = FileStamp(status)
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  var encoded: EncodedBytes {
    EncodedBytes(count: count) { offset, buffer in
      while true {
        let count = pread(self.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count < 0 else { return self.isUnchanged ? count : -1 }
        guard errno == EINTR else { return count }
      }
    }
  }

  private var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && FileStamp(status).hasSameContents(as: stamp)
  }
}
