import VitrineGraphics

/// Images by identity and size, in the order of their last use.
///
/// An LRU is a dictionary and a linked list. The links are indices into one array rather than references: no
/// counting, and no chain of a hundred thousand `deinit`s.
struct CachedImages {
  private struct Entry {
    let identity: PictureIdentity
    /// What it was decoded for; nil for the whole picture.
    let target: DecodeTarget?
    let image: Image
    let cost: Int
    var newer = none
    var older = none
  }

  private static let none = -1

  private var entries: [Entry?] = []
  private var free: [Int] = []
  /// Places of the variants of each identity, the smallest first.
  private var variants: [PictureIdentity: [Int]] = [:]
  private var newest = none
  private var oldest = none

  /// Sum of the costs.
  private(set) var cost = 0
  var count: Int { entries.count - free.count }

  /// The largest variant, or the smallest that serves `target`. Counts as a use. O(variants).
  mutating func use(_ identity: PictureIdentity, at target: DecodeTarget?) -> Image? {
    guard let places = variants[identity] else { return nil }
    guard let target else { return places.last.flatMap { use($0) } }
    return places.first { serves($0, target) }.flatMap { use($0) }
  }

  /// Keeps an image as the most recently used; what it replaces. O(variants).
  mutating func insert(_ image: Image, as identity: PictureIdentity, at target: DecodeTarget?) -> [Image] {
    let replaced = variants[identity, default: []].filter { isReplaced($0, by: image, at: target) }
    let released = replaced.map { remove($0) }
    let place = free.popLast() ?? entries.count
    if place == entries.count { entries.append(nil) }
    entries[place] = Entry(identity: identity, target: target, image: image, cost: image.cost)
    cost += image.cost
    link(place)
    let larger = variants[identity, default: []].firstIndex {
      pixels($0) > image.pixelWidth * image.pixelHeight
    }
    let end = variants[identity, default: []].count
    variants[identity, default: []].insert(place, at: larger ?? end)
    return released
  }

  /// Removes all variants. O(variants).
  mutating func remove(_ identity: PictureIdentity) -> [Image] {
    (variants[identity] ?? []).map { remove($0) }
  }

  /// Removes the oldest until no more than `limit` is left; below 0, everything.
  mutating func purge(to limit: Int) -> [Image] {
    var removed: [Image] = []
    while cost > limit, oldest != Self.none { removed.append(remove(oldest)) }
    return removed
  }

  // MARK: Variants

  private func serves(_ place: Int, _ target: DecodeTarget) -> Bool {
    guard let entry = entries[place] else { return false }
    return entry.target == nil || entry.target == target || target.isSatisfied(by: entry.image)
  }

  private func isReplaced(_ place: Int, by image: Image, at target: DecodeTarget?) -> Bool {
    guard let entry = entries[place] else { return false }
    let old = entry.image
    let isSameSize = old.pixelWidth == image.pixelWidth && old.pixelHeight == image.pixelHeight
    let isOtherSource = old.sourceWidth != image.sourceWidth || old.sourceHeight != image.sourceHeight
    return entry.target == target || isSameSize || isOtherSource
  }

  private func pixels(_ place: Int) -> Int {
    entries[place].map { $0.image.pixelWidth * $0.image.pixelHeight } ?? 0
  }

  private mutating func remove(_ place: Int) -> Image {
    guard let entry = entries[place] else { preconditionFailure("only places in use are removed") }
    unlink(place)
    entries[place] = nil
    free.append(place)
    cost -= entry.cost
    variants[entry.identity]?.removeAll { $0 == place }
    if variants[entry.identity]?.isEmpty == true { variants[entry.identity] = nil }
    return entry.image
  }

  // MARK: Order of use

  private mutating func use(_ place: Int) -> Image? {
    if place != newest {
      unlink(place)
      link(place)
    }
    return entries[place]?.image
  }

  private mutating func link(_ place: Int) {
    entries[place]?.older = newest
    entries[place]?.newer = Self.none
    if newest != Self.none { entries[newest]?.newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    guard let newer = entries[place]?.newer, let older = entries[place]?.older else { return }
    if newer == Self.none { newest = older } else { entries[newer]?.older = older }
    if older == Self.none { oldest = newer } else { entries[older]?.newer = newer }
  }
}
