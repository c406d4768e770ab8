import Glibc

/// The purpose for which a cache opens its directory, which decides about the modes of folders.
enum FolderAccess: Hashable {
  /// Reads and writes. The folders become private to this user.
  case owner
  /// Reads and writes. Folders that all users may read stay so, as in a seed that is filled. New files are private.
  case keepingReaders
  /// Only reads, and refuses what another user can change: a seed.
  case seed
  /// Only reads, for a listing or a check, which need not trust the contents.
  case inspection

  var isReadOnly: Bool { [.seed, .inspection].contains(self) }

  /// The permissions that are taken back from a folder that is opened for writing.
  var refusedPermissions: mode_t { self == .keepingReaders ? 0o022 : 0o077 }
}
