import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Buckets, entries, names and headers, without a disk.
struct PixelFormatTests {
  private func entry(_ key: Int, identity: Int = 0, offset: Int = 0) -> PixelEntry {
    PixelEntry(
      keyTag: UInt64(key), identityTag: UInt32(identity), bodyTag: 3, pack: 4, offset: UInt32(offset),
      width: 5,
      height: 6)
  }

  @Test func bucketIsReadAsItWasWritten() throws {
    var bucket = PixelBucket(9)
    for count in 0...PixelBucket.capacity {
      let bytes = bucket.bytes
      #expect(bytes.count == PixelBucket.length)
      #expect(PixelBucket(bytes, number: 9) == bucket, "\(count) entries")
      #expect(PixelBucket(bytes, number: 8) == nil, "a bucket in another place")
      _ = bucket.insert(entry(count))
    }
    #expect(PixelBucket([], number: 9) == PixelBucket(9))
    #expect(PixelBucket([UInt8](repeating: 0, count: PixelBucket.length), number: 9) == PixelBucket(9))
    #expect(PixelBucket([UInt8](repeating: 0, count: 100), number: 9) == nil)
  }

  /// Random insertions and removals, compared with an array.
  @Test func bucketBehavesLikeAList() {
    var generator = SplitMix(state: 3)
    var bucket = PixelBucket(0)
    var model: [PixelEntry] = []
    for step in 0..<5000 {
      let new = entry(Int.random(in: 0..<300, using: &generator), identity: step % 7, offset: step)
      if Int.random(in: 0..<50, using: &generator) == 0 {
        let removed = bucket.remove { $0.identityTag == 3 }
        #expect(removed == model.filter { $0.identityTag == 3 })
        model.removeAll { $0.identityTag == 3 }
      } else {
        let isSame = { (entry: PixelEntry) in
          entry.keyTag == new.keyTag && entry.identityTag == new.identityTag
        }
        var replaced = model.filter(isSame)
        model.removeAll(where: isSame)
        if model.count == PixelBucket.capacity { replaced.append(model.removeFirst()) }
        model.append(new)
        let removed = bucket.insert(new)
        #expect(removed == replaced)
      }
      #expect(bucket.entries == model)
    }
  }

  @Test func victimIsReplacedInAFullBucketOnly() {
    var bucket = PixelBucket(0)
    _ = bucket.insert(entry(0))
    #expect(bucket.insert(entry(1), replacing: entry(0)) == [])
    for key in 2..<PixelBucket.capacity { _ = bucket.insert(entry(key)) }

    #expect(bucket.insert(entry(5, offset: 1), replacing: entry(7)) == [entry(5)], "the same key")
    #expect(bucket.insert(entry(1000), replacing: entry(7)) == [entry(7)])
    #expect(bucket.insert(entry(1001), replacing: entry(7)) == [entry(0)], "another process has replaced it")
    #expect(bucket.entries.count == PixelBucket.capacity)
  }

