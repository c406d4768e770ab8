import Glibc

/// An open file or folder, closed when the value is destroyed.
struct Descriptor: ~Copyable {
  let number: Int32
  let system: any DiskSystem
  private var isOpen = true

  /// The value of `O_NOATIME`, which Glibc hides.
  static let noAccessTime: Int32 = 0o1000000

  /// Opens a file or folder. Child programs do not inherit the descriptor, and opening a FIFO does not block. `name`
  /// may be a symbolic link only if `followsLink` is true.
  init(
    _ name: String, in folder: Int32 = AT_FDCWD, flags: Int32, followsLink: Bool = false,
    mode: mode_t = 0o600, system: any DiskSystem
  ) throws(SystemError) {
    let allFlags = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
    number = try Self.retrying { () throws(SystemError) in
      try system.open(name, in: folder, flags: allFlags, mode: mode)
    }
    self.system = system
  }

  deinit { if isOpen { try? system.close(number) } }

  /// Closes a file after writing. Some file systems report a failed write only on close.
  mutating func close() throws(SystemError) {
    isOpen = false
    do throws(SystemError) {
      try system.close(number)
    } catch {
      // An interrupted close has closed the descriptor nevertheless.
      if error.code != EINTR { throw error }
    }
  }

  /// Closes a duplicate of a file after writing, to learn of a failed write as from `close()`. The file stays open, and
  /// locks of the file are kept. Returns false if no duplicate can be made.
  func closeDuplicate() throws(SystemError) -> Bool {
    guard let duplicate = try? Self.retrying({ () throws(SystemError) in try system.duplicate(number) })
    else {
      return false
    }
    do throws(SystemError) {
      try system.close(duplicate)
    } catch {
      if error.code != EINTR { throw error }
    }
    return true
  }

  /// Repeats a system call that was interrupted by a signal.
  static func retrying<Result>(
    _ call: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    while true {
      do throws(SystemError) {
        return try call()
      } catch {
        guard error.code == EINTR else { throw error }
      }
    }
  }

  // MARK: Files

  var status: FileStatus {
    get throws(SystemError) {
      FileStatus(try Self.retrying { () throws(SystemError) in try system.status(of: number) })
    }
  }

