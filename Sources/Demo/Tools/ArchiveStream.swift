import Glibc
import Vitrine

/// The file of an archive that is being written, a device or pipe, or standard output.
nonisolated final class ArchiveOutput {
  /// The new file; `nil` for a device, a pipe or standard output.
  private var file: ArchiveFile?
  private let descriptor: Int32
  /// True if the archive is written to standard output, which then has nothing else.
  var isStandardOutput: Bool { descriptor == STDOUT_FILENO }
  /// True if the archive is written to a new file, which is removed if it does not become complete.
  let isNewFile: Bool

  /// - Parameters:
  ///   - file: A path, or `-` for standard output. A symbolic link stands for the file that it leads to.
  ///   - interruption: Ends the process while it waits for the reader of a pipe.
  init(_ file: String, _ interruption: Interruption) throws(Tools.Failure) {
    guard file != "-", !Self.leadsToStandardOutput(file) else {
      guard isatty(STDOUT_FILENO) == 0 else {
        throw Tools.Failure(message: "standard output is a terminal; name a file")
      }
      (descriptor, isNewFile) = (STDOUT_FILENO, false)
      interruption.endProcessIfBlocked()
      return
    }
    var status = stat()
    if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      // A device or a pipe is written to. A new file must not take its place.
      interruption.endProcessIfBlocked()
      (descriptor, isNewFile) = (open(file, O_WRONLY | O_CLOEXEC), false)
      guard descriptor >= 0 else { throw Self.failure(file, code: errno) }
      return
    }
    do throws(ArchiveFile.Failure) {
      let new = try ArchiveFile(for: try Self.target(of: file))
      (descriptor, isNewFile) = (new.descriptor, true)
      self.file = consume new
    } catch {
      throw Self.failure(file, code: error.code)
    }
  }

  /// True for a path such as `/dev/stdout`.
  private static func leadsToStandardOutput(_ file: String) -> Bool {
    var (named, output) = (stat(), stat())
    return stat(file, &named) == 0 && fstat(STDOUT_FILENO, &output) == 0
      && named.st_dev == output.st_dev && named.st_ino == output.st_ino
  }

  /// The maximum number of symbolic links in a row, as of the system (`path_resolution(7)`).
  private static let maximumLinks = 40

  /// Returns the path of the file that a symbolic link leads to, which need not exist; other paths as they are.
  private static func target(of file: String) throws(ArchiveFile.Failure) -> String {
    var path = file
    for _ in 0...maximumLinks {
      var count = 0
      let destination = String(unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer in
        count = buffer.withMemoryRebound(to: CChar.self) { bytes in
          bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return max(0, count)
      }
      // Not a link, or no file yet.
      guard count > 0 else { return path }
      let (folder, name) = ArchiveFile.parts(of: path)
      path = destination.hasPrefix("/") || name == path ? destination : folder + destination
    }
    throw ArchiveFile.Failure(code: ELOOP)
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
    // The call waits until a pipe has a writer.
    interruption.endProcessIfBlocked()
    defer { interruption.keepProcess() }
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
