import Glibc
import VitrineLoading

/// Removes pixels for the sake of free space, before responses have to go: pixels can be made from responses again.
enum PixelReclaim {
  /// Removes the least recently used packs beside the folder of responses until `bytes` are freed. Returns true if any
  /// pack was removed.
  static func free(_ bytes: Int, beside responses: borrowing Descriptor, now: Int64) -> Bool {
    guard bytes > 0, let outer = try? responses.openFolder(".."),
      let root = try? outer.openFolder(CacheFolder.pixelVersion), (try? root.status)?.owner == geteuid(),
      let folder = try? root.openFolder(PixelFolder.packs)
    else { return false }
    var (freed, isAny) = (0, false)
    let packs = PixelSweep.contents(of: folder).packs
    for pack in PackTrim(now: now).order(packs) {
      guard freed < bytes else { break }
      guard PixelSweep.remove(pack.number, in: folder) == .removed else { continue }
      freed = freed.addingSaturated(pack.bytes)
      isAny = true
    }
    return isAny
  }
}
