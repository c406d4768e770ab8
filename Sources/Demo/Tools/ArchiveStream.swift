import Glibc
import Vitrine

/// The file of an archive that is being written, a device or pipe, or standard output.
nonisolated final class ArchiveOutput {
  private let path: String?
  /// The name of the file until it is complete.
  private let temporary: String
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameter file: A path, or `-` for standard output.
  init(_ file: String) throws(Tools.Failure) {
    guard file != "-" else {
      guard isatty(STDOUT_FILENO) == 0 else {
        throw Tools.Failure(message: "standard output is a terminal; name a file")
      }
      (path, temporary, descriptor) = (nil, "", STDOUT_FILENO)
      return
    }
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      // A device or a pipe is written to. A new file must not take its place.
      (path, temporary, descriptor) = (nil, "", open(file, O_WRONLY | O_CLOEXEC))
      guard descriptor >= 0 else { throw Self.failure(file) }
      return
    }
    path = file
    temporary = "\(file).new-\(getpid())"
    // Only this user may read the file: it contains images of private requests.
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(file) }
  }

  /// Returns the failure of the last system call.
  private static func failure(_ file: String) -> Tools.Failure {
    Tools.Failure(message: "cannot write \(file): \(String(cString: strerror(errno)))")
  }

  deinit {
    guard path != nil, !isFinished else { return }
    close(descriptor)
    unlink(temporary)
  }

  func write(_ bytes: [UInt8]) throws(ArchiveError) {
    let code = ToolConsole.write(bytes, to: descriptor)
    guard code == 0 else { throw .archive(code: code) }
  }

  /// Gives the complete file its name, in place of an older file.
  func finish() throws(ArchiveError) {
    guard let path else { return }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .archive(code: errno) }
    isFinished = true
    let isClosed = close(descriptor) == 0
    guard isClosed, rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .archive(code: code)
    }
  }
}

/// The file of an archive that is read, or standard input.
nonisolated final class ArchiveInput {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let interruption: Interruption

  /// - Parameter file: A path, or `-` for standard input.
  init(_ file: String, _ interruption: Interruption) throws(Tools.Failure) {
    self.interruption = interruption
    ownsDescriptor = file != "-"
    descriptor = ownsDescriptor ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO
    guard descriptor >= 0 else {
      throw Tools.Failure(message: "cannot read \(file): \(String(cString: strerror(errno)))")
    }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Returns the next bytes, at most `count`; none at the end. Throws if the tool is interrupted while it waits.
  func read(_ count: Int) throws(ArchiveError) -> [UInt8] {
    while true {
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 2, -1) >= 0 || errno == EINTR else { throw .archive(code: errno) }
      if interruption.isRequested { throw .cancelled }
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let result = Glibc.read(descriptor, buffer.baseAddress, count)
        if result < 0 { failure = errno }
        filled = max(0, result)
      }
      if failure == 0 { return bytes }
      guard failure == EINTR || failure == EAGAIN else { throw .archive(code: failure) }
    }
  }
}
