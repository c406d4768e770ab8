import Callbacks
import Foundation
import Glibc
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Packs and indexes that are damaged, swapped or replaced: always a miss, never a wrong image.
@Suite(.timeLimit(.minutes(5))) struct PixelDamageTests {
  let fixture = DiskFixture()

  /// The files of a folder of pixels.
  private struct Files {
    let index: (path: String, bytes: [UInt8])
    var packs: [(path: String, bytes: [UInt8])]

    func restore() throws {
      for file in packs + [index] { try overwrite(file.path, file.bytes) }
    }
  }

  /// Stores images of 2x2 pixels and returns the files.
  private func stored(_ numbers: ClosedRange<Int> = 1...1, width: Int = 2, height: Int = 2) throws -> Files {
    let cache = fixture.pixels { $0.bytes = 1 << 20 }
    for number in numbers { #expect(cache.put(number, width: width, height: height)) }
    let packs = try fixture.packPaths.map { ($0, try contents($0)) }
    return Files(index: (fixture.indexPath, try contents(fixture.indexPath)), packs: packs)
  }

  /// Returns the positions to damage in the last bucket: each byte of its start with the entry, and every 13th byte of
  /// the rest, which is empty.
  private static func indices(ofBucket bucket: Int, _ bytes: [UInt8]) -> [Int] {
    Array(bucket..<(bucket + 200)) + Array(stride(from: bucket + 200, to: bytes.count, by: 13))
  }

  private func cache() -> DiskPixelCache { fixture.pixels { $0.bytes = 1 << 20 } }

  private func finds(_ cache: DiskPixelCache, _ number: Int = 1) -> Bool { cache.find(number) != nil }

  @Test func recordWithAFlippedByteIsAMissAndItsEntryIsRemoved() throws {
    let files = try stored()
    let (path, bytes) = files.packs[0]
    let cache = cache()
    #expect(bytes.count == PixelRecord.headerLength + 16)
    let masks: [UInt8] = [0x01, 0x80, 0xFF, 0x10]
    for index in bytes.indices {
      try files.restore()
      var flipped = bytes
      flipped[index] ^= masks[index % masks.count]
      try overwrite(path, flipped)
      #expect(!finds(cache), "byte \(index)")
      try overwrite(path, bytes)
      #expect(!finds(cache), "byte \(index): the entry was removed")
    }
    #expect(cache.statistics.damaged == bytes.count && cache.statistics.failures == 0)
    try files.restore()
    #expect(cache.has(1, width: 2, height: 2))
  }

  @Test func indexWithAFlippedByteIsAMissOrUnchanged() throws {
    let files = try stored()
    let (path, bytes) = files.index
    let bucket = bytes.count - PixelBucket.length
    let hole = BucketFileHeader.length..<bucket
    // The header, some bytes between it and the bucket, and the bucket.
    let indices =
      Array(0..<BucketFileHeader.length) + Array(stride(from: 32, to: bucket, by: 509))
      + Self.indices(ofBucket: bucket, bytes)
    for index in indices {
      try files.restore()
      var flipped = bytes
      flipped[index] ^= 1 << (index % 8)
      try overwrite(path, flipped)
      #expect(finds(self.cache()) == hole.contains(index), "byte \(index)")
    }
    try files.restore()
    #expect(self.cache().has(1, width: 2, height: 2))
  }

  @Test func truncatedPackIsAMiss() throws {
    let files = try stored()
    let (path, bytes) = files.packs[0]
    for count in 0..<bytes.count {
      let cache = cache()
      try files.restore()
      // An open pack, which is shortened.
      #expect(finds(cache))
      try overwrite(path, bytes.prefix(count))
      #expect(!finds(cache), "\(count) bytes")
      // A power cut can leave a file of full length that has only zeros from some offset on.
      try files.restore()
      try overwrite(path, bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count))
      #expect(!finds(cache), "\(count) bytes, then zeros")
    }
  }

  @Test func truncatedIndexIsAMiss() throws {
    let files = try stored()
    let (path, bytes) = files.index
    let bucket = bytes.count - PixelBucket.length
    let counts =
      Array(0...40) + Array(stride(from: 41, to: bucket, by: 997)) + Self.indices(ofBucket: bucket, bytes)
    for count in counts {
      try files.restore()
      try overwrite(path, bytes.prefix(count))
      #expect(!finds(cache()), "\(count) bytes")
    }
    // Another store makes a new index.
    try overwrite(path, bytes.prefix(20))
    #expect(cache().put(2) && cache().has(2))
  }

  @Test func swappedRecordsAreMisses() throws {
    let files = try stored(1...2)
    let (path, bytes) = files.packs[0]
    let half = bytes.count / 2
    try overwrite(path, bytes[half...] + bytes[..<half])
    #expect(!finds(cache(), 1) && !finds(cache(), 2))
    // The pixels of one record behind the header of the other.
    try files.restore()
    let header = PixelRecord.headerLength
    try overwrite(path, bytes[..<header] + bytes[(half + header)...] + bytes[half...])
    #expect(!finds(cache(), 1) && cache().has(2, width: 2, height: 2))
  }

  @Test func swappedPacksAreMisses() throws {
    let files = try stored(1...2, width: 100, height: 100)
    #expect(files.packs.count == 2)
    try overwrite(files.packs[0].path, files.packs[1].bytes)
    try overwrite(files.packs[1].path, files.packs[0].bytes)
    #expect(!finds(cache(), 1) && !finds(cache(), 2))
    try files.restore()
    #expect(cache().has(1, width: 100, height: 100) && cache().has(2, width: 100, height: 100))
  }

  /// Changes the only entry of the index.
  private func change(_ files: Files, _ change: (inout PixelEntry) -> Void) throws {
    let start = files.index.bytes.count - PixelBucket.length
    let number = start / PixelBucket.length - 1
    var bucket = try #require(PixelBucket(Array(files.index.bytes[start...]), number: number))
    for var entry in bucket.entries {
      _ = bucket.remove { $0 == entry }
      change(&entry)
      _ = bucket.insert(entry)
    }
    try files.restore()
    try overwrite(files.index.path, files.index.bytes[..<start] + bucket.bytes)
  }

  @Test func entryThatLeadsElsewhereIsAMiss() throws {
    let files = try stored()
    let changes: [(inout PixelEntry) -> Void] = [
      { $0.offset += 1 }, { $0.offset = .max },
      {
        $0.width = 4; $0.height = 1
      }, { $0.width = 1 },
      {
        $0.width = .max; $0.height = .max >> 1
      }, { $0.width = 0 }, { $0.height = .max >> 1 }, { $0.height = 3 }, { $0.hasMetadata = true },
      { $0.pack ^= 1 },
      {
        $0.offset = .max; $0.width = .max
      },
    ]
    for (index, change) in changes.enumerated() {
      try self.change(files, change)
      let cache = cache()
      var reserved = 0
      #expect(cache.pixels(for: pixelKey(1), of: body(1)) { reserved += $0 } == nil, "change \(index)")
      #expect(reserved <= 64, "change \(index)")
      #expect(cache.usage().count == 0, "change \(index): the entry was removed")
    }
  }

  @Test func entryThatLeadsToAnotherRecordIsAMiss() throws {
    let cache = cache()
    cache.put(1, width: 2, height: 2)
    let files = Files(
      index: (fixture.indexPath, try contents(fixture.indexPath)),
      packs: [(fixture.packPaths[0], try contents(fixture.packPaths[0]))])
    cache.put(2, width: 2, height: 2)
    let pack = try contents(fixture.packPaths[0])
    try change(files) { $0.offset = UInt32(PixelRecord.headerLength + 16) }
    try overwrite(files.packs[0].path, pack)

    #expect(self.cache().find(1) == nil)
  }

  /// Returns a record with another byte at an offset, and a correct hash of the header.
  private func forged(_ record: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
    var record = record
    for (offset, byte) in changes { record[offset] = byte }
    var hash = ByteWriter()
    hash.append(ContentHash(Array(record[24..<PixelRecord.headerLength])))
    record.replaceSubrange(8..<24, with: hash.bytes)
    return record
  }

  @Test func recordsOfOtherVersionsAndMachinesAreMisses() throws {
    let files = try stored()
    let (path, bytes) = files.packs[0]
    #expect(forged(bytes, [:]) == bytes)
    let order = bytes[24..<28].reversed()
    let forgeries: [[Int: UInt8]] = [
      [7: UInt8(ascii: "2")], [0: UInt8(ascii: "V")], Dictionary(uniqueKeysWithValues: zip(24..<28, order)),
      [28: 2], [29: 3], [30: 4], [30: 8], [31: 1], [32: UInt8(ascii: "x")], [39: 1], [40: 3], [44: 0],
      [63: 0xFF],
      [63: 0x7F, 62: 0xF8], [64: bytes[64] ^ 1], [96: bytes[96] ^ 1], [112: bytes[112] ^ 1],
    ]
    for forgery in forgeries {
      try files.restore()
      try overwrite(path, forged(bytes, forgery))
      #expect(!finds(cache()), "\(forgery)")
    }
  }

  @Test func indexOfAnotherVersionIsReplaced() throws {
    let files = try stored()
    var other = files.index.bytes
    other[7] = UInt8(ascii: "2")
    try overwrite(files.index.path, other)
    let cache = cache()
    #expect(!finds(cache) && cache.fault == nil)

    #expect(cache.put(2) && cache.has(2) && self.cache().has(2))

    #expect(fixture.packPaths.count == 1, "packs without entries are removed")
    #expect(!finds(cache))
  }

  @Test func programsOfTwoVersionsInOneFolderReplaceTheIndexOfEachOther() throws {
    let running = cache()
    for number in 1...5 {
      #expect(running.put(number) && running.has(number) && cache().has(number))
      var other = try contents(fixture.indexPath)
      other[7] = UInt8(ascii: "2")
      // A new file in place of the old one, as a program makes it.
      try overwrite(fixture.indexPath + ".new", other)
      #expect(rename(fixture.indexPath + ".new", fixture.indexPath) == 0)
      #expect(!finds(cache(), number) && running.fault == nil)
    }
    #expect(running.put(6) && running.has(6) && cache().has(6))
    #expect(fixture.packPaths.count == 1, "packs without entries are removed")
  }

  @Test func linksAndOtherFilesInPlaceOfAPackAreMisses() throws {
    let target = fixture.folder + "/target"
    for kind in 0..<4 {
      fixture.pixels().removeAllPixels()
      let files = try stored()
      let path = files.packs[0].path
      try overwrite(target, files.packs[0].bytes)
      try FileManager.default.removeItem(atPath: path)
      switch kind {
      case 0: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      case 1: #expect(mkfifo(path, 0o600) == 0)
      case 2: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      default: break
      }
      let cache = cache()
      #expect(!finds(cache), "kind \(kind)")
      #expect(cache.put(2) && cache.has(2), "kind \(kind)")
      cache.removePixels(of: identity(1))
      #expect(try contents(target) == files.packs[0].bytes, "kind \(kind)")
    }
  }

  @Test func linkInPlaceOfTheIndexIsNotFollowed() throws {
    let files = try stored()
    let target = fixture.folder + "/target"
    try overwrite(target, files.index.bytes)
    try FileManager.default.removeItem(atPath: files.index.path)
    try FileManager.default.createSymbolicLink(atPath: files.index.path, withDestinationPath: target)

    let cache = cache()
    #expect(!finds(cache))
    #expect(cache.put(2) && cache.has(2))
    #expect(try contents(target) == files.index.bytes)
  }

  @Test func folderInPlaceOfTheIndexIsReplaced() throws {
    let files = try stored()
    try FileManager.default.removeItem(atPath: files.index.path)
    try FileManager.default.createDirectory(
      atPath: files.index.path + "/inner", withIntermediateDirectories: true)

    let cache = cache()
    #expect(!finds(cache))
    #expect(cache.put(2) && cache.has(2) && cache.fault == nil)
    #expect(self.cache().has(2))
  }

  @Test func errorThatPassesRemovesNoEntry() throws {
    _ = try stored()
    for fault in [FaultySystem.Fault.empty, .error(EIO), .error(EMFILE), .error(ENOMEM)] {
      let system = FaultySystem()
      let cache = fixture.pixels(on: system) { $0.bytes = 1 << 20 }
      system.fail(.readTwo, with: fault)
      _ = cache.find(1)
      #expect(system.hasFailed)
      #expect(cache.has(1, width: 2, height: 2), "\(fault)")
      #expect(cache.statistics.damaged == 0)
    }
  }

  @Test func verificationFindsAndRemovesDamage() throws {
    let files = try stored(1...3)
    var bytes = files.packs[0].bytes
    bytes[bytes.count - 1] ^= 1
    try overwrite(files.packs[0].path, bytes)
    let cache = cache()

    #expect(cache.verify().damaged == 1 && cache.verify().entries == 2)
    var progress: [Int] = []
    let repaired = cache.verify(isRepairing: true) { done, total in
      progress.append(total - done)
      return true
    }

    #expect(repaired.damaged == 1 && repaired.removed == 1 && repaired.unreadable == 0)
    #expect(progress.last == 0 && progress.count == 16)
    #expect(cache.verify() == cache.verify(isRepairing: true) && cache.verify().damaged == 0)
    #expect(cache.usage().count == 2)
  }

  @Test func verificationCanBeStopped() throws {
    _ = try stored(1...3)
    var count = 0
    let cache = cache()
    let found = cache.verify { _, _ in
      count += 1
      return count < 2
    }
    #expect(count == 2 && found.damaged == 0 && found.entries <= 3)
  }

  @Test func damagedIndexIsFoundAndRemoved() throws {
    let files = try stored(1...3)
    var bytes = try contents(fixture.indexPath)
    bytes[30] ^= 1
    try overwrite(fixture.indexPath, bytes)
    let cache = cache()

    let found = cache.verify()
    #expect(found.damaged == 1 && found.entries == 0 && found.removed == 0)
    #expect(fixture.packPaths == files.packs.map { $0.path }, "a verification changes nothing")
    let repaired = cache.verify(isRepairing: true)
    #expect(repaired.damaged == 1 && repaired.removed == 1)

    #expect(fixture.packPaths.isEmpty && cache.verify() == DiskPixelCache.Verification())
    #expect(cache.put(1, width: 2, height: 2) && cache.has(1, width: 2, height: 2))
  }

  @Test func damagedBucketIsFoundAndEmptied() throws {
    _ = try stored(1...3)
    var bytes = try contents(fixture.indexPath)
    bytes[bytes.count - 1] ^= 1
    try overwrite(fixture.indexPath, bytes)
    let cache = cache()

    let found = cache.verify()
    let repaired = cache.verify(isRepairing: true)

    #expect(found.damaged == 1 && found.entries < 3 && repaired.removed == 1)
    #expect(cache.verify().damaged == 0 && cache.verify().entries == found.entries)
  }

  @Test func packsOfAnIndexThatLostItsEndAreFoundAndRemoved() throws {
    _ = try stored(1...3)
    #expect(truncate(fixture.indexPath, PixelBucket.length) == 0)

    let seed = DiskPixelCache(inspecting: fixture.folder).verify(isRepairing: true)
    let repaired = cache().verify(isRepairing: true)

    #expect(seed.damaged == 1 && seed.removed == 0 && seed.entries == 0)
    #expect(repaired.damaged == 1 && repaired.removed == 1 && repaired.unreadable == 0)
    #expect(fixture.packPaths.isEmpty)
    #expect(cache().verify() == DiskPixelCache.Verification())
  }

  @Test func packsOfRemovedPixelsAndOfARunningWriterAreNoDamage() throws {
    _ = try stored(1...3)
    let writer = cache()
    for number in 1...3 { writer.removePixels(of: identity(number)) }
    #expect(cache().verify(isRepairing: true) == DiskPixelCache.Verification())
    #expect(!fixture.packPaths.isEmpty)

    #expect(writer.put(4))
    #expect(truncate(fixture.indexPath, PixelBucket.length) == 0)
    #expect(cache().verify(isRepairing: true) == DiskPixelCache.Verification())
    #expect(writer.put(5) && writer.has(5))
  }

  @Test func pixelsThatCannotBeReadAreCountedAndStay() throws {
    _ = try stored(1...3)
    let system = FaultySystem()
    let cache = fixture.pixels(on: system) { $0.bytes = 1 << 20 }
    system.fail(.readTwo, number: FaultySystem.always, with: .error(EIO))

    let found = cache.verify(isRepairing: true)

    #expect(found.unreadable == 3 && found.entries == 0 && found.damaged == 0 && found.removed == 0)
    #expect(cache.fault == .refused(path: fixture.folder, code: EIO))
    #expect(self.cache().verify().entries == 3)
  }

  @Test func folderThatCannotBeOpenedIsUnreadable() throws {
    _ = try stored(1...3)
    let system = FaultySystem()
    let cache = fixture.pixels(on: system) { $0.bytes = 1 << 20 }
    system.fail(.open, with: .error(EACCES))

    #expect(cache.verify().unreadable == 1)
    #expect(system.hasFailed && cache.verify().entries == 3)
  }

  @Test func pixelsThatAreRemovedDuringAVerificationAreNoDamage() async throws {
    _ = try stored(1...3)
    let (system, gate) = (FaultySystem(), Gate())
    let cache = fixture.pixels(on: system) { $0.bytes = 1 << 20 }
    system.fail(.readTwo, with: .hang(gate))

    async let found: DiskPixelCache.Verification = callback { done in
      BlockingThread.start { done(cache.verify()) }
    }
    await gate.waitUntilHeld(1)
    let other = self.cache()
    for number in 1...3 { other.removePixels(of: identity(number)) }
    gate.open()

    #expect(try await found == DiskPixelCache.Verification())
  }

  @Test func imagesAboveTheLimitAreNoDamage() throws {
    fixture.pixels().put(1, width: 300, height: 300)

    let found = fixture.pixels { $0.bytes = 100 << 10 }.verify(isRepairing: true)

    #expect(found == DiskPixelCache.Verification())
    #expect(fixture.pixels().has(1, width: 300, height: 300))
  }
}
