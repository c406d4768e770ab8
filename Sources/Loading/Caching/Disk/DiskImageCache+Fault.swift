import Glibc

extension DiskImageCache {
  /// Why nothing is kept, or found.
  public enum Fault: Error, Hashable, Sendable {
    /// The folder belongs to another user, who could exchange what lies in it.
    case ownedBySomebodyElse(path: String)
    /// The system refused, with this `errno`: `ENOSPC`, `EROFS`, `EACCES`, `ENOTDIR`, `ELOOP` for a link…
    case refused(path: String, code: Int32)
    /// Less than `Limits.freeBytes` or `freeFiles` is free on the file system of the folder. Stored responses stay, and
    /// no new responses are stored.
    case diskIsFull(path: String)

    /// Whether it may heal at any moment, so that the next answer is to be tried all the same: no descriptors, no
    /// memory, or room that somebody else is making.
    var isPassing: Bool {
      guard case .refused(_, let code) = self else { return false }
      return [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code)
    }

    /// Whether something was not there.
    var isGone: Bool {
      guard case .refused(_, let code) = self else { return false }
      return code == ENOENT
    }
  }
}

extension DiskImageCache.Fault: CustomStringConvertible {
  /// For a log.
  public var description: String {
    switch self {
    case .ownedBySomebodyElse(let path): "\(path) belongs to another user"
    case .diskIsFull(let path): "the disk of \(path) is nearly full"
    case .refused(let path, let code):
      "\(path): "
        + withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
          text.initialize(repeating: 0)
          strerror_r(code, text.baseAddress!, text.count)
          return String(cString: text.baseAddress!)
        }
    }
  }
}
