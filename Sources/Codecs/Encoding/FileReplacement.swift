import Glibc

/// Writes a file in place of an existing file. If the new file cannot be written, the existing file stays as it was.
struct FileReplacement {
  /// A system call that failed, by its error code.
  struct Failure: Error, Equatable { let code: CInt }

  /// Writes bytes to a descriptor; returns the number of written bytes, or a negative number and sets `errno`. Tests
  /// simulate a full disk with another function.
  var writeBytes: (CInt, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }

  /// Writes a temporary file in the folder of `path`, and renames that file. A symbolic link stays, and its target is
  /// replaced. A device or a pipe receives the bytes itself.
  func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    var existing = stat()
    let exists = stat(path, &existing) == 0
    if exists, existing.st_mode & S_IFMT != S_IFREG {
      let file = open(path, O_WRONLY | O_CLOEXEC)
      return try fill(file, with: bytes)
    }
    let target = exists ? Self.resolved(path) : path
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    let temporary = "\(folder).vitrine-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if file >= 0, exists { fchmod(file, existing.st_mode & 0o7777) }
    do throws(Failure) {
      try fill(file, with: bytes)
      guard rename(temporary, target) == 0 else { throw Failure(code: errno) }
    } catch {
      if file >= 0 { unlink(temporary) }
      throw error
    }
  }

  /// Writes all bytes and closes the file, also after a failure. A negative descriptor is a failed `open`.
  private func fill(_ file: CInt, with bytes: [UInt8]) throws(Failure) {
    guard file >= 0 else { throw Failure(code: errno) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { writeBytes(file, UnsafeRawBufferPointer(rebasing: $0[written...])) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = Failure(code: errno)
        close(file)
        throw failure
      }
      written += count
    }
    guard close(file) == 0 else { throw Failure(code: errno) }
  }

  /// Returns a path without symbolic links; the given path if it cannot be resolved.
  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
