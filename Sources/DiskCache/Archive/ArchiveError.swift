import Glibc

/// The reason why an archive was not written or read to its end.
package enum ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The archive could not be written or read, with this `errno`.
  case archive(code: Int32)
  /// The folder of the cache could not be read or written.
  case folder(DiskImageCache.Fault)
  /// The file is not an archive.
  case notAnArchive
  /// The caller has stopped the operation.
  case cancelled

  package var description: String {
    switch self {
    case .archive(let code): String(cString: strerror(code))
    case .folder(let fault): "\(fault)"
    case .notAnArchive: "not an archive of a cache"
    case .cancelled: "interrupted"
    }
  }
}
