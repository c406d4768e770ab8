import VitrineLoading

/// The record that a response of a lower layer was removed: the response stays hidden, and so do older versions. A
/// newer version, for example in a newer seed, is shown again.
struct Tombstone: Hashable {
  /// The time in milliseconds since 1970 at which the newest removed version had arrived.
  let received: Int64

  init(received: Int64) { self.received = received }

  /// Creates the tombstone of a response.
  init(of response: StoredResponse) { received = Self.milliseconds(response.received) }

  func hides(_ response: StoredResponse) -> Bool { Self.milliseconds(response.received) <= received }

  /// Returns the later of two tombstones, which hides what both hide.
  static func later(_ one: Tombstone?, _ other: Tombstone?) -> Tombstone? {
    guard let one, let other else { return one ?? other }
    return one.received >= other.received ? one : other
  }

  private static func milliseconds(_ seconds: Double) -> Int64 {
    let scaled = (seconds * 1000).rounded()
    return scaled.isNaN || scaled >= 0x1p62 ? 1 << 62 : scaled <= -0x1p62 ? -(1 << 62) : Int64(scaled)
  }

  // MARK: Format

  private static let magic = Array("vitrgone".utf8)

  /// The bytes of a file: magic, hash, key, time. `key` is the key of the response, or empty for all responses.
  func bytes(key: [UInt8]) -> [UInt8] {
    var content = ByteWriter()
    content.append(key)
    content.append(received)
    var file = ByteWriter()
    file.append(raw: Self.magic)
    file.append(ContentHash(content.bytes))
    file.append(raw: content.bytes)
    return file.bytes
  }

  /// The maximum length of a file in bytes.
  static let maximumBytes = 256

  /// Parses the bytes of a file; nil if the file is damaged or belongs to another key.
  init?(_ bytes: [UInt8], key: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard reader.bytes(Self.magic.count).map({ Array($0) == Self.magic }) == true, let hash = reader.hash(),
      ContentHash(Array(bytes[24...])) == hash, reader.lengthPrefixedBytes() == key[...],
      let received = reader.number(Int64.self), reader.isAtEnd
    else { return nil }
    self.received = received
  }
}
