import VitrineGraphics

/// Weak references to images that a memory cache has evicted and that another owner, such as a view, still holds.
///
/// Each insert adds an entry. Entries of released images are removed each time the table has doubled.
struct WeakImages {
  private struct Entry {
    weak var image: Image?
    let target: DecodeTarget?
    let scaleDownBytes: Int?
  }

  private var entries: [ImageIdentity: [Entry]] = [:]
  private var count = 0
  private var sweepCount = 64

  /// Adds a weak reference to an image.
  mutating func insert(
    _ image: Image, as identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int?
  ) {
    var variants = (entries[identity] ?? []).filter { entry in
      guard let existing = entry.image else { return false }
      return existing !== image && (entry.target != target || entry.scaleDownBytes != scaleDownBytes)
    }
    variants.append(Entry(image: image, target: target, scaleDownBytes: scaleDownBytes))
    count += variants.count - (entries[identity]?.count ?? 0)
    entries[identity] = variants
    if count >= sweepCount { sweep() }
  }

  /// Returns an image that still exists and was inserted with equal `target` and `scaleDownBytes`.
  func image(_ identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int?) -> Image? {
    entries[identity]?.lazy.compactMap { entry in
      entry.target == target && entry.scaleDownBytes == scaleDownBytes ? entry.image : nil
    }.first
  }

  /// Removes all references to images of an identity. Returns true if one of the images still existed.
  mutating func remove(_ identity: ImageIdentity) -> Bool {
    guard let variants = entries.removeValue(forKey: identity) else { return false }
    count -= variants.count
    return variants.contains { $0.image != nil }
  }

  mutating func removeAll() { self = WeakImages() }

  /// The number of entries, including entries of released images.
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
