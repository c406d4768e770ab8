import VitrineGraphics

/// Pictures in memory that may have changed, as their servers could not be asked: they go from there after a while, so
/// that the next one who wants them asks again. Decides only.
struct StalePictures {
  struct Entry {
    let image: UInt64
    let request: ImageRequest
    let additionalIdentifier: String?
    /// Nanoseconds.
    let end: Int64
  }

  private var entries: [Entry] = []
  private var nextWake: Int64?

  /// When `takeDue` is to be called, unless that is known already.
  mutating func add(_ entry: Entry) -> Int64? {
    entries.append(entry)
    guard nextWake == nil, entry.end < .max else { return nil }
    nextWake = entry.end
    return entry.end
  }

  /// Those whose time is over, and when to call again.
  mutating func takeDue(at now: Int64) -> (due: [Entry], next: Int64?) {
    let due = entries.filter { $0.end <= now }
    entries.removeAll { $0.end <= now }
    nextWake = entries.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return (due, nextWake)
  }

  mutating func takeAll() -> [Entry] {
    defer { entries = [] }
    return entries
  }
}
