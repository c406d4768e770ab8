/// A part of an archive, with a hash of its own, so that damage affects no other part:
///
///     8   magic bytes with the version of the format, `vitrarc1`
///     4   kind
///     4   length of the payload, at most 64 KiB and a few bytes
///     16  hash of kind, length and payload
///         the payload
///
/// Numbers are little-endian. An archive begins with a `start` block and ends with an `end` block. Each response is a
/// `file` block followed by `part` blocks, which contain the file of the response as it is in the cache folder. The key
/// of the folder is not part of an archive.
struct ArchiveBlock: Hashable {
  enum Kind: UInt32 {
    /// The fingerprint of the folder's key, and the number of responses.
    case start = 1
    /// The name, length and times of a response file.
    case file
    /// The position in the response file, and bytes of the file.
    case part
    /// The number of responses that were written.
    case end
  }

  let kind: Kind
  let payload: [UInt8]

  static let magic = Array("vitrarc1".utf8)
  /// The number of bytes before the payload.
  static let headerLength = 32
  /// The maximum number of bytes of a file in one block.
  static let partBytes = 64 << 10
  static let maximumPayloadBytes = partBytes + 64

  /// The bytes of the block.
  var bytes: [UInt8] {
    var content = ByteWriter()
    content.append(kind.rawValue)
    content.append(UInt32(clamping: payload.count))
    content.append(raw: payload)
    var block = ByteWriter()
    block.append(raw: Self.magic)
    block.append(raw: Array(content.bytes[..<8]))
    block.append(ContentHash(content.bytes))
    block.append(raw: payload)
    return block.bytes
  }

  /// Returns the length of the payload of the block that begins with these bytes; nil if no block begins there.
  static func payloadLength(_ header: ArraySlice<UInt8>) -> Int? {
    var reader = ByteReader(header)
    guard reader.bytes(magic.count).map({ Array($0) == magic }) == true,
      reader.number(UInt32.self).flatMap({ Kind(rawValue: $0) }) != nil,
      let length = reader.number(UInt32.self).flatMap({ Int(exactly: $0) }), length <= maximumPayloadBytes
    else { return nil }
    return length
  }

  /// Parses the bytes of a whole block; nil if the block is damaged.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    guard reader.bytes(Self.magic.count).map({ Array($0) == Self.magic }) == true,
      let numbers = reader.bytes(8), let hash = reader.hash(),
      let payload = reader.bytes(bytes.count - Self.headerLength),
      ContentHash(Array(numbers) + Array(payload)) == hash
    else { return nil }
    var header = ByteReader(numbers)
    guard let kind = header.number(UInt32.self).flatMap({ Kind(rawValue: $0) }),
      header.number(UInt32.self).flatMap({ Int(exactly: $0) }) == payload.count
    else { return nil }
    self.init(kind: kind, payload: Array(payload))
  }

  init(kind: Kind, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }
}

// MARK: Contents

extension ArchiveBlock {
  /// The contents of a `start` block.
  struct Start: Hashable {
    /// The fingerprint of the folder's key; empty if the folder has no key.
    var fingerprint: [UInt8]
    var count: Int
  }

  /// The contents of a `file` block.
  struct File: Hashable {
    var name: ContentHash
    var length: Int
    /// The times of the file in seconds since 1970.
    var stored, used: Int64
  }

  static func start(_ start: Start) -> ArchiveBlock {
    var payload = ByteWriter()
    payload.append(start.fingerprint)
    payload.append(UInt64(clamping: start.count))
    return ArchiveBlock(kind: .start, payload: payload.bytes)
  }

  static func file(_ file: File) -> ArchiveBlock {
    var payload = ByteWriter()
    payload.append(file.name)
    payload.append(UInt64(clamping: file.length))
    payload.append(file.stored)
    payload.append(file.used)
    return ArchiveBlock(kind: .file, payload: payload.bytes)
  }

  static func part(at offset: Int, _ bytes: [UInt8]) -> ArchiveBlock {
    var payload = ByteWriter()
    payload.append(UInt64(clamping: offset))
    payload.append(raw: bytes)
    return ArchiveBlock(kind: .part, payload: payload.bytes)
  }

  static func end(count: Int) -> ArchiveBlock {
    var payload = ByteWriter()
    payload.append(UInt64(clamping: count))
    return ArchiveBlock(kind: .end, payload: payload.bytes)
  }

  /// The contents of a `start` block; nil for another kind.
  var start: Start? {
    var reader = ByteReader(payload[...])
    guard kind == .start, let fingerprint = reader.lengthPrefixedBytes(),
      let count = reader.number(UInt64.self).map({ Int(clamping: $0) }), reader.isAtEnd
    else { return nil }
    return Start(fingerprint: Array(fingerprint), count: count)
  }

  /// The contents of a `file` block; nil for another kind, and for a file that no cache has written.
  var file: File? {
    var reader = ByteReader(payload[...])
    guard kind == .file, let name = reader.hash(),
      let length = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }),
      let stored = reader.number(Int64.self), let used = reader.number(Int64.self), reader.isAtEnd,
      length <= ResponseFile.maximumFileBytes
    else { return nil }
    return File(name: name, length: length, stored: stored, used: used)
  }

  /// The number of responses that an `end` block states; nil for another kind.
  var end: Int? {
    var reader = ByteReader(payload[...])
    guard kind == .end, let count = reader.number(UInt64.self), reader.isAtEnd else { return nil }
    return Int(clamping: count)
  }

  /// The bytes of a `part` block if they belong to this position of a file; nil otherwise.
  func part(at offset: Int) -> ArraySlice<UInt8>? {
    var reader = ByteReader(payload[...])
    guard kind == .part, let position = reader.number(UInt64.self), position == UInt64(clamping: offset),
      let bytes = reader.bytes(payload.count - 8), !bytes.isEmpty
    else { return nil }
    return bytes
  }
}

extension ResponseFile {
  /// The maximum length of a file in bytes.
  static let maximumFileBytes = fixedLength + maximumHeadBytes + maximumBodyBytes + 2 * maximumNotesBytes
}
