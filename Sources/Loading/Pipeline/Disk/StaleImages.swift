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
    /// The number of the stale image that this image replaces, and that may be in memory until then; `nil` if there is
    /// none.
    fileprivate(set) var replaced: UInt64?
  }

  private var entries: [ProcessedImageKey: Entry] = [:]
  /// The keys by image number.
  private var keys: [UInt64: ProcessedImageKey] = [:]
  private var nextWake: Int64?

  /// Adds an entry. Returns the time at which to call `due`, or `nil` if a call is scheduled already or the entry
  /// never ends.
  mutating func add(_ entry: Entry) -> Int64? {
    let key = ProcessedImageKey(entry.request, additionalIdentifier: entry.additionalIdentifier)
    var entry = entry
    if let old = entries[key], old.image != entry.image {
      if let older = old.replaced { keys[older] = nil }
      entry.replaced = old.image
    }
    entries[key] = entry
    keys[entry.image] = key
    guard nextWake == nil, entry.end < .max else { return nil }
    nextWake = entry.end
    return entry.end
  }

  var count: Int { entries.count }

  /// All entries, in the order of image numbers.
  var all: [Entry] { entries.values.sorted { $0.image < $1.image } }

  /// Returns the entries whose time has come, in the order of image numbers. To be followed by `remove` once the images
  /// are no longer in memory, and by `takeNextWake`.
  func due(at now: Int64) -> [Entry] { all.filter { $0.end <= now } }

  /// Removes entries, except entries that newer ones have replaced.
  mutating func remove(_ old: [Entry]) {
    for entry in old {
      guard let key = keys[entry.image] else { continue }
      if entries[key]?.image == entry.image { removeEntry(for: key) }
    }
  }

  /// Returns the time of the next call of `due`, or `nil` if no entry ends.
  mutating func takeNextWake() -> Int64? {
    nextWake = entries.values.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return nextWake
  }

  private mutating func removeEntry(for key: ProcessedImageKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    keys[entry.image] = nil
    if let replaced = entry.replaced { keys[replaced] = nil }
  }

  /// Returns the age of an image and the reason why the image may be out of date, or `nil` if the image is not stale.
  func staleness(of image: UInt64, at now: Int64) -> Staleness? {
    keys[image].flatMap { entries[$0] }.map { entry in
      let seconds = Double(max(0, now.subtractingReportingOverflow(entry.noted).partialValue)) / 1e9
      return Staleness(age: entry.age + seconds, reason: entry.reason)
    }
  }

  // MARK: Responses of servers

  /// Returns the number of the stale image that was made for a key from a stored response with this head; `nil` if there
  /// is none.
  func image(_ key: ProcessedImageKey, madeFrom response: TransportResponse) -> UInt64? {
    entries[key].flatMap { $0.response == response ? $0.image : nil }
  }

  /// Notes that the server has confirmed an image, which is no longer stale and stays in memory.
  mutating func confirm(_ image: UInt64) {
    guard let key = keys[image], entries[key]?.image == image else { return }
    removeEntry(for: key)
  }

  /// Notes that the server could not be asked about an image.
  mutating func fail(_ image: UInt64, because reason: ImageError) {
    if let key = keys[image] { entries[key]?.reason = reason }
  }

  /// Notes that the server could not be asked about the image for a key.
  mutating func fail(_ key: ProcessedImageKey, because reason: ImageError) { entries[key]?.reason = reason }
}
