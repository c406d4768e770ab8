import Foundation
import Glibc
import Testing

@testable import VitrineLoading

/// Files that are not as they were written.
@Suite(.timeLimit(.minutes(1))) struct DiskDamageTests {
  let fixture = DiskFixture()

  private func stored() throws -> (cache: DiskImageCache, path: String, bytes: [UInt8]) {
    let cache = fixture.cache()
    #expect(cache.store(answer(60), for: identity(1)))
    let path = try #require(fixture.files.first)
    return (cache, path, Array(try Data(contentsOf: URL(filePath: path))))
  }

  private func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test func eachByteThatFlipsIsAMissAndGone() throws {
    let (cache, path, bytes) = try stored()
    let masks: [UInt8] = [0x01, 0x80, 0xFF, 0x10]
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= masks[place % masks.count]
      try write(flipped, path)
      #expect(cache.answer(for: identity(1)) == nil, "byte \(place)")
      #expect(access(path, F_OK) != 0, "byte \(place)")
    }
    #expect(cache.statistics.damaged == bytes.count && cache.statistics.failures == 0)
    try write(bytes, path)
    #expect(cache.answer(for: identity(1)) == answer(60))
  }

  @Test func eachLengthButItsOwnIsAMissAndGone() throws {
    let (cache, path, bytes) = try stored()
    for count in 0..<bytes.count {
      try write(bytes.prefix(count), path)
      #expect(!cache.containsAnswer(for: identity(1)), "\(count) bytes")
      #expect(access(path, F_OK) != 0, "\(count) bytes")
      // What a power cut leaves: as long as it was, and empty from some place on.
      try write(bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count), path)
      #expect(cache.answer(for: identity(1)) == nil, "\(count) bytes, then zeros")
      #expect(access(path, F_OK) != 0, "\(count) bytes, then zeros")
    }
    try write(bytes + [0], path)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(fixture.files.isEmpty)
  }

  @Test func whatIsDamagedIsStoredAnew() throws {
    let (cache, path, bytes) = try stored()
    try write(bytes.dropLast(), path)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(cache.store(answer(60), for: identity(1)))
    #expect(cache.answer(for: identity(1)) == answer(60))
  }

  @Test func aHeadThatSaysTooMuchAllocatesNothing() throws {
    let (cache, path, bytes) = try stored()
    for place in 24..<36 {
      var lying = bytes
      lying[place] = 0xFF
      try write(lying, path)
      #expect(cache.answer(for: identity(1)) == nil)
    }
  }

  @Test func anAnswerUnderTheNameOfAnotherIsNotServed() throws {
    let (cache, path, _) = try stored()
    cache.store(answer(seed: 2), for: identity(2))
    let other = try #require(fixture.files.first { $0 != path })
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(cache.answer(for: identity(2)) == nil)
  }

  @Test func aLinkIsNotFollowed() throws {
    let (cache, path, bytes) = try stored()
    let elsewhere = fixture.folder + "/elsewhere"
    try write(bytes, elsewhere)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(FileManager.default.fileExists(atPath: elsewhere))
    #expect(fixture.everything.isEmpty)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    #expect(cache.store(answer(), for: identity(1)))
    #expect(try Array(Data(contentsOf: URL(filePath: elsewhere))) == bytes)
    #expect(cache.answer(for: identity(1)) == answer())
  }

  @Test func aFIFOIsNotWaitedFor() throws {
    let (cache, path, _) = try stored()
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(fixture.everything.isEmpty)
  }

  @Test func aFolderInItsPlaceIsAMiss() throws {
    let (cache, path, _) = try stored()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(cache.answer(for: identity(1)) == nil)
    #expect(!cache.store(answer(), for: identity(1)))
    #expect(cache.statistics.failures == 1)
  }
}
