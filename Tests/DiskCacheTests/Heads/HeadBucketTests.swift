import Testing

@testable import VitrineDiskCache

/// The format of the buckets of heads.
struct HeadBucketTests {
  private func entry(_ number: UInt64, headBytes: Int = 300) -> HeadEntry {
    HeadEntry(
      name: ContentHash(high: number << 32 | number, low: ~number),
      version: .init(inode: number &* 3, modified: -1 - Int64(number), size: 1 << 40), bodyLength: 77,
      bodyHash: ContentHash(high: 4, low: number), head: ArraySlice((0..<headBytes).map { UInt8($0 % 251) }))
  }

  @Test func bucketIsReadAsItWasWritten() throws {
    var bucket = HeadBucket(3)
    let inserted = (0..<20).map { bucket.insert(entry($0)) }
    #expect(inserted == (0..<20).map { $0 < 11 })
    #expect(bucket.entries.map(\.bodyHash.low) == Array(0..<11))
    let isReplaced = bucket.insert(entry(4))
    #expect(isReplaced && bucket.entries.map(\.bodyHash.low).last == 4)
    let isTooLong = !bucket.insert(entry(31, headBytes: 5000))
    #expect(isTooLong && bucket.entries.count == 11)
    let isStillTooLong = !bucket.insert(entry(5, headBytes: HeadEntry.maximumHeadBytes))
    #expect(isStillTooLong && bucket.entries.count == 11)
    let isRemoved = bucket.remove(entry(5).name)
    #expect(isRemoved && bucket.entries.count == 10)

    let read = try #require(HeadBucket(bucket.bytes, number: 3))

    #expect(bucket.bytes.count == HeadBucket.length)
    #expect(read.entries == bucket.entries && read.entry(entry(4).name) == entry(4))
    #expect(HeadBucket(bucket.bytes, number: 4) == nil)
    #expect(read.entry(entry(5).name) == nil)
  }

  @Test func distributionKeepsAllEntries() {
    let entries = (0..<40).map { entry($0) }
    let buckets = HeadBucket.distributing(entries, among: 8)
    #expect(Set(buckets.map(\.number)) == Set(0..<8))
    #expect(Set(buckets.flatMap(\.entries).map(\.bodyHash.low)) == Set(0..<40))
    for bucket in buckets {
      #expect(bucket.entries.allSatisfy { $0.name.bucket(among: 8) == bucket.number })
    }
  }

  @Test("a bucket with malformed entries and a correct hash is damaged", arguments: [UInt8(60), 255])
  func bucketWithATooLargeCount(count: UInt8) {
    var bucket = HeadBucket(0)
    _ = bucket.insert(entry(1))
    for (offset, byte) in [(20, count), (32 + 64, 255), (32 + 66, 255), (32 + 67, 255)] {
      var bytes = bucket.bytes
      bytes[offset] = byte
      var writer = ByteWriter()
      writer.append(ContentHash(Array(bytes[16...])))
      bytes.replaceSubrange(0..<16, with: writer.bytes)
      // 255 bytes more or less of a head are still a head.
      if offset != 32 + 64 { #expect(HeadBucket(bytes, number: 0) == nil, "\(offset)") }
    }
  }
}
