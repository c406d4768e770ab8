import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The open folder of packs with its index. The packs that were used last stay open, so that a hit usually opens no
/// file.
final class PixelFiles: Sendable {
  /// The maximum number of packs that stay open. Within the byte limit there are about 32 packs of many images. To open
  /// a pack takes much less time than to read a large image.
  static let maximumOpenPacks = 40

  private struct Packs {
    private var open: [UInt32: (file: PackFile, use: UInt64)] = [:]
    private var lastUse: UInt64 = 0

    mutating func file(_ number: UInt32) -> PackFile? {
      guard let known = open[number] else { return nil }
      lastUse += 1
      open[number] = (known.file, lastUse)
      return known.file
    }

    /// Adds a pack. Returns a pack that need not stay open.
    mutating func add(_ file: PackFile) -> PackFile? {
      lastUse += 1
      let replaced = open.updateValue((file, lastUse), forKey: file.number)
      guard open.count > maximumOpenPacks, let oldest = open.min(by: { $0.value.use < $1.value.use })
      else { return replaced?.file }
      return open.removeValue(forKey: oldest.key)?.file
    }

    mutating func remove(_ number: UInt32) -> PackFile? { open.removeValue(forKey: number)?.file }
  }

  /// The folder of packs.
  let folder: Descriptor
  let index: PixelIndex
  /// False on a file system that gives all files the same access mode, such as FAT.
  let hasModes: Bool
  private let packs = Mutex(Packs())
  private let knownKey = Mutex<DigestKey?>(nil)

  init(folder: consuming Descriptor, index: PixelIndex, hasModes: Bool) {
    self.folder = folder
    self.index = index
    self.hasModes = hasModes
  }

  /// The key of the cache folder, which is read once.
  var key: DigestKey? {
    get { knownKey.withLock { $0 } }
    set { knownKey.withLock { $0 = newValue } }
  }

  /// Returns an open pack; nil if there is none.
  func pack(_ number: UInt32) throws(SystemError) -> PackFile? {
    if let known = packs.withLock({ $0.file(number) }) { return known }
    guard let file = try PackFile.open(number, in: folder) else { return nil }
    packs.releaseAfterLock { $0.add(file) }
    return file
  }

  /// Closes a pack, which was removed or is damaged, once the last reader has ended.
  func close(_ number: UInt32) { packs.releaseAfterLock { $0.remove(number) } }

  /// Returns true if the pack of an entry exists and is long enough for the record.
  func hasRecord(of entry: PixelEntry) throws(SystemError) -> Bool {
    guard let range = entry.range, let pack = try pack(entry.pack) else { return false }
    if try pack.exists(with: range.upperBound) { return true }
    close(entry.pack)
    return false
  }

  /// Overwrites the record of an entry that is no longer in the index, so that its pixels are not on the disk. A pack
  /// that cannot be written at the second attempt either is removed with all its images. Throws if that fails as well.
  func erase(_ entry: PixelEntry) throws(SystemError) {
    guard let range = entry.range else { return }
    do throws(SystemError) {
      try overwrite(range, in: entry.pack)
    } catch {
      do throws(SystemError) {
        try overwrite(range, in: entry.pack)
      } catch {
        close(entry.pack)
        guard PixelSweep.remove(entry.pack, in: folder, evenIfLocked: true) != .failed else { throw error }
      }
    }
  }

  /// Overwrites a record of a pack, as far as the pack has it. Removes a pack in which this was the only record, unless
  /// records may be added to it.
  private func overwrite(_ range: Range<Int>, in pack: UInt32) throws(SystemError) {
    do throws(SystemError) {
      let file = try folder.open(PackName.name(pack), flags: O_RDWR)
      let status = try file.status
      guard status.isRegular, range.lowerBound < status.size else { return }
      try file.erase(ErasedRange.whole(range.clamped(to: 0..<status.size), in: file, size: status.size))
      guard range.lowerBound == 0 else { return }
      switch file.lock() {
      case .acquired: break
      case .heldByAnother: return
      case .unavailable: guard PackName.isSingle(pack) else { return }
      }
      // Another process may have added a record before the pack was locked.
      guard try file.status.size <= range.upperBound else { return }
      close(pack)
      try? file.truncate(to: 0)
      try? folder.remove(PackName.name(pack))
    } catch {
      if error.code != ENOENT { throw error }
    }
  }
}
