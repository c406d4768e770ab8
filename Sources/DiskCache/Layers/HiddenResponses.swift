import Glibc
import Synchronization
import VitrineLoading

/// The responses of lower layers that were removed. Kept as small files at `v3/gone` in the folder of the top layer, so
/// that a removed response stays removed after a restart, and in memory where the folder cannot be written.
final class HiddenResponses: Sendable {
  /// The folder in `v3`. A removal of all responses of the top layer leaves this folder.
  static let folderName = "gone"
  /// The file that hides all responses.
  private static let allName = "all"

  private struct Unwritten {
    var responses: [RequestIdentity: Tombstone] = [:]
    var all: Tombstone?
  }

  /// The cache whose folder has the files; nil for no files.
  private let context: CacheContext?
  /// The tombstones that could not be written. Bounded by the number of removals by this process.
  private let unwritten = Mutex(Unwritten())

  init(context: CacheContext?) { self.context = context }

  /// Returns true if a response of a lower layer is hidden.
  func hide(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    tombstone(for: identity)?.hides(response) ?? false
  }

  /// Returns the tombstone that applies to a request; nil if nothing is hidden.
  func tombstone(for identity: RequestIdentity) -> Tombstone? {
    let known = unwritten.withLock { Tombstone.later($0.all, $0.responses[identity]) }
    let written = context?.reading { (root) throws(DiskImageCache.Fault) -> Tombstone? in
      guard let folder = openFolder(in: root) else { return nil }
      let entry = try context?.folder.entry(of: identity, in: root)
      let one = entry.flatMap { Self.read($0.name.hex, key: $0.key.bytes, in: folder) }
      return Tombstone.later(Self.read(Self.allName, key: [], in: folder), one)
    }
    return Tombstone.later(known, written ?? nil)
  }

  /// Hides a response and all older versions.
  func add(_ tombstone: Tombstone, for identity: RequestIdentity) {
    let isWritten = write { (context, root) throws(DiskImageCache.Fault) in
      try context.folder.entry(of: identity, in: root, creating: true).map {
        ($0.name.hex, tombstone.bytes(key: $0.key.bytes))
      }
    }
    guard !isWritten else { return }
    unwritten.withLock { $0.responses[identity] = .later($0.responses[identity], tombstone) }
  }

  /// Hides all responses that arrived no later than this.
  func addForAll(_ tombstone: Tombstone) {
    let isWritten = write { _, _ in (Self.allName, tombstone.bytes(key: [])) }
    guard !isWritten else { return }
    unwritten.withLock { $0.all = .later($0.all, tombstone) }
  }

  // MARK: Files

  private func openFolder(in root: borrowing Descriptor) -> Descriptor? {
    try? root.openFolder(Self.folderName)
  }

  private static func read(_ name: String, key: [UInt8], in folder: borrowing Descriptor) -> Tombstone? {
    guard let file = try? ResponseReader.open(name, in: folder),
      let bytes = try? ResponseReader.bytes(of: file, at: 0, count: Tombstone.maximumBytes)
    else { return nil }
    return Tombstone(bytes, key: key)
  }

  /// Writes the file that `content` returns with its name. Returns true if the file was written.
  private func write(
    _ content: (CacheContext, borrowing Descriptor) throws(DiskImageCache.Fault) -> (
      name: String, bytes: [UInt8]
    )?
  ) -> Bool {
    guard let context, !context.folder.isReadOnly else { return false }
    do throws(DiskImageCache.Fault) {
      guard let root = try context.open(creating: true), let (name, bytes) = try content(context, root) else {
        return false
      }
      do throws(SystemError) {
        let folder = try root.openFolderInPlaceOfFile(Self.folderName)
        try TemporaryFile.write(name, in: folder) { (file) throws(SystemError) in
          try file.write(bytes)
          // Without the file, an image that was removed would be shown after a power cut.
          try file.synchronize()
        }
        return true
      } catch {
        throw .refused(path: context.folder.path, code: error.code)
      }
    } catch {
      context.writeFailed(error)
      return false
    }
  }
}
