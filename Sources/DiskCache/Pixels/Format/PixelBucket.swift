import VitrineLoading

/// A bucket of the index: up to 127 entries in 4 KiB, the oldest entry first.
///
///     16  hash of everything from here to the end of the bucket
///     4   number of the bucket
///     4   number of entries
///     8   0
///         the entries
///
/// A bucket of zeros is empty: the index is a sparse file, in which buckets appear when they are first written.
struct PixelBucket: Hashable {
  /// The length of a bucket in bytes.
  static let length = 4096
  private static let headerLength = 32
  /// The maximum number of entries. A new entry replaces another one of a full bucket.
  static let capacity = (length - headerLength) / PixelEntry.length

  let number: Int
  private(set) var entries: [PixelEntry] = []

  /// Creates an empty bucket.
  init(_ number: Int) { self.number = number }

  /// Parses the bytes of a bucket, none for a bucket beyond the end of the file; nil if the bucket is damaged.
  init?(_ bytes: [UInt8], number: Int) {
    self.number = number
    guard !bytes.isEmpty else { return }
    guard bytes.count == Self.length else { return nil }
    let entries = bytes.withUnsafeBytes { bytes -> [PixelEntry]? in
      func word(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      }
      if bytes[..<Self.headerLength].allSatisfy({ $0 == 0 }) { return [] }
      let hash = ContentHash(UnsafeRawBufferPointer(rebasing: bytes[16...]))
      guard bytes[..<16].elementsEqual(Self.bytes(of: hash)), word(16) == UInt32(clamping: number),
        let count = Int(exactly: word(20)), count <= Self.capacity
      else { return nil }
      return (0..<count).map { index in
        let start = Self.headerLength + index * PixelEntry.length
        return PixelEntry(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + PixelEntry.length)]))
      }
    }
    guard let entries else { return nil }
    self.entries = entries
  }

  /// The bytes of the bucket.
  var bytes: [UInt8] {
    var content = ByteWriter()
    content.append(UInt32(clamping: number))
    content.append(UInt32(clamping: entries.count))
    content.append(UInt64(0))
    for entry in entries { entry.write(to: &content) }
    let unused = Self.length - 16 - content.bytes.count
    content.append(raw: [UInt8](repeating: 0, count: max(0, unused)))
    return Self.bytes(of: ContentHash(content.bytes)) + content.bytes
  }

  private static func bytes(of hash: ContentHash) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(hash)
    return writer.bytes
  }

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
