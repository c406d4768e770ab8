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
    /// The number of the stale image that is in memory until this image is inserted; `nil` if there is none.
    fileprivate(set) var replaced: UInt64?
    /// Distinguishes the entry from earlier ones of the same image.
    fileprivate(set) var serial: UInt64 = 0

    fileprivate var key: ProcessedImageKey {
      ProcessedImageKey(request, additionalIdentifier: additionalIdentifier)
    }
  }

  private var entries: [ProcessedImageKey: Entry] = [:]
  /// The keys by image number. Requests that differ only in their additional identifiers share an image.
  private var keys: [UInt64: Set<ProcessedImageKey>] = [:]
  private var nextWake: Int64?
  private var lastSerial: UInt64 = 0

  /// Adds an entry. Returns the time at which to call `due`, or `nil` if a call is scheduled already or the entry
  /// never ends.
  mutating func add(_ entry: Entry) -> Int64? {
    let key = entry.key
    var entry = entry
    lastSerial += 1
    entry.serial = lastSerial
    if let old = entries[key] {
      if old.image != entry.image { entry.replaced = old.image }
      if let older = old.replaced, older != entry.image { removeKey(key, of: older) }
    }
    entries[key] = entry
    keys[entry.image, default: []].insert(key)
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
    for entry in old where entries[entry.key]?.serial == entry.serial { removeEntry(for: entry.key) }
  }

  /// Returns the time of the next call of `due`, or `nil` if no entry ends.
  mutating func takeNextWake() -> Int64? {
    nextWake = entries.values.map(\.end).min().flatMap { $0 < .max ? $0 : nil }
    return nextWake
  }

  private mutating func removeEntry(for key: ProcessedImageKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    removeKey(key, of: entry.image)
    if let replaced = entry.replaced { removeKey(key, of: replaced) }
  }

  private mutating func removeKey(_ key: ProcessedImageKey, of image: UInt64) {
    keys[image]?.remove(key)
    if keys[image]?.isEmpty == true { keys[image] = nil }
  }

  /// Returns the age of an image and the reason why the image may be out of date, or `nil` if the image is not stale.
  func staleness(of image: UInt64, at now: Int64) -> Staleness? {
    keys[image]?.compactMap { entries[$0] }.max { $0.noted < $1.noted }.map { entry in
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
    for key in keys[image] ?? [] {
      if entries[key]?.image == image {
        removeEntry(for: key)
      } else {
        entries[key]?.replaced = nil
        removeKey(key, of: image)
      }
    }
  }

  /// Notes that the server could not be asked about an image.
  mutating func fail(_ image: UInt64, because reason: ImageError) {
    for key in keys[image] ?? [] { entries[key]?.reason = reason }
  }

  /// Notes that the server could not be asked about the image for a key.
  mutating func fail(_ key: ProcessedImageKey, because reason: ImageError) { entries[key]?.reason = reason }
}
