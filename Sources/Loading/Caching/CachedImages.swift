import VitrineGraphics

/// Images by identity and size, in the order of their last use.
///
/// An LRU is a dictionary and a linked list. The links are indices into an array rather than references: no
/// counting, and no chain of a hundred thousand `deinit`s. They lie apart from the images, so that a hit
/// touches a few words and one reference.
struct CachedImages {
  /// Neighbours of a place, or `none`.
  private struct Links {
    var newer = none
    var older = none
    /// The next larger variant of the same identity.
    var larger = none
    /// What it was decoded for; nil for the whole picture.
    var target: DecodeTarget?
  }

  private static let none = -1

  /// Three arrays of one length: a place is an index into each. Places without an image are in `free`.
  private var images: [Image?] = []
  private var identities: [PictureIdentity?] = []
  private var links: [Links] = []
  private var free: [Int] = []

  /// Place of the smallest variant of each identity.
  private var smallest: [PictureIdentity: Int] = [:]
  private var newest = none
  private var oldest = none

  /// Marks of identities that were purged, each in the place that its hash says: a newer one may overwrite it.
  private var purged: [Int] = []
  private static let purgedPlaces = 4096

  /// Sum of the costs.
  private(set) var cost = 0
  var count: Int { images.count - free.count }

  /// The largest variant, or the smallest that serves `target`. Counts as a use. O(variants).
  mutating func use(_ identity: PictureIdentity, at target: DecodeTarget?) -> Image? {
    guard var place = smallest[identity] else { return nil }
    while true {
      let larger = links[place].larger
      if let target {
        if serves(place, target) { break }
        guard larger != Self.none else { return nil }
      } else if larger == Self.none {
        break
      }
      place = larger
    }
    if place != newest {
      unlink(place)
      link(place)
    }
    return images[place]
  }

  /// Keeps an image as the most recently used; what it replaces. O(variants).
  mutating func insert(_ image: Image, as identity: PictureIdentity, at target: DecodeTarget?) -> [Image] {
    let released = variants(identity).filter { isReplaced($0, by: image, at: target) }.map { remove($0) }
    let place = free.popLast() ?? addPlace()
    images[place] = image
    identities[place] = identity
    links[place].target = target
    cost += image.cost
    link(place)
    let smaller = variants(identity).last { pixels($0) <= image.pixelWidth * image.pixelHeight }
    links[place].larger = smaller.map { links[$0].larger } ?? smallest[identity] ?? Self.none
    if let smaller { links[smaller].larger = place } else { smallest[identity] = place }
    return released
  }

  /// Removes all variants, as if they had never been there. O(variants).
  mutating func remove(_ identity: PictureIdentity) -> [Image] {
    if isMarkedPurged(identity) { purged[Self.purgedPlace(identity.hashValue)] = 0 }
    return variants(identity).map { remove($0) }
  }

  /// Removes the oldest to make room, until no more than `limit` is left.
  mutating func purge(to limit: Int) -> [Image] {
    var removed: [Image] = []
    while cost > limit, oldest != Self.none {
      if let identity = identities[oldest] { markPurged(identity) }
      removed.append(remove(oldest))
    }
    return removed
  }

  /// Removes all, as if they had never been there.
  mutating func removeAll() -> [Image] {
    defer { self = CachedImages() }
    return images.compactMap { $0 }
  }

  /// Why `use` finds nothing. O(1).
  func missReason(_ identity: PictureIdentity) -> TraceEvent.Miss {
    if smallest[identity] != nil { return .tooSmall }
    return isMarkedPurged(identity) ? .purged : .absent
  }

  private func isMarkedPurged(_ identity: PictureIdentity) -> Bool {
    let hash = identity.hashValue
    return !purged.isEmpty && purged[Self.purgedPlace(hash)] == hash
  }

  private mutating func markPurged(_ identity: PictureIdentity) {
    if purged.isEmpty { purged = [Int](repeating: 0, count: Self.purgedPlaces) }
    let hash = identity.hashValue
    purged[Self.purgedPlace(hash)] = hash
  }

  private static func purgedPlace(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(purgedPlaces)) }

  // MARK: Places

  private mutating func addPlace() -> Int {
    images.append(nil)
    identities.append(nil)
    links.append(Links())
    return images.count - 1
  }

  private mutating func remove(_ place: Int) -> Image {
    guard let image = images[place], let identity = identities[place] else {
      preconditionFailure("only places in use are removed")
    }
    unlink(place)
    if let smaller = variants(identity).last(where: { links[$0].larger == place }) {
      links[smaller].larger = links[place].larger
    } else {
      smallest[identity] = links[place].larger == Self.none ? nil : links[place].larger
    }
    images[place] = nil
    identities[place] = nil
    free.append(place)
    cost -= image.cost
    return image
  }

  // MARK: Variants

  /// Places of the variants of an identity, the smallest first.
  private func variants(_ identity: PictureIdentity) -> [Int] {
    var places: [Int] = []
    var place = smallest[identity] ?? Self.none
    while place != Self.none {
      places.append(place)
      place = links[place].larger
    }
    return places
  }

  private func serves(_ place: Int, _ target: DecodeTarget) -> Bool {
    guard let known = links[place].target, known != target else { return true }
    return images[place].map { target.isSatisfied(by: $0) } ?? false
  }

  private func isReplaced(_ place: Int, by image: Image, at target: DecodeTarget?) -> Bool {
    guard let old = images[place] else { return false }
    let isSameSize = old.pixelWidth == image.pixelWidth && old.pixelHeight == image.pixelHeight
    let isOtherSource = old.sourceWidth != image.sourceWidth || old.sourceHeight != image.sourceHeight
    return links[place].target == target || isSameSize || isOtherSource
  }

  private func pixels(_ place: Int) -> Int { images[place].map { $0.pixelWidth * $0.pixelHeight } ?? 0 }

  // MARK: Order of use

  private mutating func link(_ place: Int) {
    links[place].newer = Self.none
    links[place].older = newest
    if newest != Self.none { links[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    let newer = links[place].newer
    let older = links[place].older
    if newer == Self.none { newest = older } else { links[newer].older = older }
    if older == Self.none { oldest = newer } else { links[older].newer = newer }
  }
}
