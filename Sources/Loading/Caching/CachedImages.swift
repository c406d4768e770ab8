import VitrineGraphics

/// Images by identity and size, in the order of their last use.
///
/// A place is an index into arrays of one length, rather than an object: no counting of references on a hit, and
/// no chain of a hundred thousand `deinit`s. Who was used when is in `UseOrder`.
struct CachedImages {
  /// What a hit looks at comes first, in one line of the processor's cache.
  private struct Entry {
    var image: Image?
    var identity: PictureIdentity?
    /// What it was decoded for; nil for the whole picture.
    var target: DecodeTarget?
    /// The `DecodeLimits.scaleDownBytes` that the image was decoded with.
    var scaleDownBytes: Int?
    /// The next larger variant of the same identity, below 0 for none.
    var larger: Int32 = -1
    var hash = 0
    /// When it came in, in nanoseconds.
    var time: Int64 = 0
  }

  /// Places without an image are in `free`.
  private var entries: [Entry] = []
  private var free: [Int] = []
  /// Place of the smallest variant of each identity.
  private var smallest = PlaceIndex()
  private var purged = PurgedMarks()
  private var order = UseOrder()

  /// Sum of the costs.
  var cost: Int { order.cost }
  var count: Int { order.count }

  /// Bounds what is kept although it was used longer ago than something else.
  mutating func protect(cost: Int, count: Int) {
    let share = UseOrder.protectedShare
    order.protectedCostLimit = cost / share.denominator * share.numerator
    order.protectedCountLimit = max(1, count / share.denominator * share.numerator)
  }

  // MARK: Finding

  /// The place of the largest variant, or of the smallest that serves `target`; below 0 where there is none.
  /// O(variants).
  func place(_ identity: PictureIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil) -> Int {
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

  /// The image of a place, which counts as a use of it.
  mutating func use(_ place: Int) -> Image? {
    order.use(place)
    return entries[place].image
  }

  /// When the image of a place came in. A time that has not come yet, as the clock was set back, becomes `now`.
  mutating func age(_ place: Int, at now: Int64) -> Int64 {
    if entries[place].time > now { entries[place].time = now }
    return now - entries[place].time
  }

  /// Why nothing is found. O(1).
  func missReason(_ identity: PictureIdentity) -> TraceEvent.Miss {
    let hash = identity.placeHash
    if smallestPlace(identity, hash) >= 0 { return .tooSmall }
    return purged.contains(hash) ? .purged : .absent
  }

  func forEach(_ body: (Image) -> Void) {
    for case let image? in entries.lazy.map(\.image) { body(image) }
  }

  // MARK: Changing

  /// Takes out what `image` would replace, if it were kept. O(variants).
  mutating func makeWay(
    for image: Image, as identity: PictureIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil
  ) -> [Image] {
    variants(identity).filter { isReplaced($0, by: image, at: target, scaleDownBytes) }.map { remove($0) }
  }

  /// Keeps an image as the newest, and returns its place. O(variants).
  mutating func insert(
    _ image: Image, as identity: PictureIdentity, at target: DecodeTarget?, scaleDownBytes: Int? = nil,
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

  /// Removes all variants, as if they had never been there. O(variants).
  mutating func remove(_ identity: PictureIdentity) -> [Image] {
    purged.remove(identity.placeHash)
    return variants(identity).map { remove($0) }
  }

  /// Removes the image of a place, as if it had never been there.
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

  /// How far a purge has come that is made in several parts.
  struct Purge {
    /// What may be left.
    var cost: Int
    var count = Int.max
    /// What came in last, and goes last; nil for nothing of the kind.
    var kept: Int?
    /// How many images are still to be looked at for the first time: those that are being shown are passed over then.
    var sparing: Int
    /// Whether those stay, however much that is.
    var keepsShown = false
  }

  /// Looks at `limit` images at most, the first that are to go, and removes them; whether that was all there is to do.
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

  /// Removes the images that are `age` nanoseconds old. O(n).
  mutating func removeAll(asOldAs age: Int64, at now: Int64) -> [Image] {
    var removed: [Image] = []
    for place in entries.indices where entries[place].image != nil && self.age(place, at: now) >= age {
      removed.append(remove(place))
    }
    return removed
  }

  // MARK: Variants

  private func smallestPlace(_ identity: PictureIdentity, _ hash: Int) -> Int {
    smallest.place(hash) { entries[$0].identity == identity }
  }

  /// Places of the variants of an identity, the smallest first.
  private func variants(_ identity: PictureIdentity) -> [Int] {
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