  /// Reads the file at `offset` into `buffer`. Returns the number of bytes read, which is smaller than the buffer at
  /// the end of the file.
  static func read(
    _ number: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, system: any DiskSystem
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let remaining = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try retrying { () throws(SystemError) in
        try system.read(number, into: remaining, at: offset + done)
      }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  /// Reads the file at `offset` into two buffers, usually in one call. Returns the number of bytes read, which is
  /// smaller than both buffers at the end of the file.
  func read(
    into first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let count = try Self.retrying { () throws(SystemError) in
      try system.read(number, into: first, second, at: offset)
    }
    guard count > 0, count < first.count + second.count else { return count }
    var done = count
    if done < first.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: first[done...])
      done += try Self.read(number, into: rest, at: offset + done, system: system)
      guard done == first.count else { return done }
    }
    let rest = UnsafeMutableRawBufferPointer(rebasing: second[(done - first.count)...])
    return done + (try Self.read(number, into: rest, at: offset + done, system: system))
  }

  func write(_ bytes: [UInt8]) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) { try write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    try Self.writeAll(bytes) { (rest, _) throws(SystemError) in try system.write(rest, to: number) }
  }

  /// Writes at a position. The file must not be open for appending.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) {
        try Self.writeAll(bytes) { (rest, done) throws(SystemError) in
          try system.write(rest, to: number, at: offset + done)
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private static func writeAll(
    _ bytes: UnsafeRawBufferPointer,
    _ write: (_ rest: UnsafeRawBufferPointer, _ done: Int) throws(SystemError) -> Int
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try retrying { () throws(SystemError) in try write(rest, done) }
      guard count > 0 else { throw SystemError(EIO) }
      done += count
    }
  }

  func truncate(to size: Int) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.truncate(number, to: size) }
  }

  /// The number of bytes that `erase` writes at a time.
  private static let eraseBytes = 64 << 10

  /// Replaces a range inside the file by zeros: by a hole, or by writing on a file system without holes.
  func erase(_ range: Range<Int>) throws(SystemError) {
    guard !range.isEmpty else { return }
    do throws(SystemError) {
      return try Self.retrying { () throws(SystemError) in try system.punchHole(range, in: number) }
    } catch {
      // The bytes are overwritten instead.
    }
    let zeros = [UInt8](repeating: 0, count: min(Self.eraseBytes, range.count))
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(zeros.count, range.upperBound - start)
      try write(count == zeros.count ? zeros : Array(zeros.prefix(count)), at: start)
      start += count
    }
  }

  func synchronize() throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.synchronize(number) }
  }

  func setTimes(_ times: FileTimes) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.setTimes(times, of: number) }
  }

  func setMode(_ mode: mode_t) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.setMode(mode, of: number) }
  }

  /// The result of locking a file or folder.
  enum Lock {
    /// The lock is held until it is released or the descriptor is closed.
    case acquired
    case heldByAnother
    /// The file system does not support locks.
    case unavailable
  }

  func lock() -> Lock {
    do throws(SystemError) {
      try Self.retrying { () throws(SystemError) in try system.lock(number) }
      return .acquired
    } catch {
      return error.code == EWOULDBLOCK ? .heldByAnother : .unavailable
    }
  }

  /// Releases the lock of the file; does nothing if it is not held. A lock for a short change must be released, not left
  /// to `close()`: a child process that another thread has just forked has the descriptor open until it executes its
  /// program, and would keep the lock.
  func unlock() { try? Self.retrying { () throws(SystemError) in try system.unlock(number) } }

  /// Locks a file for a short change. Goes ahead without the lock if another process holds it for longer than about
  /// 20 ms: that process is stopped.
  func lockWaiting() {
    for _ in 0..<20 {
      guard case .heldByAnother = lock() else { return }
      usleep(1000)
    }
  }

  /// Locks a range of bytes until the range is unlocked or the descriptor is closed.
  func lock(_ range: ByteRange) -> Lock {
    do throws(SystemError) {
      try Self.retrying { () throws(SystemError) in try system.lock(number, range) }
      return .acquired
    } catch {
      return error.code == EAGAIN ? .heldByAnother : .unavailable
    }
  }

  func unlock(_ range: ByteRange) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.unlock(number, range) }
  }

  /// Returns a part of the range that another open file has locked; nil if there is none.
  func lockedRange(in range: ByteRange) throws(SystemError) -> ByteRange? {
    try Self.retrying { () throws(SystemError) in try system.lockedRange(number, in: range) }
  }

  // MARK: Folders

  func open(_ name: String, flags: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(name, in: number, flags: flags, system: system)
  }

  func openFolder(_ name: String) throws(SystemError) -> Descriptor {
    try open(name, flags: O_RDONLY | O_DIRECTORY)
  }

  /// Opens a subfolder, and creates it first if it does not exist and `creating` is true.
  func openFolder(_ name: String, creating: Bool) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try openFolder(name)
    } catch {
      guard error.code == ENOENT, creating else { throw error }
    }
    do throws(SystemError) {
      try makeFolder(name)
    } catch {
      guard error.code == EEXIST else { throw error }
    }
    return try openFolder(name)
  }

  /// Opens a subfolder, and creates it first if it does not exist. A link or a file of this name is removed.
  func openFolderInPlaceOfFile(_ name: String) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try openFolder(name, creating: true)
    } catch {
      guard [ENOTDIR, ELOOP].contains(error.code) else { throw error }
    }
    try? remove(name)
    return try openFolder(name, creating: true)
  }

  func makeFolder(_ name: String) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.makeFolder(name, in: number) }
  }

  func status(of name: String) throws(SystemError) -> FileStatus {
    FileStatus(try Self.retrying { () throws(SystemError) in try system.status(of: name, in: number) })
  }

  /// Returns true if a file or folder has this name.
  func contains(_ name: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try status(of: name)
      return true
    } catch {
      if error.code == ENOENT { return false }
      throw error
    }
  }

  func setTimes(_ times: FileTimes, of name: String) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in try system.setTimes(times, of: name, in: number) }
  }

  func rename(_ name: String, to newName: String) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in
      try system.rename(name, in: number, to: newName, in: number)
    }
  }

  /// Moves a file to another folder; throws `EXDEV` if that folder is on another file system.
  func move(_ name: String, to folder: borrowing Descriptor) throws(SystemError) {
    let newFolder = folder.number
    try Self.retrying { () throws(SystemError) in
      try system.rename(name, in: number, to: name, in: newFolder)
    }
  }

  /// Gives a file a second name; throws `EEXIST` if the name is taken.
  func link(_ name: String, to newName: String) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in
      try system.link(name, in: number, to: newName, in: number)
    }
  }

  func remove(_ name: String, isFolder: Bool = false) throws(SystemError) {
    try Self.retrying { () throws(SystemError) in
      try system.remove(name, in: number, isFolder: isFolder)
    }
  }

  /// The names in a folder that could be read, and true if the list is complete.
  var names: (names: [String], isComplete: Bool) {
    var names: [String] = []
    do throws(SystemError) {
      try Self.retrying { () throws(SystemError) in
        names = []
        try system.forEachName(in: number) { names.append($0) }
      }
      return (names, true)
    } catch {
      return (names, false)
    }
  }

  /// The space of the file system that holds the descriptor; nil if the file system does not report it.
  var space: DiskSpace? {
    guard
      let space = try? Self.retrying({ () throws(SystemError) in try system.space(at: number) })
    else { return nil }
    return DiskSpace(space)
  }
}
