import Glibc

extension DiskImageCache {
  /// The reason why a cache does not store or find responses.
  public enum Fault: Error, Hashable, Sendable {
    /// The folder belongs to another user, who could replace the contents.
    case ownedByAnotherUser(path: String)
    /// Other users may write to the folder of a seed, and could replace the contents.
    case writableByOthers(path: String)
    /// A system call failed with this `errno`, such as `ENOSPC`, `EROFS`, `EACCES`, `ENOTDIR`, or `ELOOP` for a
    /// symbolic link.
    case refused(path: String, code: Int32)
    /// The file system of the folder has less free space than `Limits.freeBytes` or fewer free files than
    /// `Limits.freeFiles`. Stored responses stay, and no new responses are stored.
    case diskIsFull(path: String)

    /// True if the fault may pass at any moment, so that the next store is tried without a pause: there are no
    /// descriptors or no memory, or another thread or process is making room.
    var isTransient: Bool {
      guard case .refused(_, let code) = self else { return false }
      return [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code)
    }

    /// True if a file or folder did not exist.
    var isMissing: Bool {
      guard case .refused(_, let code) = self else { return false }
      return code == ENOENT
    }
  }
}

extension DiskImageCache.Fault: CustomStringConvertible {
  /// A description for a log.
  public var description: String {
    switch self {
    case .ownedByAnotherUser(let path): "\(path) belongs to another user"
    case .writableByOthers(let path): "\(path) can be written by other users"
    case .diskIsFull(let path): "the disk of \(path) is nearly full"
    case .refused(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}
