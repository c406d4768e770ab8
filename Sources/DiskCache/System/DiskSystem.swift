import CHashing
import Glibc

/// An error number (`errno`) of the system.
struct SystemError: Error, Hashable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  static var last: SystemError { SystemError(errno) }
}

/// The system calls of the disk cache. Tests replace them to make each call fail or hang.
///
/// Each method makes one call and does not repeat it: the caller handles `EINTR` and short counts. Names are relative
/// to `folder`.
protocol DiskSystem: Sendable {
  func open(_ name: String, in folder: Int32, flags: Int32, mode: mode_t) throws(SystemError) -> Int32
  func close(_ descriptor: Int32) throws(SystemError)
  /// Returns another descriptor of the same open file, which child programs do not inherit.
  func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32
  func makeFolder(_ name: String, in folder: Int32) throws(SystemError)
  func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemError)
  func status(of descriptor: Int32) throws(SystemError) -> stat
  func status(of name: String, in folder: Int32) throws(SystemError) -> stat
  func space(at descriptor: Int32) throws(SystemError) -> statvfs
  /// Reads at most the size of the buffer. Returns 0 at the end of the file.
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  /// Reads at most the sizes of both buffers: the first is filled before the second. Returns 0 at the end of the file.
  func read(
    _ descriptor: Int32, into first: UnsafeMutableRawBufferPointer,
    _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) -> Int
  /// Writes at a position. The file must not be open for appending.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) throws(SystemError) -> Int
  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError)
  /// Gives the blocks of a range back to the file system, so that the range reads as zeros.
  func punchHole(_ range: Range<Int>, in descriptor: Int32) throws(SystemError)
  func synchronize(_ descriptor: Int32) throws(SystemError)
  func setTimes(_ times: FileTimes, of descriptor: Int32) throws(SystemError)
  func setTimes(_ times: FileTimes, of name: String, in folder: Int32) throws(SystemError)
  func rename(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(SystemError)
  /// Gives a file a second name; throws `EEXIST` if the name is taken.
  func link(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(SystemError)
  func remove(_ name: String, in folder: Int32, isFolder: Bool) throws(SystemError)
  /// Takes the lock of a file for this process; throws `EWOULDBLOCK` if another process holds it.
  func lock(_ descriptor: Int32) throws(SystemError)
  /// Releases the lock of a file.
  func unlock(_ descriptor: Int32) throws(SystemError)
  /// Locks a range of bytes for the open file, or extends a lock of the same open file; throws `EAGAIN` if
  /// another open file has locked a part of the range. The system releases the lock when the file is closed.
  func lock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError)
  func unlock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError)
  /// Returns a part of the range that another open file has locked; nil if there is none.
  func lockedRange(_ descriptor: Int32, in range: ByteRange) throws(SystemError) -> ByteRange?
  /// Calls `body` with each name in a folder except `.` and `..`.
  func forEachName(in folder: Int32, _ body: (String) -> Void) throws(SystemError)
}

/// A range of bytes of a file.
struct ByteRange: Hashable {
  let start, count: Int64
}

/// The times of a file in seconds since 1970; nil leaves a time unchanged.
struct FileTimes: Hashable {
  /// The number of seconds between two updates of the time of a file's use, so that cache hits do not wear out flash
  /// memory. A short `timeToIdle` needs updates more often.
  static let longestUseInterval: Int64 = 86400
  /// The start of 2026, before the first version of this cache. An earlier date comes from a clock that was not set.
  static let earliestTime: Int64 = 1_767_225_600

  var used, stored: Int64?

  /// Returns a wall-clock time in seconds since 1970, limited to what file systems can record.
  static func time(_ seconds: Double) -> Int64 { seconds >= 0 ? Int64(min(seconds, 0x1p33)) : 0 }

  /// The times for the system. The nanoseconds of `stored` are random, so that a file that is written again has another
  /// time, even if the clock was set back or always begins in 1970.
  fileprivate var values: [timespec] {
    [(used, 0), (stored, Int.random(in: 0..<1_000_000_000))].map { time, nanoseconds in
      time.map { timespec(tv_sec: Int(clamping: $0), tv_nsec: nanoseconds) }
        ?? timespec(tv_sec: 0, tv_nsec: Self.omitted)
    }
  }

  /// The value of the C macro `UTIME_OMIT`, which Swift does not import.
  private static let omitted = (1 << 30) - 2
}

/// The Linux system calls.
///
/// Lookups pass names by `withCString`, which copies no path. A `String` argument of a C function is copied.
struct LinuxDiskSystem: DiskSystem {
  func open(_ name: String, in folder: Int32, flags: Int32, mode: mode_t) throws(SystemError) -> Int32 {
    try Self.checked(name.withCString { openat(folder, $0, flags, mode) })
  }

  func close(_ descriptor: Int32) throws(SystemError) { try Self.checked(Glibc.close(descriptor)) }

  func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32 {
    try Self.checked(fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
  }

  func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    try Self.checked(mkdirat(folder, name, 0o700))
  }

