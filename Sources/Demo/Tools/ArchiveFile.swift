import Glibc

/// A new file beside an archive, which takes the place of the archive when it is complete.
///
/// The file is locked until then, so that a later export recognizes and removes a file whose process was killed.
nonisolated struct ArchiveFile: ~Copyable {
  /// The error number of a system call.
  struct Failure: Error {
    let code: Int32

    static var last: Failure { Failure(code: errno) }
  }

  /// The number of random hexadecimal digits at the end of a temporary name.
  private static let digits = 16
  /// The maximum number of names that are tried. Another export may remove a file before it is locked.
  private static let maximumAttempts = 8

  let descriptor: Int32
  private let path: String
  private let temporary: String
  private var isPublished = false

  /// Creates the file, which only this user may read: it contains images of private requests. Removes the files
  /// that killed exports to the same path have left.
  init(for path: String) throws(Failure) {
    Self.removeAbandoned(of: path)
    for _ in 0..<Self.maximumAttempts {
      let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
      let name = "\(path).new-" + String(repeating: "0", count: Self.digits - digits.count) + digits
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        if errno == EEXIST { continue }
        throw .last
      }
      // A file system without locks has no abandoned files that are recognized.
      let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      var status = stat()
      if isLocked, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        (self.descriptor, self.path, temporary) = (descriptor, path, name)
        return
      }
      close(descriptor)
    }
    throw Failure(code: EEXIST)
  }

  deinit {
    if !isPublished { unlink(temporary) }
    close(descriptor)
  }

  /// Gives the complete file the name of the archive, in place of an older file.
  mutating func publish() throws(Failure) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last }
    // Some file systems report a failed write only when a descriptor is closed. The file itself stays open, because its
    // lock keeps it from being removed until it has its name.
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if duplicate >= 0, close(duplicate) != 0, errno != EINTR { throw .last }
    guard rename(temporary, path) == 0 else { throw .last }
    isPublished = true
  }

  // MARK: Abandoned files

  /// Returns true for the name of a temporary file of an archive.
  static func isTemporary(_ name: String, of archive: String) -> Bool {
    let prefix = "\(archive).new-"
    guard name.hasPrefix(prefix) else { return false }
    let suffix = name.utf8.dropFirst(prefix.utf8.count)
    return suffix.count == digits
      && suffix.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func removeAbandoned(of path: String) {
    let (folder, name) = parts(of: path)
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while let entry = readdir(stream) {
      let found = String(
        cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      if isTemporary(found, of: name) { removeIfAbandoned(found, in: dirfd(stream)) }
    }
  }

  /// Removes a file that no export holds the lock of.
  private static func removeIfAbandoned(_ name: String, in folder: Int32) {
    let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, flock(file, LOCK_EX | LOCK_NB) == 0
    else { return }
    unlinkat(folder, name, 0)
  }

  /// Returns the folder and the name of a path.
  static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[...slash]
    return (String(folder), String(path[path.index(after: slash)...]))
  }
}
