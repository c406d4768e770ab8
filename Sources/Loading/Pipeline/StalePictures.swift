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
  }

  private var entries: [PictureKey: Entry] = [:]
  private var nextWake: Int64?

  /// When `takeDue` is to be called, unless that is known already.
  mutating func add(_ entry: Entry) -> Int64? {
    entries[PictureKey(entry.request, additionalIdentifier: entry.additionalIdentifier)] = entry
    guard nextWake == nil, entry.end < .max else { return nil }
    nextWake = entry.end
    return entry.end
  }

  /// Those whose time is over, and when to call again.
  mutating func takeDue(at now: Int64) -> (due: [Entry], next: Int64?) {
    let due = entries.filter { $0.value.end <= now }
    for key in due.keys { entries[key] = nil }
    nextWake = entries.values.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return (due.values.sorted { $0.image < $1.image }, nextWake)
  }

  mutating func takeAll() -> [Entry] {
    defer { entries = [:] }
    return entries.values.sorted { $0.image < $1.image }
  }
}