  func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemError) {
    try Self.checked(fchmod(descriptor, mode))
  }

  func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    try Self.checked(fstat(descriptor, &status))
    return status
  }

  func status(of name: String, in folder: Int32) throws(SystemError) -> stat {
    var status = stat()
    try Self.checked(name.withCString { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) })
    return status
  }

  func space(at descriptor: Int32) throws(SystemError) -> statvfs {
    var space = statvfs()
    try Self.checked(fstatvfs(descriptor, &space))
    return space
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try Self.checked(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) -> Int {
    try Self.checked(Glibc.write(descriptor, bytes.baseAddress, bytes.count))
  }

  func read(
    _ descriptor: Int32, into first: UnsafeMutableRawBufferPointer,
    _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let parts = [
      iovec(iov_base: first.baseAddress, iov_len: first.count),
      iovec(iov_base: second.baseAddress, iov_len: second.count),
    ]
    return try Self.checked(preadv(descriptor, parts, 2, off_t(offset)))
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) throws(SystemError) -> Int
  {
    try Self.checked(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    try Self.checked(ftruncate(descriptor, off_t(size)))
  }

  func punchHole(_ range: Range<Int>, in descriptor: Int32) throws(SystemError) {
    try Self.checked(vitrine_punch_hole(descriptor, Int64(range.lowerBound), Int64(range.count)))
  }

  func synchronize(_ descriptor: Int32) throws(SystemError) { try Self.checked(fsync(descriptor)) }

  func setTimes(_ times: FileTimes, of descriptor: Int32) throws(SystemError) {
    try Self.checked(futimens(descriptor, times.values))
  }

  func setTimes(_ times: FileTimes, of name: String, in folder: Int32) throws(SystemError) {
    try Self.checked(utimensat(folder, name, times.values, AT_SYMLINK_NOFOLLOW))
  }

  func rename(
    _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
  ) throws(SystemError) {
    try Self.checked(renameat(folder, name, newFolder, newName))
  }

  func link(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(SystemError) {
    try Self.checked(linkat(folder, name, newFolder, newName, 0))
  }

  func remove(_ name: String, in folder: Int32, isFolder: Bool) throws(SystemError) {
    try Self.checked(unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0))
  }

  func lock(_ descriptor: Int32) throws(SystemError) {
    try Self.checked(flock(descriptor, LOCK_EX | LOCK_NB))
  }

  func unlock(_ descriptor: Int32) throws(SystemError) { try Self.checked(flock(descriptor, LOCK_UN)) }

  func lock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {
    _ = try Self.change(descriptor, F_WRLCK, range, Self.setLock)
  }

  func unlock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {
    _ = try Self.change(descriptor, F_UNLCK, range, Self.setLock)
  }

  func lockedRange(_ descriptor: Int32, in range: ByteRange) throws(SystemError) -> ByteRange? {
    let lock = try Self.change(descriptor, F_WRLCK, range, Self.getLock)
    return Int32(lock.l_type) == F_UNLCK
      ? nil : ByteRange(start: Int64(lock.l_start), count: Int64(lock.l_len))
  }

  /// The commands for locks of an open file, whose C macros Swift does not import: `F_OFD_GETLK` and `F_OFD_SETLK`.
  /// Unlike the older locks of a process, these exclude two caches of one process as well, and closing another
  /// descriptor of the file does not release them.
  private static let (getLock, setLock): (Int32, Int32) = (36, 37)

  private static func change(
    _ descriptor: Int32, _ type: Int32, _ range: ByteRange, _ command: Int32
  ) throws(SystemError) -> Glibc.flock {
    var lock = Glibc.flock()
    lock.l_type = Int16(truncatingIfNeeded: type)
    lock.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
    lock.l_start = off_t(range.start)
    lock.l_len = off_t(range.count)
    try checked(fcntl(descriptor, command, &lock))
    return lock
  }

  func forEachName(in folder: Int32, _ body: (String) -> Void) throws(SystemError) {
    // Reading a folder moves a position that duplicated descriptors share, so the folder is opened again.
    let duplicate = try openAgain(folder)
    guard let stream = fdopendir(duplicate) else {
      let error = SystemError.last
      Glibc.close(duplicate)
      throw error
    }
    defer { closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        // `readdir` returns nil at the end and on failure; `errno` tells which.
        if errno != 0 { throw .last }
        return
      }
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self))
      if name != ".", name != ".." { body(name) }
    }
  }

  /// Opens a folder again, if possible so that reading does not change the access time.
  private func openAgain(_ folder: Int32) throws(SystemError) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    do throws(SystemError) {
      return try open(".", in: folder, flags: flags | Descriptor.noAccessTime, mode: 0)
    } catch {
      // Only the owner may leave the access time unchanged.
      guard error.code == EPERM else { throw error }
      return try open(".", in: folder, flags: flags, mode: 0)
    }
  }

  @discardableResult
  private static func checked<Result: SignedInteger>(_ result: Result) throws(SystemError) -> Result {
    guard result >= 0 else { throw .last }
    return result
  }
}
