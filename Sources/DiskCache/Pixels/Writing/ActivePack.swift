import Glibc
import VitrineGraphics
import VitrineLoading

/// The pack that receives the pixels of this process. The lock of the file keeps other processes from adding to it, and
/// ends with the process.
final class ActivePack: Sendable {
  /// The maximum number of packs of earlier processes that are tried before a new one is made.
  private static let maximumCandidates = 4
  /// The maximum number of attempts to create a pack. Each attempt chooses a random number, which another pack may have
  /// already.
  private static let maximumAttempts = 4

  let number: UInt32
  private let file: Descriptor

  private init(_ file: consuming Descriptor, number: UInt32) {
    self.file = file
    self.number = number
  }

  /// Opens a pack with room for a record of `length` bytes: one that an earlier process has left unfilled, otherwise a
  /// new one. A record that is larger than a pack gets a pack of its own.
  static func open(
    for length: Int, packBytes: Int, among packs: [PackUsage.Pack], time: Int64, in files: PixelFiles
  ) throws(SystemError) -> ActivePack {
    let candidates = packs.filter {
      !PackName.isSingle($0.number) && $0.size.addingSaturated(length) <= packBytes
    }.sorted { ($0.used, $0.number) > ($1.used, $1.number) }
    for candidate in candidates.prefix(maximumCandidates) {
      let pack = try continuing(candidate.number, in: files)
      if let pack, try pack.hasRoom(for: length, packBytes: packBytes) { return pack }
    }
    return try create(isSingle: false, time: time, in: files.folder)
  }

  /// Opens a pack of an earlier process; nil if another process uses it, or on a file system without locks.
  private static func continuing(_ number: UInt32, in files: PixelFiles) throws(SystemError) -> ActivePack? {
    do throws(SystemError) {
      let file = try files.folder.open(PackName.name(number), flags: O_RDWR | O_APPEND)
      guard case .acquired = file.lock() else { return nil }
      let status = try file.status
      // Other users may have a pack open that was published as a part of a seed (`PixelPublication`).
      guard status.isRegular, !files.hasModes || status.permissions & 0o077 == 0 else { return nil }
      return ActivePack(file, number: number)
    } catch {
      guard [ENOENT, ELOOP, EISDIR, ENXIO, EACCES].contains(error.code) else { throw error }
      return nil
    }
  }

  /// Creates a pack, for many images or for one.
  static func create(
    isSingle: Bool, time: Int64, in folder: borrowing Descriptor
  ) throws(SystemError) -> ActivePack {
    for _ in 1..<maximumAttempts {
      do throws(SystemError) {
        return try create(PackName.newNumber(isSingle: isSingle), time: time, in: folder)
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    return try create(PackName.newNumber(isSingle: isSingle), time: time, in: folder)
  }

  /// Creates a pack; throws `EEXIST` if the number is taken.
  private static func create(
    _ number: UInt32, time: Int64, in folder: borrowing Descriptor
  ) throws(SystemError) -> ActivePack {
    let file = try folder.open(PackName.name(number), flags: O_RDWR | O_CREAT | O_EXCL | O_APPEND)
    _ = file.lock()
    // On a file system without file times the pack is used nevertheless.
    try? file.setTimes(FileTimes(used: time, stored: time))
    return ActivePack(file, number: number)
  }

  /// Returns true if a record of `length` bytes fits, and if no process has removed the pack.
  func hasRoom(for length: Int, packBytes: Int) throws(SystemError) -> Bool {
    let status = try file.status
    return status.linkCount > 0 && (status.size == 0 || status.size.addingSaturated(length) <= packBytes)
  }

  /// Adds a record at the end. Returns its position and the last use that the file records. If writing fails, the pack
  /// gets its old length again.
  func append(_ header: [UInt8], _ bitmap: Bitmap) throws(SystemError) -> (offset: Int, recordedUse: Int64) {
    let status = try file.status
    do throws(SystemError) {
      try file.write(header)
      try bitmap.withUnsafeBytes { (pixels) throws(SystemError) in try file.write(pixels) }
      return (status.size, status.used)
    } catch {
      shorten(to: status.size)
      throw error
    }
  }

  /// Removes what was added after `offset`.
  func shorten(to offset: Int) { try? file.truncate(to: offset) }

  /// Ends the protection of a pack to which nothing is added.
  func unlock() { file.unlock() }

  func stamp(_ time: Int64) { try? file.setTimes(FileTimes(used: time)) }
}
