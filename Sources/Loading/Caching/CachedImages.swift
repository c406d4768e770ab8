import VitrineGraphics

/// The images of a memory cache by identity and size, together with their order of eviction (`UseOrder`).
///
/// Each image has an index into arrays instead of a list node of its own. A cache hit therefore counts no references to
/// nodes, and releasing the cache does not run a chain of a hundred thousand `deinit`s.
struct CachedImages {
  /// One image. The fields that a cache hit reads come first, in one cache line of the processor.
  private struct Entry {
    var image: Image?
    var identity: ImageIdentity?
    /// The target that the image was decoded for; nil for the whole image.
    var target: DecodeTarget?
    /// The `DecodeLimits.scaleDownBytes` that the image was decoded with.
    var scaleDownBytes: Int?
    /// The index of the next larger variant of this identity; negative if there is none.
    var larger: Int32 = -1
    var hash = 0
    /// The time of the insert in nanoseconds.
    var time: Int64 = 0
  }

  /// All entries. The indices of entries without an image are in `free`.
  private var entries: [Entry] = []
  private var free: [Int] = []
  /// The index of the smallest variant of each identity.
  private var smallest = PlaceIndex()
  private var purged = PurgedMarks()
  private var order = UseOrder()

  /// The sum of the costs of all images in bytes.
  var cost: Int { order.cost }
  var count: Int { order.count }

  /// Limits the protected segment of the order of eviction to four fifths of `cost` bytes and of `count` images, but
  /// not to less than one image.
  mutating func protect(cost: Int, count: Int) {
    let share = UseOrder.protectedShare
    order.protectedCostLimit = cost / share.denominator * share.numerator
    order.protectedCountLimit = max(1, count / share.denominator * share.numerator)
  }

  // MARK: Lookup

  /// Returns the index of the smallest variant that serves `target`, or of the largest variant if `target` is nil; -1
  /// if there is none. O(variants).
  func place(_ identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil) -> Int {
    var place = smallestPlace(identity, identity.placeHash)
    guard place >= 0 else { return -1 }
    while true {
      let larger = Int(entries[place].larger)
      if let target {
        if serves(place, target, scaleDownBytes) { return place }
        if larger < 0 { return -1 }
      } else if larger < 0 {
        return place
      }
      place = larger
    }
  }

  /// Returns the image at an index and marks the image as just used.
  mutating func use(_ place: Int) -> Image? {
    order.use(place)
    return entries[place].image
  }

  /// Returns the age of the image at an index in nanoseconds. A time of insertion in the future, which remains after
  /// the clock was set back, is replaced by `now`.
  mutating func age(_ place: Int, at now: Int64) -> Int64 {
    if entries[place].time > now { entries[place].time = now }
    return now - entries[place].time
  }

  /// Returns the reason for a cache miss. O(1).
  func missReason(_ identity: ImageIdentity) -> TraceEvent.Miss {
    let hash = identity.placeHash
    if smallestPlace(identity, hash) >= 0 { return .tooSmall }
    return purged.contains(hash) ? .purged : .absent
  }

  func forEach(_ body: (Image) -> Void) {
    for case let image? in entries.lazy.map(\.image) { body(image) }
  }

  // MARK: Changes

  /// Removes and returns the variants that `image` would replace: the variant of the same target, the variant of the
  /// same size in pixels, and all variants of another source size. O(variants).
  mutating func makeWay(
    for image: Image, as identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil
  ) -> [Image] {
    variants(identity).filter { isReplaced($0, by: image, at: target, scaleDownBytes) }.map { remove($0) }
  }

  /// Adds an image as the most recent one and returns the index of the image. O(variants).
  mutating func insert(
    _ image: Image, as identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil,
    _ now: Int64
  ) -> Int {
    let place = free.popLast() ?? addPlace()
    let hash = identity.placeHash
    let pixels = image.pixelWidth * image.pixelHeight
    let variants = variants(identity)
    let smaller = variants.last { self.pixels($0) <= pixels }
    entries[place] = Entry(
      image: image, identity: identity, target: target, scaleDownBytes: scaleDownBytes, hash: hash, time: now)
    if let smaller {
      entries[place].larger = entries[smaller].larger
      entries[smaller].larger = Int32(place)
    } else if let next = variants.first {
      entries[place].larger = Int32(next)
      smallest.replace(next, with: place, hash: hash)
    } else {
      smallest.insert(place, hash: hash)
    }
    order.append(place, cost: image.cost)
    return place
  }

