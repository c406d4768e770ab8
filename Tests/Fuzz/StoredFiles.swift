import FoundationEssentials
import Glibc
@testable import VitrineDiskCache
@testable import VitrineLoading

/// Reads bytes as a file of the disk cache: unchanged, and with correct hashes and key, so that the code behind those
/// checks is reached.
enum StoredFiles {
  private static let identity = RequestIdentity(url: URL(filePath: "/a"), headers: [:])
  private static let entry: DiskEntry = {
    let key = DiskKey(identity) { (bytes: [UInt8]) -> [UInt8] in bytes }
    return DiskEntry(identity: identity, key: key, name: ContentHash(key.bytes))
  }()

  static func fuzz(_ bytes: [UInt8]) -> Bool {
    trim(bytes)
    readPixels(bytes)
    let isKept = read(bytes)
    return read(withValidHashes(bytes)) || isKept
  }

  /// Trims a cache whose limits and whose files' sizes and times are read from the bytes.
  private static func trim(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    var limits = DiskImageCache.Limits()
    func next() -> Int { reader.number(Int64.self).map { Int(clamping: $0) } ?? 0 }
    (limits.bytes, limits.freeBytes, limits.guaranteedBytes) = (next(), next(), next())
    (limits.count, limits.timeToLive, limits.timeToIdle) = (next(), Double(next()), Double(next()))
    let space = DiskSpace(freeBytes: max(0, next()), totalBytes: max(0, next()))
    var entries: [DiskTrim.Entry] = []
    while !reader.isAtEnd, entries.count < 64 {
      var status = stat()
      status.st_size = off_t(next())
      status.st_mtim.tv_sec = next()
      status.st_atim.tv_sec = next()
      let file = FileStatus(status)
      let name = ContentHash(high: 0, low: UInt64(entries.count))
      entries.append(
        DiskTrim.Entry(name: name, bytes: file.allocatedBytes, stored: file.stored, used: file.used))
      if reader.bytes(8) == nil { break }
    }
    let growth = DiskTrim.Growth(bytes: entries.first?.bytes ?? 0, files: 2)
    let outcome = DiskTrim(limits: limits, time: 1_800_000_000, uses: [:], now: 0).outcome(
      of: entries, unfinished: entries.last?.bytes ?? 0, space: space, growth: growth)
    precondition(outcome.victims.count <= entries.count, "each file goes once")
    var usage = FolderUsage()
    usage.scanned(FolderSweep.Contents(), since: usage, trimmedAt: 0)
    for entry in entries { usage.stored(entry.name, length: entry.bytes, replacing: nil, at: 0) }
    for entry in outcome.victims { usage.removed(entry.name, bytes: entry.bytes) }
    precondition(usage.bytes >= 0, "no less than nothing")
  }

  /// Reads the bytes as a bucket of the index of pixels and of the table of heads, and as a record, with correct hashes.
  private static func readPixels(_ bytes: [UInt8]) {
    var bucket = Array((bytes + [UInt8](repeating: 0, count: PixelBucket.length)).prefix(PixelBucket.length))
    replace(&bucket, at: 16, [0, 0, 0, 0])
    replace(&bucket, at: 0, encoded(Array(bucket[16...])))
    for entry in PixelBucket(bucket, number: 0)?.entries ?? [] {
      if let range = entry.range { precondition(range.count >= PixelRecord.headerLength, "no overflow") }
    }
    for entry in HeadBucket(bucket, number: 0)?.entries ?? [] {
      precondition(entry.length <= HeadBucket.length, "no more than the bucket has")
      _ = HeadTable.mayRenew(entry, at: entry.version.modified)
    }
    let flagsOffset = 30
    guard bytes.count >= PixelRecord.headerLength else { return }
    let length = PixelRecord.headerLength(hasMetadata: bytes[flagsOffset] & 4 != 0)
    var header = Array(bytes.prefix(length))
    replace(&header, at: 0, PixelRecord.magic)
    replace(&header, at: 24, withUnsafeBytes(of: PixelRecord.byteOrder) { Array($0) })
    replace(&header, at: 8, encoded(Array(header[24...])))
    guard let record = PixelRecord(header) else { return }
    precondition(record.bytes == header, "nothing is lost")
  }

