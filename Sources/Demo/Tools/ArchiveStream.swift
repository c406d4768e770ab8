import Glibc
import Vitrine

/// The file of an archive that is being written, a device or pipe, or standard output.
nonisolated final class ArchiveOutput {
  /// The new file; `nil` for a device, a pipe or standard output.
  private var file: ArchiveFile?
  private let descriptor: Int32

  /// - Parameter file: A path, or `-` for standard output.
  init(_ file: String) throws(Tools.Failure) {
    guard file != "-" else {
      guard isatty(STDOUT_FILENO) == 0 else {
        throw Tools.Failure(message: "standard output is a terminal; name a file")
      }
      descriptor = STDOUT_FILENO
      return
    }
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      // A device or a pipe is written to. A new file must not take its place.
      descriptor = open(file, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure(file, code: errno) }
      return
    }
    do throws(ArchiveFile.Failure) {
      let new = try ArchiveFile(for: file)
      descriptor = new.descriptor
      self.file = consume new
    } catch {
      throw Self.failure(file, code: error.code)
    }
  }

  private static func failure(_ file: String, code: Int32) -> Tools.Failure {
    Tools.Failure(message: "cannot write \(file): \(String(cString: strerror(code)))")
  }

  func write(_ bytes: [UInt8]) throws(ArchiveError) {
    let code = ToolConsole.write(bytes, to: descriptor)
    guard code == 0 else { throw .archive(code: code) }
  }

  /// Gives the complete file its name, in place of an older file.
  func finish() throws(ArchiveError) {
    do throws(ArchiveFile.Failure) {
      try file?.publish()
    } catch {
      throw .archive(code: error.code)
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
