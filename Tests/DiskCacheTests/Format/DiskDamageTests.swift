import Foundation
import Glibc
import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Stored files that are damaged, swapped or replaced.
@Suite(.timeLimit(.minutes(5))) struct DiskDamageTests {
  let fixture = DiskFixture()

  private func stored() throws -> (cache: DiskImageCache, path: String, bytes: [UInt8]) {
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(60), for: identity(1)))
    let path = try #require(fixture.files.first)
    return (cache, path, Array(try Data(contentsOf: URL(filePath: path))))
  }

  private func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test func fileWithAFlippedByteIsAMissAndRemoved() throws {
    let (cache, path, bytes) = try stored()
    let masks: [UInt8] = [0x01, 0x80, 0xFF, 0x10]
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= masks[index % masks.count]
      try write(flipped, path)
      #expect(cache.response(for: identity(1)) == nil, "byte \(index)")
      #expect(access(path, F_OK) != 0, "byte \(index)")
    }
    #expect(cache.statistics.damaged == bytes.count && cache.statistics.failures == 0)
    try write(bytes, path)
    #expect(cache.response(for: identity(1)) == storedResponse(60))
  }

  @Test func damagedLargeFileIsAMiss() throws {
    let cache = fixture.cache()
    let stored = storedResponse(20_000)
    #expect(cache.store(stored, for: identity(1)))
    let path = try #require(fixture.files.first)
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    // All bytes of the head and of the first block, then some bytes of each other block, and the end.
    let indices =
      Array(0..<300) + Array(stride(from: 300, to: bytes.count, by: 211)) + [4095, 4096, bytes.count - 1]
    for index in indices {
      var flipped = bytes
      flipped[index] ^= 1 << (index % 8)
      try write(flipped, path)
      #expect(cache.response(for: identity(1)) == nil, "byte \(index)")
      #expect(access(path, F_OK) != 0, "byte \(index)")
    }
    for count in stride(from: 0, to: bytes.count, by: 397) {
      try write(bytes.prefix(count), path)
      #expect(cache.response(for: identity(1)) == nil, "\(count) bytes")
      try write(bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count), path)
      #expect(cache.response(for: identity(1)) == nil, "\(count) bytes, then zeros")
    }
    try write(bytes, path)
    #expect(cache.response(for: identity(1)) == stored)
  }

  @Test func swappedFilesAndBodiesAreMisses() throws {
    let cache = fixture.cache()
    var paths: [String] = []
    for number in 1...2 {
      cache.store(storedResponse(20_000, seed: UInt8(number)), for: identity(number))
      paths.append(try #require(fixture.files.first { !paths.contains($0) }))
    }
    let contents = try paths.map { Array(try Data(contentsOf: URL(filePath: $0))) }
    // Whole files under the name of another key stay, because they may belong to another request.
    try write(contents[1], paths[0])
    try write(contents[0], paths[1])
    for number in 1...2 { #expect(cache.response(for: identity(number)) == nil) }
    // Bodies of the same length behind other heads, and blocks that a file system might swap.
    for start in [contents[0].count - 20_000, 4096, 8192, 16384] {
      for (one, other) in [(0, 1), (1, 0)] {
        try write(contents[one][..<start] + contents[other][start...], paths[one])
        #expect(cache.response(for: identity(one + 1)) == nil, "from \(start)")
      }
    }
    for number in 0..<2 { try write(contents[number], paths[number]) }
    for number in 1...2 {
      #expect(cache.response(for: identity(number)) == storedResponse(20_000, seed: UInt8(number)))
    }
  }

  @Test func truncatedFileIsAMissAndRemoved() throws {
    let (cache, path, bytes) = try stored()
    for count in 0..<bytes.count {
      try write(bytes.prefix(count), path)
      #expect(!cache.containsResponse(for: identity(1)), "\(count) bytes")
      #expect(access(path, F_OK) != 0, "\(count) bytes")
      // A power cut can leave a file of full length that has only zeros from some offset on.
      try write(bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count), path)
      #expect(cache.response(for: identity(1)) == nil, "\(count) bytes, then zeros")
      #expect(access(path, F_OK) != 0, "\(count) bytes, then zeros")
    }
  }

  @Test func updatedHeadersAreAppendedWithoutRewritingTheBody() throws {
    let cache = fixture.cache()
    var later = storedResponse(100_000)
    cache.store(later, for: identity(1))
    let path = try #require(fixture.files.first)
    let fileNumber = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    for round in 1...200 {
      later.received += 60
      later.response = TransportResponse(
        url: later.response.url, status: 200, headers: ["ETag": "\"a\"", "Content-Language": "\(round)"])
      fixture.advance(by: 60)
      #expect(cache.store(later, for: identity(1)))
      #expect(cache.response(for: identity(1)) == later)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.size] as? Int ?? 0 <= 100_000 + 17_000)
      if round == 20 { #expect(attributes[.systemFileNumber] as? Int == fileNumber) }
    }
    #expect(fixture.cache().response(for: identity(1)) == later)
    #expect(cache.statistics.entries == 1 && cache.statistics.bytes <= 120_000)
    // A different body rewrites the file.
    #expect(cache.store(storedResponse(100_000, seed: 2), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse(100_000, seed: 2))
  }

  @Test func tornHeaderUpdateIsIgnored() throws {
    let (cache, path, bytes) = try stored()
    var later = storedResponse(60)
    later.received += 60
    cache.store(later, for: identity(1))
    var last = later
    last.received += 60
    cache.store(last, for: identity(1))
    let noted = Array(try Data(contentsOf: URL(filePath: path)))
    let note = (noted.count - bytes.count) / 2
    for count in bytes.count...noted.count {
      try write(noted.prefix(count), path)
      let expected = count < bytes.count + note ? storedResponse(60) : count < noted.count ? later : last
      #expect(cache.response(for: identity(1)) == expected, "\(count) bytes")
    }
    for index in bytes.count..<noted.count {
      var flipped = noted
      flipped[index] ^= 0x10
      try write(flipped, path)
      let expected = index < bytes.count + note ? storedResponse(60) : later
      #expect(cache.response(for: identity(1)) == expected, "byte \(index)")
    }
    // Nothing is appended after a torn update: the file is rewritten.
    try write(noted.dropLast(), path)
    #expect(cache.store(last, for: identity(1)) && cache.response(for: identity(1)) == last)
    #expect(try Data(contentsOf: URL(filePath: path)).count == bytes.count)
    #expect(cache.statistics.damaged == 0)
  }

  @Test func damagedResponseCanBeStoredAgain() throws {
    let (cache, path, bytes) = try stored()
    try write(bytes.dropLast(), path)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.store(storedResponse(60), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse(60))
  }

  @Test func headWithExcessiveLengthsIsAMiss() throws {
    let (cache, path, bytes) = try stored()
    for index in 24..<36 {
      var damaged = bytes
      damaged[index] = 0xFF
      try write(damaged, path)
      #expect(cache.response(for: identity(1)) == nil)
    }
  }

  @Test func responseUnderTheFileNameOfAnotherIsNotServed() throws {
    let (cache, path, _) = try stored()
    cache.store(storedResponse(seed: 2), for: identity(2))
    let other = try #require(fixture.files.first { $0 != path })
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.response(for: identity(2)) == nil)
  }

  @Test func symbolicLinkIsNotFollowed() throws {
    let (cache, path, bytes) = try stored()
    let target = fixture.folder + "/target"
    try write(bytes, target)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(FileManager.default.fileExists(atPath: target))
    #expect(fixture.everything.isEmpty)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    #expect(cache.store(storedResponse(), for: identity(1)))
    #expect(try Array(Data(contentsOf: URL(filePath: target))) == bytes)
    #expect(cache.response(for: identity(1)) == storedResponse())
  }

  @Test func readingAFIFODoesNotWait() throws {
    let (cache, path, _) = try stored()
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(fixture.everything.isEmpty)
  }

  @Test(
    "a folder in place of a response is a miss and is replaced",
    arguments: [[], ["file"], ["file", "inner/file"]])
  func folderInPlaceOfAFileIsReplaced(contents: [String]) throws {
    let (cache, path, _) = try stored()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(
      atPath: contents.count > 1 ? "\(path)/inner" : path, withIntermediateDirectories: true)
    for name in contents { try write([1], "\(path)/\(name)") }
    #expect(cache.response(for: identity(1)) == nil)

    #expect(cache.store(storedResponse(), for: identity(1)))

    #expect(cache.response(for: identity(1)) == storedResponse())
    #expect(cache.statistics.failures == 0 && cache.fault == nil)
    let shard = URL(filePath: path).deletingLastPathComponent().path
    let left = try FileManager.default.contentsOfDirectory(atPath: shard)
    // A folder in a folder is not removed.
    #expect(left.count == (contents.count > 1 ? 2 : 1))
    #expect(left.allSatisfy { $0.hasPrefix(RemovedFolder.prefix) || path.hasSuffix($0) })
  }

  @Test func folderThatCouldNotBeRemovedIsRemovedByASweep() throws {
    let (cache, path, _) = try stored()
    let folder = URL(filePath: path).deletingLastPathComponent().path + "/\(RemovedFolder.prefix)abc"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try write([1], "\(folder)/file")

    cache.trim()

    #expect(!FileManager.default.fileExists(atPath: folder) && cache.response(for: identity(1)) != nil)
  }

  @Test(
    "a link or a file in place of a subfolder is replaced when a response is stored",
    arguments: [true, false])
  func foreignFileInPlaceOfASubfolderIsReplaced(isLink: Bool) throws {
    let (cache, path, bytes) = try stored()
    let file = URL(filePath: path)
    let shard = file.deletingLastPathComponent().path
    try FileManager.default.moveItem(atPath: shard, toPath: "\(fixture.folder)/elsewhere")
    if isLink {
      try FileManager.default.createSymbolicLink(
        atPath: shard, withDestinationPath: "\(fixture.folder)/elsewhere")
    } else {
      try write([1], shard)
    }
    let newer = storedResponse(seed: 2)

    #expect(cache.store(newer, for: identity(1)))

    #expect(cache.response(for: identity(1)) == newer && cache.statistics.failures == 0)
    let moved = "\(fixture.folder)/elsewhere/\(file.lastPathComponent)"
    #expect(try Array(Data(contentsOf: URL(filePath: moved))) == bytes)
  }

  @Test("a link, a folder or a FIFO in place of the key is replaced", arguments: 0..<3)
  func foreignFileInPlaceOfTheKeyIsReplaced(kind: Int) throws {
    let secret = identity("a.jpg", headers: ["Authorization": "Bearer one"])
    let key = "\(fixture.root)/\(FolderKey.name)"
    #expect(fixture.cache().store(storedResponse(), for: secret))
    let target = "\(fixture.folder)/target"
    try FileManager.default.moveItem(atPath: key, toPath: target)
    let bytes = try Data(contentsOf: URL(filePath: target))
    switch kind {
    case 0: try FileManager.default.createSymbolicLink(atPath: key, withDestinationPath: target)
    case 1: try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: false)
    default: #expect(mkfifo(key, 0o600) == 0)
    }
    let cache = fixture.cache()
    #expect(cache.response(for: secret) == nil)

    #expect(cache.store(storedResponse(seed: 2), for: secret))

    #expect(fixture.cache().response(for: secret) == storedResponse(seed: 2))
    #expect(cache.statistics.failures == 0 && cache.fault == nil)
    #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
    let new = try Data(contentsOf: URL(filePath: key))
    #expect(new.count == DigestKey.count && new != bytes)
  }
}
