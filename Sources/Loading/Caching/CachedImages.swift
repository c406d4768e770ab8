import VitrineGraphics

/// The images of a memory cache by identity and size, together with their order of eviction (`UseOrder`).
///
/// Each image has an index into arrays instead of a list node of its own. A cache hit therefore counts no references to
/// nodes, and releasing the cache does not run a chain of a hundred thousand `deinit`s.
struct CachedImages {
  /// The part of an image's entry that a cache hit reads: 32 bytes, so that most entries lie in one cache line of the
  /// processor.
  private struct Entry {
    var image: Image?
    /// The address of the request's identity if this is the smallest variant of a plain identity; otherwise nil.
    /// `Details.identity` keeps the object at the address alive.
    var smallestOf: ObjectIdentifier?
    /// The target that the image was decoded for; nil for the whole image.
    var target: DecodeTarget?
    /// True if the image was decoded with a value for `DecodeLimits.scaleDownBytes`.
    var mayBeScaledDown = false
    /// The index of the next larger variant of this identity; negative if there is none.
    var larger: Int32 = -1
  }

  /// The rest of an entry.
  private struct Details {
    var identity: ImageIdentity?
    /// The `DecodeLimits.scaleDownBytes` that the image was decoded with.
    var scaleDownBytes: Int?
    var hash = 0
    /// The time of the insert in nanoseconds.
    var time: Int64 = 0
  }

  /// All entries. The indices of entries without an image are in `free`.
  private var entries: [Entry] = []
  /// The details of each entry, at the same index.
  private var details: [Details] = []
  private var free: [Int] = []
  /// The index of the smallest variant of each identity.
  private var smallest = HashIndex()
  private var purged = PurgedMarks()
  private var order = UseOrder()

  /// The sum of the costs of all images in bytes.
  var cost: Int { order.cost }
  var count: Int { order.count }

  /// Limits the protected segment of the order of eviction to four fifths of `cost` bytes and of `count` images, but
  /// not to less than one image.
  mutating func protect(cost: Int, count: Int) {
    let fraction = UseOrder.protectedFraction
    order.protectedCostLimit = cost / fraction.denominator * fraction.numerator
    order.protectedCountLimit = max(1, count / fraction.denominator * fraction.numerator)
  }

  // MARK: Lookup

  /// Returns the index of the smallest variant that serves `target`, or of the largest variant if `target` is nil; -1
  /// if there is none. O(variants).
  func index(of identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil) -> Int {
    variant(from: smallestIndex(identity, identity.lookupHash), target, scaleDownBytes)
  }

  /// Returns the index of a variant like `index(of:at:scaleDownBytes:)`, of the image with a plain identity at `address`;
  /// -1 also if the smallest variant is not at the guessed index. Nearly all memory hits read only the entry at this
  /// index, and no hash table.
  @inline(__always)
  func index(guessed index: Int, of address: ObjectIdentifier, at target: DecodeTarget?) -> Int {
    guard index < entries.count, entries[index].smallestOf == address else { return -1 }
    return variant(from: index, target, nil)
  }

  /// Returns the first of the variant at `index` and all larger ones that serves `target`, or the largest variant if
  /// `target` is nil; -1 if there is none.
  @inline(__always)
  private func variant(from index: Int, _ target: DecodeTarget?, _ scaleDownBytes: Int?) -> Int {
    var index = index
    while index >= 0 {
      let larger = Int(entries[index].larger)
      if let target {
        if serves(index, target, scaleDownBytes) { return index }
      } else if larger < 0 {
        return index
      }
      index = larger
    }
    return -1
  }

  /// Returns the image at an index and marks the image as just used.
  @inline(__always)
  mutating func use(_ index: Int) -> Image? {
    order.use(index)
    return entries[index].image
  }

  /// Returns the image at an index.
  func image(_ index: Int) -> Image? { entries[index].image }

  /// Returns the age of the image at an index in nanoseconds. A time of insertion in the future, which remains after
  /// the clock was set back, is replaced by `now`.
  mutating func age(_ index: Int, at now: Int64) -> Int64 {
    if details[index].time > now { details[index].time = now }
    return now - details[index].time
  }

  /// Returns the reason for a cache miss. O(1).
  func missReason(_ identity: ImageIdentity) -> TraceEvent.Miss {
    let hash = identity.lookupHash
    if smallestIndex(identity, hash) >= 0 { return .tooSmall }
    return purged.contains(hash) ? .purged : .absent
  }

  func forEach(_ body: (Image) -> Void) {
    for case let image? in entries.lazy.map(\.image) { body(image) }
  }

  // MARK: Changes

  /// Removes and returns the variants that `image` would replace: the variant of the same target, the variant of the
  /// same size in pixels, and all variants of another source size. O(variants).
  mutating func removeReplaced(
    by image: Image, as identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil
  ) -> [Image] {
    variants(identity).filter { isReplaced($0, by: image, at: target, scaleDownBytes) }.map { remove($0) }
  }

