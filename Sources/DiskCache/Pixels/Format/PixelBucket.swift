import VitrineLoading

/// A bucket of the index: up to 127 entries.
struct PixelBucket: Bucket, Hashable {
  static let fileName = "index"
  static let magic = Array("vitidx01".utf8)
  /// The maximum number of entries. A new entry replaces another one of a full bucket.
  static let capacity = (length - headerLength) / PixelEntry.length

  let number: Int
  private(set) var entries: [PixelEntry]

  init(number: Int, entries: [PixelEntry]) {
    self.number = number
    self.entries = entries
  }

  static func parse(_ bytes: ArraySlice<UInt8>, count: Int) -> [PixelEntry]? {
    guard count <= capacity, bytes.count >= count * PixelEntry.length else { return nil }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map { index in
        let start = index * PixelEntry.length
        return PixelEntry(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + PixelEntry.length)]))
      }
    }
  }

  static func write(_ entry: PixelEntry, to writer: inout ByteWriter) { entry.write(to: &writer) }

  // MARK: Entries

  /// Returns the entry of pixels that were made from a body.
  func entry(of name: PixelName, _ body: BodyDigest) -> PixelEntry? {
    let (keyTag, identityTag, bodyTag) = (name.keyTag, name.identityTag, PixelName.bodyTag(of: body))
    return entries.last { $0.keyTag == keyTag && $0.identityTag == identityTag && $0.bodyTag == bodyTag }
  }

  /// Returns the entry with the most pixels, at most `maximumCount`, among those of the same image in other sizes.
  func largestEntry(of name: PixelName, _ body: BodyDigest, maximumCount: Int) -> PixelEntry? {
    let (identityTag, bodyTag) = (name.identityTag, PixelName.bodyTag(of: body))
    let familyTag = PixelName.familyTag(of: name.keyTag)
    guard maximumCount > 0 else { return nil }
    let limit = PixelEntry.pixelBytes(width: maximumCount, height: 1) ?? .max
    return entries.filter {
      $0.identityTag == identityTag && $0.bodyTag == bodyTag && $0.keyTag != name.keyTag
        && PixelName.familyTag(of: $0.keyTag) == familyTag && $0.pixelBytes.map { $0 <= limit } == true
    }
    .max { $0.pixelBytes ?? 0 < $1.pixelBytes ?? 0 }
  }

  /// Returns true if a new entry replaces one of another key.
  func isFull(for name: PixelName) -> Bool {
    entries.count >= Self.capacity
      && !entries.contains { $0.keyTag == name.keyTag && $0.identityTag == name.identityTag }
  }

  /// Adds an entry as the newest. Returns the entries that had to go: entries of the same key, and in a full bucket
  /// `victim`, or the oldest entry if there is no such entry.
  mutating func insert(_ new: PixelEntry, replacing victim: PixelEntry? = nil) -> [PixelEntry] {
    var replaced = remove { $0.keyTag == new.keyTag && $0.identityTag == new.identityTag }
    if let victim, entries.count >= Self.capacity { replaced += remove { $0 == victim } }
    while entries.count >= Self.capacity { replaced.append(entries.removeFirst()) }
    entries.append(new)
    return replaced
  }

  /// Removes entries and returns them.
  mutating func remove(where isRemoved: (PixelEntry) -> Bool) -> [PixelEntry] {
    let removed = entries.filter(isRemoved)
    entries.removeAll(where: isRemoved)
    return removed
  }
}