  /// Returns true if the bytes were read as a response.
  private static func read(_ bytes: [UInt8]) -> Bool {
    guard
      let folder = try? Descriptor("/", flags: O_RDONLY | O_DIRECTORY, system: OneFile(content: bytes)),
      case .response(let response, _) = ResponseReader.read(
        entry, in: folder, withBody: true, maximumBodyBytes: .max)
    else { return false }
    precondition(response.body.count <= bytes.count, "no more than there is")
    // All values that a loader reads from the response.
    _ = response.standing(at: 1_800_000_000)
    _ = response.validators
    _ = response.matches(["X-Theme": "dark"])
    return true
  }

  /// Returns the bytes with a correct magic, key and hashes.
  private static func withValidHashes(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let (fixed, key) = (ResponseFile.fixedLength, entry.key.bytes)
    guard bytes.count >= fixed + 4 + key.count else { return bytes }
    replace(&bytes, at: 0, ResponseFile.magic)
    replace(&bytes, at: fixed, [UInt8(key.count), 0, 0, 0] + key)
    let head = number(bytes[24..<28])
    let body = number(bytes[28..<36])
    guard let head, let body, head <= bytes.count - fixed, body <= bytes.count - fixed - head else {
      return bytes
    }
    replace(&bytes, at: 36, encoded(Array(bytes[(fixed + head)..<(fixed + head + body)])))
    replace(&bytes, at: 8, encoded(Array(bytes[24..<(fixed + head)])))
    return bytes
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    Int(exactly: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(ContentHash(bytes))
    return writer.bytes
  }

  private static func replace(_ bytes: inout [UInt8], at offset: Int, _ new: [UInt8]) {
    bytes.replaceSubrange(offset..<(offset + new.count), with: new)
  }
}

/// A fake disk that returns one file for every name.
private struct OneFile: DiskSystem {
  let content: [UInt8]

  func open(_ name: String, in folder: Int32, flags: Int32, mode: mode_t) throws(SystemError) -> Int32 { 7 }
  func close(_ descriptor: Int32) throws(SystemError) {}
  func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32 { descriptor }
  func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {}
  func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemError) {}

  func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    status.st_mode = S_IFREG
    status.st_size = content.count
    return status
  }

  func status(of name: String, in folder: Int32) throws(SystemError) -> stat { try status(of: 7) }
  func space(at descriptor: Int32) throws(SystemError) -> statvfs { throw SystemError(ENOSYS) }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    guard offset < content.count else { return 0 }
    let part = content[offset...].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func read(
    _ descriptor: Int32, into first: UnsafeMutableRawBufferPointer,
    _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let count = try read(descriptor, into: first, at: offset)
    return count < first.count ? count : count + (try read(descriptor, into: second, at: offset + count))
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) -> Int { bytes.count }
  func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int
  ) throws(SystemError) -> Int {
    bytes.count
  }
  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {}
  func punchHole(_ range: Range<Int>, in descriptor: Int32) throws(SystemError) {}
  func synchronize(_ descriptor: Int32) throws(SystemError) {}
  func setTimes(_ times: FileTimes, of descriptor: Int32) throws(SystemError) {}
  func setTimes(_ times: FileTimes, of name: String, in folder: Int32) throws(SystemError) {}
  func rename(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(SystemError) {
  }
  func link(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(SystemError) {}
  func remove(_ name: String, in folder: Int32, isFolder: Bool) throws(SystemError) {}
  func lock(_ descriptor: Int32) throws(SystemError) {}
  func unlock(_ descriptor: Int32) throws(SystemError) {}
  func lock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {}
  func unlock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {}
  func lockedRange(_ descriptor: Int32, in range: ByteRange) throws(SystemError) -> ByteRange? { nil }
  func forEachName(in folder: Int32, _ body: (String) -> Void) throws(SystemError) {}
}
