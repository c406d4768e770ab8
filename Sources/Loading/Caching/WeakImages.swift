import VitrineGraphics

/// Images that a memory cache has let go of and that something else still holds, such as a view.
///
/// Each insert adds an entry, and entries whose image is gone are removed when the table has doubled.
struct WeakImages {
  private struct Entry {
    weak var image: Image?
    let target: DecodeTarget?
    let scaleDownBytes: Int?
  }

  private var entries: [PictureIdentity: [Entry]] = [:]
  private var count = 0
  private var sweepCount = 64

  /// Remembers an image without holding it.
  mutating func insert(
    _ image: Image, as identity: PictureIdentity, at target: DecodeTarget?, scaleDownBytes: Int?
  ) {
    var variants = (entries[identity] ?? []).filter { entry in
      guard let known = entry.image else { return false }
      return known !== image && (entry.target != target || entry.scaleDownBytes != scaleDownBytes)
    }
    variants.append(Entry(image: image, target: target, scaleDownBytes: scaleDownBytes))
    count += variants.count - (entries[identity]?.count ?? 0)
    entries[identity] = variants
    if count >= sweepCount { sweep() }
  }

  /// Returns an image that still lives and was inserted for the same size.
  func image(_ identity: PictureIdentity, at target: DecodeTarget?, scaleDownBytes: Int?) -> Image? {
    entries[identity]?.lazy.compactMap { entry in
      entry.target == target && entry.scaleDownBytes == scaleDownBytes ? entry.image : nil
    }.first
  }

  /// Forgets all images of an identity; returns whether one of them still lived.
  mutating func remove(_ identity: PictureIdentity) -> Bool {
    guard let variants = entries.removeValue(forKey: identity) else { return false }
    count -= variants.count
    return variants.contains { $0.image != nil }
  }

  /// Forgets all images.
  mutating func removeAll() { self = WeakImages() }

  /// The number of entries, those whose image is gone included.
  var entryCount: Int { count }

  private mutating func sweep() {
    entries = entries.compactMapValues { variants in
      let living = variants.filter { $0.image != nil }
      return living.isEmpty ? nil : living
    }
    count = entries.values.reduce(0) { $0 + $1.count }
    sweepCount = max(64, 2 * count)
  }
}
