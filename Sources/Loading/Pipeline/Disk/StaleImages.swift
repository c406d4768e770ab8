import VitrineGraphics

/// The stale images in memory, which may have changed because the servers could not be asked. An image is removed after
/// a while, so that the next request asks the server again. There is one entry for each image in a cache, however often
/// the image is stored. Makes decisions only.
struct StaleImages {
  struct Entry {
    let image: UInt64
    let request: ImageRequest
    let additionalIdentifier: String?
    /// The time at which the image is removed from memory, in nanoseconds.
    let end: Int64
    /// The reason for the failed update; `nil` while the server is being asked.
    var reason: ImageError?
  }

  private var entries: [ProcessedImageKey: Entry] = [:]
  /// The reasons by image number.
  private var reasons: [UInt64: Staleness] = [:]
  private var nextWake: Int64?

  /// Adds an entry. Returns the time at which to call `takeDue`, or `nil` if a call is scheduled already or the entry
  /// never ends.
  mutating func add(_ entry: Entry) -> Int64? {
    let key = ProcessedImageKey(entry.request, additionalIdentifier: entry.additionalIdentifier)
    if let old = entries.updateValue(entry, forKey: key) { reasons[old.image] = nil }
    reasons[entry.image] = Staleness(reason: entry.reason)
    guard nextWake == nil, entry.end < .max else { return nil }
    nextWake = entry.end
    return entry.end
  }

  /// Removes and returns the entries whose time has come, in the order of image numbers, and returns the time of the
  /// next call.
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

  /// Returns the reason why an image may be out of date, or `nil` if the image is not stale.
  func staleness(of image: UInt64) -> Staleness? { reasons[image] }

  mutating func takeAll() -> [Entry] {
    defer {
      entries = [:]
      reasons = [:]
    }
    return entries.values.sorted { $0.image < $1.image }
  }
}
