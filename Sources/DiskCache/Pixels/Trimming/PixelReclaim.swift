import Glibc
import VitrineLoading

/// Removes pixels for the sake of free space, before responses have to go: pixels can be made from responses again.
enum PixelReclaim {
  /// Removes the least recently used packs beside the folder of responses until the missing bytes and files are freed.
  /// Returns true if any pack was removed.
  static func free(_ missing: DiskFloor.Missing, beside responses: borrowing Descriptor, time: Int64) -> Bool
  {
    guard missing.isAny, let outer = try? responses.openFolder(".."),
      let root = try? outer.openFolder(CacheFolder.pixelVersion), (try? root.status)?.owner == geteuid(),
      let folder = try? root.openFolder(PixelFolder.packs)
    else { return false }
    var (missing, isAny) = (missing, false)
    let packs = PixelSweep.contents(of: folder).packs
    for pack in PackTrim(time: time).order(packs) {
      guard missing.isAny else { break }
      guard PixelSweep.remove(pack.number, in: folder) == .removed else { continue }
      missing.subtract(pack.bytes)
      isAny = true
    }
    return isAny
  }
}