  /// Removes and returns all variants of an identity, and forgets that the identity was purged. O(variants).
  mutating func remove(_ identity: ImageIdentity) -> [Image] {
    purged.remove(identity.placeHash)
    return variants(identity).map { remove($0) }
  }

  /// Removes and returns the image at an index, which must be in use. Does not mark the identity as purged.
  /// O(variants).
  mutating func remove(_ place: Int) -> Image {
    guard let image = entries[place].image, let identity = entries[place].identity else {
      preconditionFailure("only places in use are removed")
    }
    let (hash, larger) = (entries[place].hash, Int(entries[place].larger))
    var smaller = smallestPlace(identity, hash)
    if smaller != place {
      while Int(entries[smaller].larger) != place { smaller = Int(entries[smaller].larger) }
      entries[smaller].larger = Int32(larger)
    } else if larger >= 0 {
      smallest.replace(place, with: larger, hash: hash)
    } else {
      smallest.remove(place, hash: hash)
    }
    order.remove(place)
    entries[place] = Entry()
    free.append(place)
    return image
  }

  // MARK: Purging

  /// The targets and the progress of a purge that runs in several steps.
  struct Purge {
    /// The maximum number of bytes to leave.
    var cost: Int
    /// The maximum number of images to leave.
    var count = Int.max
    /// The index of the image that was inserted last and is evicted last; nil if there is none.
    var kept: Int?
    /// The number of images still to be checked for the first time. An image that is being shown is spared at the first
    /// check; 0 spares no image.
    var sparing: Int
    /// True to leave all images that are being shown, even if the targets are then not met.
    var keepsShown = false
  }

  /// Checks at most `limit` images in the order of eviction, and removes all that are not spared. Returns true if the
  /// purge is finished.
  mutating func purge(_ purge: inout Purge, atMost limit: Int, into removed: inout [Image]) -> Bool {
    for _ in 0..<limit {
      guard cost > purge.cost || count > purge.count, let place = order.first(keeping: purge.kept) else {
        return true
      }
      let isShown = entries[place].image?.isShown == true
      if isShown, purge.sparing > 0 {
        order.spare(place)
      } else if isShown, purge.keepsShown {
        return true
      } else {
        purged.insert(entries[place].hash)
        removed.append(remove(place))
      }
      purge.sparing -= 1
    }
    return false
  }

  /// Removes and returns all images that are at least `age` nanoseconds old. O(n).
  mutating func removeAll(asOldAs age: Int64, at now: Int64) -> [Image] {
    var removed: [Image] = []
    for place in entries.indices where entries[place].image != nil && self.age(place, at: now) >= age {
      removed.append(remove(place))
    }
    return removed
  }

  // MARK: Variants

  private func smallestPlace(_ identity: ImageIdentity, _ hash: Int) -> Int {
    smallest.place(hash) { entries[$0].identity == identity }
  }

  /// Returns the indices of all variants of an identity, smallest variant first.
  private func variants(_ identity: ImageIdentity) -> [Int] {
    var places: [Int] = []
    var place = smallestPlace(identity, identity.placeHash)
    while place >= 0 {
      places.append(place)
      place = Int(entries[place].larger)
    }
    return places
  }

  private mutating func addPlace() -> Int {
    entries.append(Entry())
    return entries.count - 1
  }

  private func serves(_ place: Int, _ target: DecodeTarget, _ scaleDownBytes: Int?) -> Bool {
    // An image that was scaled down to fewer bytes than this request allows may have too few pixels.
    let hasAllPixels = entries[place].scaleDownBytes == nil || entries[place].scaleDownBytes == scaleDownBytes
    let known = entries[place].target
    if hasAllPixels, known == nil || known == target { return true }
    return entries[place].image.map { target.isSatisfied(by: $0) } ?? false
  }

  private func isReplaced(
    _ place: Int, by image: Image, at target: DecodeTarget?, _ scaleDownBytes: Int?
  ) -> Bool {
    guard let old = entries[place].image else { return false }
    let isSameSize = old.pixelWidth == image.pixelWidth && old.pixelHeight == image.pixelHeight
    let isOtherSource = old.sourceWidth != image.sourceWidth || old.sourceHeight != image.sourceHeight
    let isSameTarget = entries[place].target == target && entries[place].scaleDownBytes == scaleDownBytes
    return isSameTarget || isSameSize || isOtherSource
  }

  private func pixels(_ place: Int) -> Int {
    entries[place].image.map { $0.pixelWidth * $0.pixelHeight } ?? 0
  }
}
