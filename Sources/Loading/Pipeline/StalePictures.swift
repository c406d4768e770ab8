import VitrineGraphics

/// Pictures in memory that may have changed, as their servers could not be asked: they go from there after a while, so
/// that the next one who wants them asks again. One entry a place in a cache, however often it is filled. Decides only.
struct StalePictures {
  struct Entry {
    let image: UInt64
    let request: ImageRequest
    let additionalIdentifier: String?
    /// Nanoseconds.
    let end: Int64
    /// The reason for the failed update; nil while the server is being asked.
    var reason: ImageError?
  }

  private var entries: [PictureKey: Entry] = [:]
  /// The reasons by image number.
  private var reasons: [UInt64: Staleness] = [:]
  private var nextWake: Int64?

  /// When `takeDue` is to be called, unless that is known already.
  mutating func add(_ entry: Entry) -> Int64? {
    let key = PictureKey(entry.request, additionalIdentifier: entry.additionalIdentifier)
    if let old = entries.updateValue(entry, forKey: key) { reasons[old.image] = nil }
    reasons[entry.image] = Staleness(reason: entry.reason)
    guard nextWake == nil, entry.end < .max else { return nil }
    nextWake = entry.end
    return entry.end
  }

  /// Those whose time is over, and when to call again.
  mutating func takeDue(at now: Int64) -> (due: [Entry], next: Int64?) {
    let due = entries.filter { $0.value.end <= now }
    for (key, entry) in due {
      entries[key] = nil
      reasons[entry.image] = nil
    }
    nextWake = entries.values.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return (due.values.sorted { $0.image < $1.image }, nextWake)
  }

  var count: Int { entries.count }

  /// Returns nil for an image that is not stale.
  func staleness(of image: UInt64) -> Staleness? { reasons[image] }

  mutating func takeAll() -> [Entry] {
    defer {
      entries = [:]
      reasons = [:]
    }
    return entries.values.sorted { $0.image < $1.image }
  }
}