  @Test func entryIsFoundByItsName() throws {
    let key = DiskKey(identity(1)) { (bytes: [UInt8]) -> [UInt8] in bytes }
    let (name, other) = (PixelName(key, variant: "a"), PixelName(key, variant: "b"))
    #expect(name.identity == other.identity && name.digest != other.digest)
    let image = pixelImage()
    let record = try #require(
      PixelRecord(image, isAnimated: false, keyDigest: name.digest, body: body(1), pixelHash: ContentHash([]))
    )
    let entry = try #require(PixelEntry(record, name, pack: 1, offset: 2))
    var bucket = PixelBucket(0)
    _ = bucket.insert(entry)
    #expect(bucket.entry(of: name, body(1)) == entry)
    #expect(bucket.entry(of: other, body(1)) == nil && bucket.entry(of: name, body(2)) == nil)
    #expect(PixelEntry(record, name, pack: 1, offset: 1 << 32) == nil)
  }

  @Test(
    arguments: [(UInt32.max, UInt32.max), (0, 5), (5, 0), (.max, 1), (1 << 31, 1 << 31)] as [(UInt32, UInt32)]
  )
  func sizesOfEntriesDoNotOverflow(width: UInt32, height: UInt32) {
    var entry = entry(1)
    (entry.width, entry.height, entry.offset) = (width, height, .max)
    if let range = entry.range {
      #expect(width == .max && height == 1 && range.count == Int(UInt32.max) * 4 + PixelRecord.headerLength)
    } else {
      #expect(width != .max || height != 1)
    }
  }

  @Test func entryOfARecordWithMetadataCoversItsHeader() throws {
    var entry = entry(1, offset: 1000)
    entry.hasMetadata = true
    var bucket = PixelBucket(0)
    _ = bucket.insert(entry)

    let read = try #require(PixelBucket(bucket.bytes, number: 0)?.entries.first)

    #expect(read == entry)
    #expect(read.range == 1000..<(1000 + 128 + 248 + 5 * 6 * 4))
  }

  @Test func headerWithMetadataIsReadAsItWasWritten() throws {
    let time = try #require(CaptureTime(year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 8))
    let title = String(repeating: "ü", count: ImageMetadata.titleByteLimit / 2)
    for metadata in [
      nil, ImageMetadata(captureTime: time), ImageMetadata(title: title),
      ImageMetadata(captureTime: time, title: "Lighthouse"),
    ] {
      let image = Image(pixelImage().bitmap, format: .jpeg, metadata: metadata)
      let record = try #require(
        PixelRecord(
          image, isAnimated: false, keyDigest: [UInt8](repeating: 7, count: PixelName.digestLength),
          body: body(1), pixelHash: ContentHash([])))

      let bytes = record.bytes

      #expect(bytes.count == PixelRecord.headerLength(hasMetadata: metadata != nil))
      #expect(PixelRecord(bytes) == record)
      #expect(PixelRecord(bytes)?.metadata == metadata)
      #expect(PixelRecord(Array(bytes.dropLast())) == nil && PixelRecord(bytes + [0]) == nil)
    }
  }

  @Test func sizeOfTheIndexFollowsTheByteLimit() {
    #expect(BucketFileHeader.bucketCount(forBytes: .min) == 16)
    #expect(BucketFileHeader.bucketCount(forBytes: 0) == 16)
    #expect(BucketFileHeader.bucketCount(forBytes: 256 << 20) == 512)
    #expect(BucketFileHeader.bucketCount(forBytes: .max) == 1 << 16)
    for count in [16, 512, 1 << 16] {
      #expect(
        BucketFileHeader.bucketCount(
          BucketFileHeader.bytes(PixelBucket.magic, bucketCount: count), magic: PixelBucket.magic) == count)
    }
    for count in [0, 3, 1 << 17] {
      #expect(
        BucketFileHeader.bucketCount(
          BucketFileHeader.bytes(PixelBucket.magic, bucketCount: count), magic: PixelBucket.magic) == nil)
    }
  }

  @Test func onlyPacksHaveNamesOfPacks() {
    for number in [0, 1, 0xABCDEF, UInt32.max] { #expect(PackName.number(PackName.name(number)) == number) }
    #expect(PackName.name(0xAB) == "000000ab")
    for name in ["", "index", "000000AB", "ab", "+00000ab", "0000000ab", ".new-1", "000000ag"] {
      #expect(PackName.number(name) == nil, "\(name)")
    }
  }

  @Test func extremeLimitsDoNotOverflow() {
    for bytes in [Int.min, -1, 0, 1, 1 << 20, .max] {
      var limits = DiskPixelCache.Limits()
      limits.bytes = bytes
      #expect((64 << 10...64 << 20).contains(limits.packBytes))
      #expect(limits.maximumRecordBytes >= 0 && limits.bucketCount >= 16)
    }
  }
}
