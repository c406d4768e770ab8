import Glibc

// Export to and import from one file.

extension DiskImageCache {
  /// The result of an export.
  package struct ExportSummary: Hashable, Sendable {
    /// The number of responses in the archive.
    package var exported = 0
    /// The number of bytes of the archive.
    package var bytes = 0
    /// The number of damaged files, which the archive lacks.
    package var damaged = 0
    /// The number of files and folders that the system refused to read, and that the archive lacks.
    package var unreadable = 0
  }

  /// The result of an import, and its progress.
  package struct ImportSummary: Hashable, Sendable {
    /// The number of responses that were stored.
    package var imported = 0
    /// The number of bytes of the stored responses.
    package var bytes = 0
    /// The number of responses that the folder had already, equal or newer.
    package var known = 0
    /// The number of responses to private requests of another folder, which were left out.
    package var isPrivate = 0
    /// The number of responses that were damaged or incomplete.
    package var damaged = 0
    /// The number of responses that exceed the limits even in an empty folder.
    package var tooLarge = 0
    /// The number of responses for which the limits leave no room besides the responses of the folder.
    package var noRoom = 0
    /// The number of responses that the archive states; nil if its beginning is damaged.
    package var total: Int?
    /// True if the end of the archive was read.
    package var isComplete = false
    /// True if a part of the archive could not be read.
    package var hasDamage = false
    /// The reason why the import has ended early; nil if it has not.
    package var failure: ArchiveError?

    /// The number of responses that were read.
    package var visited: Int { imported + known + isPrivate + damaged + tooLarge + noRoom }
    /// True if everything in the archive was read.
    package var isIntact: Bool { isComplete && !hasDamage && damaged == 0 && failure == nil }
  }

  /// Writes all responses to an archive. Each response is verified before it is written. Does not change the folder.
  ///
  /// - Parameters:
  ///   - write: Writes bytes to the archive.
  ///   - progress: Called after each response with the numbers of responses that were visited, and of all. Return false
  ///     to end the export with `.cancelled`.
  package func exportArchive(
    to write: @escaping (_ bytes: [UInt8]) throws(ArchiveError) -> Void,
    progress: @escaping (_ visited: Int, _ total: Int) -> Bool = { _, _ in true }
  ) throws(ArchiveError) -> ExportSummary {
    try ArchiveExport(context: context, write: write, progress: progress).run()
  }

  /// Stores the responses of an archive that are undamaged, and newer than those of the folder, as far as the limits
  /// have room: nothing is evicted. Each response is stored at once or not at all, so that the import may end at any
  /// time.
  ///
  /// - Parameters:
  ///   - read: Returns the next bytes of the archive, at most this many; none at the end.
  ///   - progress: Called from time to time. Return false to end the import with `.cancelled`.
  package func importArchive(
    from read: @escaping (_ count: Int) throws(ArchiveError) -> [UInt8],
    progress: @escaping (_ summary: ImportSummary) -> Bool = { _ in true }
  ) -> ImportSummary {
    guard !isReadOnly else {
      var summary = ImportSummary()
      summary.failure = .folder(.refused(path: directory, code: EROFS))
      return summary
    }
    return ArchiveImport(context: context, trimmer: trimmer, read: read, progress: progress).run()
  }
}
