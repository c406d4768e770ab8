import Glibc
import VitrineLoading

/// Writes the responses of a cache folder to an archive.
struct ArchiveExport {
  let context: CacheContext
  let write: (_ bytes: [UInt8]) throws(ArchiveError) -> Void
  /// Called after each response with the numbers of responses that were visited, and of all. Returns false to stop.
  let progress: (_ visited: Int, _ total: Int) -> Bool

  func run() throws(ArchiveError) -> DiskImageCache.ExportSummary {
    guard
      let root = try ArchiveError.folder({ () throws(DiskImageCache.Fault) in
        try context.open(creating: false)
      })
    else { return try end(DiskImageCache.ExportSummary(), after: try begin([], count: 0)) }
    let fingerprint = try ArchiveError.folder { () throws(DiskImageCache.Fault) in
      try context.folder.key(of: root).map { ArchiveFingerprint.of($0) }
    }
    let names = FolderWalk.names(in: root)
    var summary = DiskImageCache.ExportSummary()
    // A folder that cannot be read may have responses that the archive lacks.
    if !names.isComplete { summary.unreadable += 1 }
    summary.bytes = try begin(fingerprint ?? [], count: names.names.count)
    for (index, name) in names.names.enumerated() {
      switch try file(name, in: root) {
      case .written(let bytes):
        summary.exported += 1
        summary.bytes += bytes
      case .damaged: summary.damaged += 1
      case .unreadable: summary.unreadable += 1
      case .missing: break
      }
      guard progress(index + 1, names.names.count) else { throw .cancelled }
    }
    return try end(summary, after: summary.bytes)
  }

  private func begin(_ fingerprint: [UInt8], count: Int) throws(ArchiveError) -> Int {
    try write(.start(.init(fingerprint: fingerprint, count: count)))
  }

  private func end(
    _ summary: DiskImageCache.ExportSummary, after bytes: Int
  ) throws(ArchiveError) -> DiskImageCache.ExportSummary {
    var summary = summary
    summary.bytes = bytes + (try write(.end(count: summary.exported)))
    return summary
  }

  /// Writes a block and returns the number of bytes.
  private func write(_ block: ArchiveBlock) throws(ArchiveError) -> Int {
    let bytes = block.bytes
    try write(bytes)
    return bytes.count
  }

  private enum FileResult {
    /// The number of bytes of the archive.
    case written(bytes: Int)
    case damaged
    /// The file was removed in the meantime.
    case missing
    case unreadable
  }

  /// Writes a file after its verification.
  private func file(_ name: String, in root: borrowing Descriptor) throws(ArchiveError) -> FileResult {
    guard let hash = ContentHash(hex: name[...]) else { return .damaged }
    let failure: ArchiveError
    do throws(SystemError) {
      let shard = try root.openFolder(Shard.name(of: name))
      let file = try ResponseReader.open(name, in: shard)
      guard let content = try EntryReader.content(of: file, withBody: true),
        context.folder.name(of: content.key.bytes) == hash
      else { return .damaged }
      do throws(ArchiveError) {
        return try write(file, content, hash)
      } catch {
        failure = error
      }
    } catch {
      switch EntryReader.Result(error) {
      case .missing: return .missing
      case .damaged: return .damaged
      case .failed, .content: return .unreadable
      }
    }
    throw failure
  }

  /// Writes an open file. Another process may append a note or replace the file; the bytes of the open file stay as they
  /// were verified.
  private func write(
    _ file: borrowing Descriptor, _ content: DiskImageCache.Entry.Content, _ name: ContentHash
  ) throws(ArchiveError) -> FileResult {
    var bytes = try write(
      .file(.init(name: name, length: content.fileBytes, stored: content.stored, used: content.used)))
    var offset = 0
    while offset < content.fileBytes {
      let count = min(ArchiveBlock.partBytes, content.fileBytes - offset)
      // A file that cannot be read to its end is incomplete in the archive, which an import notices.
      guard let part = try? ResponseReader.bytes(of: file, at: offset, count: count), part.count == count
      else { return .unreadable }
      bytes += try write(.part(at: offset, part))
      offset += count
    }
    return .written(bytes: bytes)
  }
}

/// A digest by which an import recognizes the folder that an archive comes from. The key cannot be found from it.
enum ArchiveFingerprint {
  static func of(_ key: DigestKey) -> [UInt8] { key.digest(Array("vitrine archive".utf8)) }
}

extension ArchiveError {
  /// Calls `body`, and throws a fault of the folder as an error of the archive.
  static func folder<Result: ~Copyable>(
    _ body: () throws(DiskImageCache.Fault) -> Result
  ) throws(ArchiveError) -> Result {
    do throws(DiskImageCache.Fault) {
      return try body()
    } catch {
      throw .folder(error)
    }
  }
}
