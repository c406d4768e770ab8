import VitrineConcurrency
import VitrineGraphics

/// The stale images in memory, which may have changed because the servers could not be asked. An image is removed after
/// a while, so that the next request asks the server again. There is one entry for each image in a cache, however often
/// the image is stored. Makes decisions only. Times are in nanoseconds.
struct StaleImages {
  struct Entry {
    let image: UInt64
    let request: ImageRequest
    let additionalIdentifier: String?
    /// The time at which the image is removed from memory.
    let end: Int64
    /// The reason for the failed update; `nil` while the server is being asked.
    var reason: ImageError?
    /// The number of seconds since the response was last known to be valid, at the time `noted`.
    var age = 0.0
    /// The time of the entry.
    var noted: Int64 = 0
    /// The head of the stored response that the image was made from; `nil` if unknown.
    var response: TransportResponse?
  }

  private var entries: [ProcessedImageKey: Entry] = [:]
  /// The keys by image number.
  private var keys: [UInt64: ProcessedImageKey] = [:]
  private var nextWake: Int64?

  /// Adds an entry. Returns the time at which to call `takeDue`, or `nil` if a call is scheduled already or the entry
  /// never ends.
  mutating func add(_ entry: Entry) -> Int64? {
    let key = ProcessedImageKey(entry.request, additionalIdentifier: entry.additionalIdentifier)
    if let old = entries.updateValue(entry, forKey: key) { keys[old.image] = nil }
    keys[entry.image] = key
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
      keys[entry.image] = nil
    }
    nextWake = entries.values.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return (due.values.sorted { $0.image < $1.image }, nextWake)
  }

  var count: Int { entries.count }

  /// Returns the age of an image and the reason why the image may be out of date, or `nil` if the image is not stale.
  func staleness(of image: UInt64, at now: Int64) -> Staleness? {
    keys[image].flatMap { entries[$0] }.map { entry in
      let seconds = Double(max(0, now.subtractingReportingOverflow(entry.noted).partialValue)) / 1e9
      return Staleness(age: entry.age + seconds, reason: entry.reason)
    }
  }

  mutating func takeAll() -> [Entry] {
    defer {
      entries = [:]
      keys = [:]
    }
    return entries.values.sorted { $0.image < $1.image }
  }

  // MARK: Responses of servers

  /// Returns the number of the stale image that was made for a key from a stored response with this head; `nil` if there
  /// is none.
  func image(_ key: ProcessedImageKey, madeFrom response: TransportResponse) -> UInt64? {
    entries[key].flatMap { $0.response == response ? $0.image : nil }
  }

  /// Notes that the server has confirmed an image, which is no longer stale and stays in memory.
  mutating func confirm(_ image: UInt64) {
    guard let key = keys.removeValue(forKey: image) else { return }
    entries[key] = nil
  }

  /// Notes that the server could not be asked about an image.
  mutating func fail(_ image: UInt64, because reason: ImageError) {
    if let key = keys[image] { entries[key]?.reason = reason }
  }

  /// Notes that the server could not be asked about the image for a key.
  mutating func fail(_ key: ProcessedImageKey, because reason: ImageError) { entries[key]?.reason = reason }
}
