import Glibc
import Synchronization

/// An open pack, from which several threads may read.
final class PackFile: Sendable {
  let number: UInt32
  let file: Descriptor
  /// The status of the file when it was opened.
  let status: FileStatus
  /// The time of the last use that the file records, in seconds since 1970.
  var recordedUse: Int64 { status.used }
  /// A size in bytes that the file has reached.
  private let knownSize: Atomic<Int>

  private init(_ file: consuming Descriptor, number: UInt32, status: FileStatus) {
    self.file = file
    self.number = number
    self.status = status
    knownSize = Atomic(status.size)
  }

  /// Opens a pack; nil if there is none, or if something else has taken its place.
  static func open(_ number: UInt32, in folder: borrowing Descriptor) throws(SystemError) -> PackFile? {
    do throws(SystemError) {
      // Reading does not change the access time: the cache sets that time itself, at most once a day.
      let file = try ResponseReader.open(PackName.name(number), in: folder)
      let status = try file.status
      guard status.isRegular else { return nil }
      return PackFile(file, number: number, status: status)
    } catch {
      guard [ENOENT, ELOOP, ENXIO, ENOTDIR, EISDIR].contains(error.code) else { throw error }
      return nil
    }
  }

  /// Returns true if the file has so many bytes. Asks the system only if the file must have grown.
  func reaches(_ size: Int) throws(SystemError) -> Bool {
    if size <= knownSize.load(ordering: .relaxed) { return true }
    let current = try file.status.size
    knownSize.store(current, ordering: .relaxed)
    return size <= current
  }

  /// Returns true if the file has not been removed and has so many bytes.
  func exists(with size: Int) throws(SystemError) -> Bool {
    let status = try file.status
    return status.linkCount > 0 && size <= status.size
  }
}
