/// Writes little-endian numbers, and texts and byte arrays preceded by a length of four bytes.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ hash: ContentHash) {
    append(hash.high)
    append(hash.low)
  }

  mutating func append(_ newBytes: [UInt8]) {
    append(UInt32(clamping: newBytes.count))
    bytes.append(contentsOf: newBytes)
  }

  mutating func append(_ text: String) { append(Array(text.utf8)) }

  mutating func append(raw newBytes: [UInt8]) { bytes.append(contentsOf: newBytes) }
}

/// Reads what a `ByteWriter` has written. Each method returns nil if too few bytes are left.
struct ByteReader {
  private let all: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    all = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == all.endIndex }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type = Number.self
  ) -> Number? {
    bytes(MemoryLayout<Number>.size).map { bytes in
      Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
    }
  }

  mutating func hash() -> ContentHash? {
    guard let high = number(UInt64.self), let low = number(UInt64.self) else { return nil }
    return ContentHash(high: high, low: low)
  }

  mutating func lengthPrefixedBytes() -> ArraySlice<UInt8>? {
    guard let count = number(UInt32.self).flatMap({ Int(exactly: $0) }) else { return nil }
    return bytes(count)
  }

  mutating func text() -> String? { lengthPrefixedBytes().flatMap { String(utf8: $0) } }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= all.endIndex - position else { return nil }
    defer { position += count }
    return all[position..<position + count]
  }
}

extension String {
  /// Creates a text; nil if the bytes are not UTF-8. Faster than `String(validating:as:)`, which decodes characters one
  /// by one unless the compiler knows the collection.
  init?(utf8 bytes: ArraySlice<UInt8>) {
    guard let text = try? UTF8Span(validating: bytes.span) else { return nil }
    self.init(copying: text)
  }
}
