/// The header of a file of buckets.
///
///     8   magic bytes with the version of the format
///     16  hash of everything from here to the end of the header
///     4   byte order of the machine that made the file
///     4   number of buckets, a power of two
enum BucketFileHeader {
  /// The length of the header in bytes. The first bucket starts after the length of a bucket.
  static let length = 32
  private static let maximumBuckets = 1 << 16

  /// Returns the number of buckets of a new file in a cache of at most `byteLimit` bytes: one for each 512 KiB. If all
  /// images are tiles of 64x64 pixels, the index of pixels then has 32 entries in each bucket, which has room for 127.
  static func bucketCount(forBytes byteLimit: Int) -> Int {
    var count = 16
    while count < maximumBuckets, count < byteLimit / (512 << 10) { count *= 2 }
    return count
  }

  static func bytes(_ magic: [UInt8], bucketCount: Int) -> [UInt8] {
    var content = ByteWriter()
    content.append(raw: withUnsafeBytes(of: PixelRecord.byteOrder) { Array($0) })
    content.append(UInt32(clamping: bucketCount))
    var header = ByteWriter()
    header.append(raw: magic)
    header.append(ContentHash(content.bytes))
    header.append(raw: content.bytes)
    return header.bytes
  }

  /// Parses the first bytes of a file and returns the number of buckets; nil if the header is damaged or of another
  /// version.
  static func bucketCount(_ header: [UInt8], magic: [UInt8]) -> Int? {
    guard header.count == length else { return nil }
    var reader = ByteReader(header[24...])
    guard reader.bytes(4) != nil, let count = reader.number(UInt32.self).flatMap({ Int(exactly: $0) }),
      (1...maximumBuckets).contains(count), count & (count - 1) == 0,
      header == bytes(magic, bucketCount: count)
    else { return nil }
    return count
  }
}
