import Glibc

/// The rule that decides which folders and files are accepted in a seed.
///
/// A seed is read and never written, so it may belong to root, as on a read-only root. A folder or a file that another
/// user can change is refused: that user could show any image.
enum SeedAccess {
  /// Returns the reason to refuse a folder or a file; nil if it is accepted.
  ///
  /// - Parameter acceptsWriters: True if other users may write to it, because its contents are not shown.
  static func refusal(
    of status: FileStatus, user: uid_t, path: String, acceptsWriters: Bool = false
  ) -> DiskImageCache.Fault? {
    guard [user, 0].contains(status.owner) else { return .ownedByAnotherUser(path: path) }
    guard acceptsWriters || status.permissions & 0o022 == 0 else { return .writableByOthers(path: path) }
    return nil
  }
}
