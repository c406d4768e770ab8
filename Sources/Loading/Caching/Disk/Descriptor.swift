import Glibc

/// What the system said when it refused.
struct SystemError: Error, Hashable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  static var last: SystemError { SystemError(errno) }
}

/// An open file or folder; closed when it is let go.
struct Descriptor: ~Copyable {
  let number: Int32

  /// Takes part in no program that is started, and waits for no FIFO; `name` may be a link only if `followsLink`.
  init(
    _ name: String, in folder: Int32 = AT_FDCWD, flags: Int32, followsLink: Bool = false, mode: mode_t = 0o600
  ) throws(SystemError) {
    let all = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
    while true {
      let number = Self.open(folder, name, all, mode)
      if number >= 0 {
        self.number = number
        return
      }
      guard errno == EINTR else { throw .last }
    }
  }

  deinit { close(number) }

  private static func open(_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    openat(folder, name, flags, mode)
  }

  func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw .last }
    return status
  }

  /// Bytes that this user may still write where it lies; nil where nobody knows.
  var freeBytes: Int? {
    var system = statvfs()
    guard fstatvfs(number, &system) == 0, system.f_blocks > 0 else { return nil }
    let (bytes, isTooMuch) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
    return isTooMuch ? .max : Int(clamping: bytes)
  }

  /// Fills `buffer` from what is at `offset` in a file; how many bytes there were.
  static func read(
    _ number: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = pread(number, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress! + done, $0.count - done) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      guard count > 0 else { throw SystemError(EIO) }
      done += count
    }
  }

  /// Calls `body` with each name in a folder but `.` and `..`.
  func forEachName(_ body: (String) -> Void) throws(SystemError) {
    // Reading moves a position that all copies of a descriptor share: it takes one of its own.
    let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard copy >= 0 else { throw .last }
    guard let stream = fdopendir(copy) else {
      let error = SystemError.last
      close(copy)
      throw error
    }
    defer { closedir(stream) }
    let place = MemoryLayout<dirent>.offset(of: \.d_name)!
    while let entry = readdir(stream) {
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self))
      if name != ".", name != ".." { body(name) }
    }
  }
}