  /// Adds an image as the most recent one and returns the index of the image. O(variants).
  mutating func insert(
    _ image: Image, as identity: ImageIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil,
    _ now: Int64
  ) -> Int {
    let index = free.popLast() ?? addEntry()
    let hash = identity.lookupHash
    let pixels = image.pixelWidth * image.pixelHeight
    let variants = variants(identity)
    let smaller = variants.last { self.pixels($0) <= pixels }
    entries[index] = Entry(image: image, target: target, mayBeScaledDown: scaleDownBytes != nil)
    details[index] = Details(identity: identity, scaleDownBytes: scaleDownBytes, hash: hash, time: now)
    if let smaller {
      entries[index].larger = entries[smaller].larger
      entries[smaller].larger = Int32(index)
    } else if let next = variants.first {
      entries[index].larger = Int32(next)
      smallest.replace(next, with: index, hash: hash)
      setSmallest(next, false)
      setSmallest(index, true)
    } else {
      smallest.insert(index, hash: hash)
      setSmallest(index, true)
    }
    order.append(index, cost: image.cost)
    return index
  }

  /// Removes and returns all variants of an identity, and forgets that the identity was purged. O(variants).
  mutating func remove(_ identity: ImageIdentity) -> [Image] {
    purged.remove(identity.lookupHash)
    return variants(identity).map { remove($0) }
  }

  /// Removes and returns the image at an index, which must be in use. Does not mark the identity as purged.
  /// O(variants).
  mutating func remove(_ index: Int) -> Image {
    guard let image = entries[index].image, let identity = details[index].identity else {
      preconditionFailure("only entries in use are removed")
    }
    let (hash, larger) = (details[index].hash, Int(entries[index].larger))
    var smaller = smallestIndex(identity, hash)
    if smaller != index {
      while Int(entries[smaller].larger) != index { smaller = Int(entries[smaller].larger) }
      entries[smaller].larger = Int32(larger)
    } else if larger >= 0 {
      smallest.replace(index, with: larger, hash: hash)
      setSmallest(larger, true)
    } else {
      smallest.remove(index, hash: hash)
    }
    order.remove(index)
    entries[index] = Entry()
    details[index] = Details()
    free.append(index)
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
    var keptIndex: Int?
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
      guard cost > purge.cost || count > purge.count, let index = order.first(keeping: purge.keptIndex) else {
        return true
      }
      let isShown = entries[index].image?.isShown == true
      if isShown, purge.sparing > 0 {
        order.spare(index)
      } else if isShown, purge.keepsShown {
        return true
      } else {
        purged.insert(details[index].hash)
        removed.append(remove(index))
      }
      purge.sparing -= 1
    }
    return false
  }

  /// Removes and returns all images that are at least `age` nanoseconds old. O(n).
  mutating func removeAll(asOldAs age: Int64, at now: Int64) -> [Image] {
    var removed: [Image] = []
    for index in entries.indices where entries[index].image != nil && self.age(index, at: now) >= age {
      removed.append(remove(index))
    }
    return removed
  }

  // MARK: Variants

  private func smallestIndex(_ identity: ImageIdentity, _ hash: Int) -> Int {
    smallest.entry(hash) { details[$0].identity == identity }
  }

  /// Marks the variant at an index as the smallest of its identity, or not.
  private mutating func setSmallest(_ index: Int, _ isSmallest: Bool) {
    guard let identity = details[index].identity, identity.isPlain else { return }
    entries[index].smallestOf = isSmallest ? identity.request.address : nil
    if isSmallest { identity.request.setGuessedIndex(index) }
  }

  /// Returns the indices of all variants of an identity, smallest variant first.
  private func variants(_ identity: ImageIdentity) -> [Int] {
    var indices: [Int] = []
    var index = smallestIndex(identity, identity.lookupHash)
    while index >= 0 {
      indices.append(index)
      index = Int(entries[index].larger)
    }
    return indices
  }

  private mutating func addEntry() -> Int {
    entries.append(Entry())
    details.append(Details())
    return entries.count - 1
  }

  @inline(__always)
  private func serves(_ index: Int, _ target: DecodeTarget, _ scaleDownBytes: Int?) -> Bool {
    // An image that was scaled down to fewer bytes than this request allows may have too few pixels.
    let hasAllPixels = !entries[index].mayBeScaledDown || details[index].scaleDownBytes == scaleDownBytes
    let storedTarget = entries[index].target
    if hasAllPixels, storedTarget == nil || storedTarget == target { return true }
    return hasPixels(index, for: target)
  }

  private func hasPixels(_ index: Int, for target: DecodeTarget) -> Bool {
    entries[index].image.map { target.isSatisfied(by: $0) } ?? false
  }

  private func isReplaced(
    _ index: Int, by image: Image, at target: DecodeTarget?, _ scaleDownBytes: Int?
  ) -> Bool {
    guard let old = entries[index].image else { return false }
    let isSameSize = old.pixelWidth == image.pixelWidth && old.pixelHeight == image.pixelHeight
    let isOtherSource = old.sourceWidth != image.sourceWidth || old.sourceHeight != image.sourceHeight
    let isSameTarget = entries[index].target == target && details[index].scaleDownBytes == scaleDownBytes
    return isSameTarget || isSameSize || isOtherSource
  }

  private func pixels(_ index: Int) -> Int {
    entries[index].image.map { $0.pixelWidth * $0.pixelHeight } ?? 0
  }
}
