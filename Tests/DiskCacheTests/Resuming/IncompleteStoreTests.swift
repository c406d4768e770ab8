import Foundation
import Glibc
import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The beginnings of responses whose downloads broke.
@Suite(.timeLimit(.minutes(5))) struct IncompleteStoreTests {
  private let fixture = DiskFixture()

  private func beginning(_ count: Int = 70_000, seed: UInt8 = 1, vary: [HTTPHeaders.Field] = [])
    -> StoredResponse
  {
    var headers: HTTPHeaders = ["ETag": "\"a\""]
    if !vary.isEmpty { headers["Vary"] = vary.map(\.name).joined(separator: ", ") }
    return StoredResponse(
      response: TransportResponse(
        url: url("a.jpg"), status: 200, headers: headers, expectedLength: 100_000),
      body: (0..<count).map { UInt8(truncatingIfNeeded: $0) &* 7 &+ seed }, varying: vary, requested: 0,
      received: 0)
  }

  private func find(_ cache: DiskImageCache, _ identity: RequestIdentity) -> StoredResponse? {
    cache.incompleteResponse(for: identity) { _ in }
  }

  private var folder: String { "\(fixture.root)/\(CacheFolder.incompleteFolder)" }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
  }

  /// Replaces a file. The file has a new date, by the clock of the fixture.
  private func write(_ data: Data, to file: String) throws {
    try data.write(to: URL(filePath: file))
    let date = Date(timeIntervalSince1970: fixture.wallClock.withLock { $0 })
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
  }

  @Test func beginningOutlivesTheProcess() {
    let cache = fixture.cache()
    #expect(find(cache, identity("a.jpg")) == nil)
    #expect(cache.storeIncomplete(beginning(), for: identity("a.jpg")))

    var reserved = 0
    let found = fixture.cache().incompleteResponse(for: identity("a.jpg")) { reserved = $0 }

    #expect(found == beginning() && reserved == 70_000)
    #expect(find(cache, identity("a.jpg")) == beginning(), "the same process finds it as well")
    #expect(find(fixture.cache(), identity("b.jpg")) == nil)
    #expect(fixture.cache().containsIncompleteResponse(for: identity("a.jpg")))
    #expect(!fixture.cache().containsIncompleteResponse(for: identity("b.jpg")))
    let seed = DiskImageCache(seed: fixture.folder)
    #expect(!seed.containsIncompleteResponse(for: identity("a.jpg")))
  }

  @Test func beginningsAreCountedApartFromResponses() throws {
    #expect(fixture.cache().incompleteUsage() == ImageCache.DiskUsage())
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity("b.jpg"))
    for name in ["a.jpg", "c.jpg"] { cache.storeIncomplete(beginning(), for: identity(name)) }
    // A writer that has died has left this file, which the next store removes.
    try write(Data(count: 9), to: "\(folder)/\(TemporaryFile.prefix)1")
    let count = files.count

    for cache in [cache, fixture.cache(), DiskImageCache(seed: fixture.folder)] {
      let usage = cache.incompleteUsage()
      // The head and the body of 70,000 bytes take 18 blocks of 4 KiB.
      #expect(usage == ImageCache.DiskUsage(count: 2, bytes: 2 * 18 * 4096))
      #expect(cache.usage()?.count == 1)
    }
    #expect(files.count == count, "counting removes nothing")
    cache.removeAllResponses()
    #expect(cache.incompleteUsage() == ImageCache.DiskUsage())
  }

  @Test func beginningIsNeverTakenForAResponseAndNoResponseForABeginning() throws {
    let cache = fixture.cache()
    cache.storeIncomplete(beginning(), for: identity("a.jpg"))
    #expect(cache.response(for: identity("a.jpg")) == nil)
    #expect(!cache.containsResponse(for: identity("a.jpg")))
    #expect(cache.usage()?.count == 0)

    // Even if a file is moved.
    let file = try #require(files.first)
    let name = try #require(file.split(separator: "/").last.map(String.init))
    let shard = "\(fixture.root)/\(name.prefix(1))"
    try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: file, toPath: "\(shard)/\(name)")
    #expect(fixture.cache().response(for: identity("a.jpg")) == nil)
    #expect(fixture.cache().store(storedResponse(), for: identity("a.jpg")))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(Data(contentsOf: URL(filePath: "\(shard)/\(name)")), to: file)
    #expect(find(fixture.cache(), identity("a.jpg")) == nil)
  }

  @Test("a file that is truncated anywhere, or has a wrong byte, is a miss and is removed")
  func damagedFilesAreMisses() throws {
    fixture.cache().storeIncomplete(beginning(300), for: identity("a.jpg"))
    let file = try #require(files.first)
    let original = try Data(contentsOf: URL(filePath: file))
    for position in original.indices {
      var flipped = original
      flipped[position] ^= 0x10
      for damaged in [flipped, original.prefix(position)] {
        try write(damaged, to: file)
        let found = find(fixture.cache(), identity("a.jpg"))
        #expect(found == nil, "byte \(position)")
      }
    }
    #expect(files.isEmpty)
    try write(original, to: file)
    #expect(find(fixture.cache(), identity("a.jpg")) == beginning(300))
  }

  @Test func fileOfAnotherRequestIsAMiss() throws {
    let cache = fixture.cache()
    cache.storeIncomplete(beginning(seed: 1), for: identity("a.jpg"))
    let first = try #require(files.first)
    cache.storeIncomplete(beginning(seed: 2), for: identity("b.jpg"))
    let second = try #require(files.first { $0 != first })
    try FileManager.default.removeItem(atPath: first)
    try FileManager.default.moveItem(atPath: second, toPath: first)
    #expect(
      find(fixture.cache(), identity("a.jpg")) == nil && find(fixture.cache(), identity("b.jpg")) == nil)
  }

  @Test func secretsAreNotWritten() throws {
    let secret = identity("a.jpg", headers: ["Cookie": "session=swordfish"])
    let response = beginning(vary: [.init(name: "x-token", value: "swordfish")])
    fixture.cache().storeIncomplete(response, for: secret)

    for file in fixture.everything {
      let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      #expect(!text.contains("swordfish"))
    }
    let found = try #require(find(fixture.cache(), secret))
    #expect(found.matches(["X-Token": "swordfish"]) && !found.matches(["X-Token": "other"]))
    #expect(find(fixture.cache(), identity("a.jpg", headers: ["Cookie": "session=other"])) == nil)
    #expect(find(fixture.cache(), identity("a.jpg")) == nil)
  }

  @Test func completeResponseRemovesTheBeginning() {
    let cache = fixture.cache()
    cache.storeIncomplete(beginning(), for: identity("a.jpg"))
    cache.store(storedResponse(), for: identity("a.jpg"))
    #expect(files.isEmpty && find(fixture.cache(), identity("a.jpg")) == nil)
  }

  @Test func removalsRemoveBeginningsAsWell() {
    let cache = fixture.cache()
    for name in ["a.jpg", "b.jpg"] { cache.storeIncomplete(beginning(), for: identity(name)) }
    #expect(!cache.removeResponse(for: identity("a.jpg")))
    #expect(find(cache, identity("a.jpg")) == nil && find(cache, identity("b.jpg")) != nil)
    #expect(!fixture.cache().removeAllResponses(), "there was no complete response")
    #expect(files.isEmpty && find(cache, identity("b.jpg")) == nil)
    cache.storeIncomplete(beginning(), for: identity("b.jpg"))
    #expect(cache.removeAllResponses { _, _ in } && files.isEmpty)
  }

  @Test func oldestBeginningsMakeRoom() {
    let cache = fixture.cache { $0.bytes = 1 << 20 }
    for number in 1...5 {
      #expect(cache.storeIncomplete(beginning(), for: identity(number)))
      fixture.advance(by: 60)
    }
    let found = (1...5).map { find(fixture.cache(), identity($0)) != nil }
    #expect(found == [false, false, true, true, true], "256 KiB hold three of 72 KiB")
    #expect(!cache.storeIncomplete(beginning(300_000), for: identity(9)))
    #expect(find(cache, identity(5)) != nil)
  }

  @Test(arguments: [-8 * 86400.0, -1_800_000_000.0])
  func beginningDatedInTheFutureIsFound(seconds: Double) {
    fixture.cache().storeIncomplete(beginning(), for: identity("a.jpg"))
    fixture.advance(by: seconds)
    #expect(fixture.cache().storeIncomplete(beginning(), for: identity("b.jpg")))
    for name in ["a.jpg", "b.jpg"] { #expect(find(fixture.cache(), identity(name)) == beginning()) }
  }

  @Test(arguments: [0, 90, 30 * 86400.0])
  func beginningFromBeforeTheClockWasSetIsFound(time: Double) {
    fixture.wallClock.withLock { $0 = time }
    fixture.cache().storeIncomplete(beginning(), for: identity("a.jpg"))
    fixture.wallClock.withLock { $0 = 1_800_000_000 }
    #expect(fixture.cache().storeIncomplete(beginning(), for: identity("b.jpg")))
    for name in ["a.jpg", "b.jpg"] { #expect(find(fixture.cache(), identity(name)) == beginning()) }
  }

  @Test(arguments: [8 * 86400.0, 10 * 365 * 86400.0])
  func oldBeginningIsAMiss(seconds: Double) {
    fixture.cache().storeIncomplete(beginning(), for: identity("a.jpg"))
    fixture.advance(by: seconds)
    #expect(find(fixture.cache(), identity("a.jpg")) == nil)
    #expect(files.isEmpty)
  }

  @Test func leftoversOfKilledWritersAreRemoved() throws {
    fixture.cache().storeIncomplete(beginning(), for: identity("a.jpg"))
    try Data([1, 2, 3]).write(to: URL(filePath: "\(folder)/\(TemporaryFile.uniqueName())"))
    #expect(find(fixture.cache(), identity("a.jpg")) == beginning())
    #expect(files.count == 1)
  }

  @Test func fullDiskKeepsNoBeginnings() {
    let system = FaultySystem()
    system.fillDisk()
    let cache = fixture.cache(on: system)
    #expect(!cache.storeIncomplete(beginning(), for: identity("a.jpg")))
    #expect(files.isEmpty && cache.fault == nil)
  }

  @Test("a link or a file in place of the folder is replaced, and not followed", arguments: [true, false])
  func foreignFileInPlaceOfTheFolderIsReplaced(isLink: Bool) throws {
    fixture.cache().store(storedResponse(), for: identity(1))
    let elsewhere = "\(fixture.folder)/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    if isLink {
      #expect(symlink(elsewhere, folder) == 0)
    } else {
      try write(Data([1]), to: folder)
    }
    let cache = fixture.cache()

    #expect(cache.storeIncomplete(beginning(), for: identity("a.jpg")))

    #expect(find(fixture.cache(), identity("a.jpg")) != nil && cache.fault == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
  }

  @Test("whichever call fails, a beginning is found whole or not at all, and no descriptor leaks")
  func failingCallsLoseAtMostTheBeginning() {
    for call in FaultySystem.Call.allCases {
      for isStore in [true, false] {
        var number = 1
        while fails(call, number, isStore: isStore) { number += 1 }
      }
    }
  }

  /// Fails one call in each way. Returns false if there is no such call.
  private func fails(_ call: FaultySystem.Call, _ number: Int, isStore: Bool) -> Bool {
    for fault in FaultySystem.Fault.all(of: call, number: number) {
      let (fixture, system) = (DiskFixture(), FaultySystem())
      fixture.cache().store(storedResponse(), for: identity(1))
      if !isStore { fixture.cache().storeIncomplete(beginning(5000), for: identity("a.jpg")) }
      let cache = fixture.cache(on: system)
      let note: Comment = "\(call.rawValue) number \(number): \(fault)"
      system.fail(call, number: number, with: fault)

      if isStore { cache.storeIncomplete(beginning(5000), for: identity("a.jpg")) }
      let found = find(cache, identity("a.jpg"))

      guard system.hasFailed else { return false }
      #expect(found == nil || found == beginning(5000), note)
      #expect(system.openCount == 0, note)
      fixture.clock.advance(by: WritePause.seconds)
      #expect(cache.storeIncomplete(beginning(5000), for: identity("a.jpg")), note)
      #expect(find(fixture.cache(), identity("a.jpg")) == beginning(5000), note)
      #expect(cache.response(for: identity(1)) == storedResponse(), note)
    }
    return true
  }
}
