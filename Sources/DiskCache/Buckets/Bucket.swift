/// A bucket of a hash table on disk: entries in 4 KiB, the oldest entry first.
///
///     16  hash of everything from here to the end of the bucket
///     4   number of the bucket
///     4   number of entries
///     8   0
///         the entries
///
/// A bucket of zeros is empty: the table is a sparse file, in which buckets appear when they are first written.
protocol Bucket: Sendable {
  associatedtype Entry

  /// The name of the file, and eight magic bytes at its beginning, with the version of the format.
  static var fileName: String { get }
  static var magic: [UInt8] { get }

  var number: Int { get }
  var entries: [Entry] { get }

  init(number: Int, entries: [Entry])

  /// Parses `count` entries; nil if they are malformed.
  static func parse(_ bytes: ArraySlice<UInt8>, count: Int) -> [Entry]?
  static func write(_ entry: Entry, to writer: inout ByteWriter)
}

extension Bucket {
  /// The length of a bucket in bytes.
  static var length: Int { 4096 }
  static var headerLength: Int { 32 }

  /// Creates an empty bucket.
  init(_ number: Int) { self.init(number: number, entries: []) }

  /// Parses the bytes of a bucket, none for a bucket beyond the end of the file; nil if the bucket is damaged.
  init?(_ bytes: [UInt8], number: Int) {
    guard let count = Self.entryCount(bytes, number: number),
      let entries = count == 0 ? [] : Self.parse(bytes[Self.headerLength...], count: count)
    else { return nil }
    self.init(number: number, entries: entries)
  }

  /// Verifies a bucket and returns the number of entries; nil if the bucket is damaged.
  private static func entryCount(_ bytes: [UInt8], number: Int) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    guard bytes.count == length else { return nil }
    if bytes[..<headerLength].allSatisfy({ $0 == 0 }) { return 0 }
    var reader = ByteReader(bytes[...])
    let hash = bytes.withUnsafeBytes { ContentHash(UnsafeRawBufferPointer(rebasing: $0[16...])) }
    guard reader.hash() == hash, reader.number(UInt32.self) == UInt32(clamping: number) else { return nil }
    return reader.number(UInt32.self).flatMap { Int(exactly: $0) }
  }

  /// The bytes of the bucket.
  var bytes: [UInt8] {
    var content = ByteWriter()
    content.append(UInt32(clamping: number))
    content.append(UInt32(clamping: entries.count))
    content.append(UInt64(0))
    for entry in entries { Self.write(entry, to: &content) }
    let unused = Self.length - 16 - content.bytes.count
    content.append(raw: [UInt8](repeating: 0, count: max(0, unused)))
    var bucket = ByteWriter()
    bucket.append(ContentHash(content.bytes))
    bucket.append(raw: content.bytes)
    return bucket.bytes
  }
}

extension ContentHash {
  /// Returns the number of the bucket for this hash among `count` buckets, a power of two.
  func bucket(among count: Int) -> Int { Int(high & UInt64(max(1, count) - 1)) }
}
