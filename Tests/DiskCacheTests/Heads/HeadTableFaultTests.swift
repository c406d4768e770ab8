import Callbacks
import Foundation
import Glibc
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Changes and damage that must not lead to a wrong head.
@Suite(.timeLimit(.minutes(5))) struct HeadTableFaultTests {
  let fixture = DiskFixture()

  /// The ways in which the file of a response can differ from the version of an entry.
  enum Difference: String, CaseIterable { case inode, time, size }

  @Test(arguments: Difference.allCases) func headOfAnotherVersionIsNotUsed(difference: Difference) {
    fixture.fill(0..<1)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    _ = cache.head(for: identity(0))
    #expect(system.opens { _ = cache.head(for: identity(0)) } == 0)
    system.changeStatus { status in
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      switch difference {
      case .inode: status.st_ino += 1
      case .time: status.st_mtim.tv_nsec ^= 1
      case .size: status.st_size += 1
      }
    }

    let openCount = system.opens { #expect(cache.head(for: identity(0)) == fixture.headInFile(identity(0))) }
    #expect(openCount > 0)
  }

  @Test("a head that is recorded after its response was removed is erased")
  func headOfAResponseThatIsBeingRemoved() async throws {
    fixture.cache().store(storedResponse(headers: ["ETag": "\"private-tag\""]), for: identity(0))
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    // The writer of the table blocks before its write, after the file of the response was read.
    let gate = Gate()
    system.fail(.writeAt, with: .hang(gate))
    async let end: Void = untilCalled { done in
      BlockingThread.start {
        _ = cache.head(for: identity(0))
        done()
      }
    }
    await gate.waitUntilHeld(1)
    fixture.cache().removeResponse(for: identity(0))
    gate.open()
    try await end

    #expect(try !contents(fixture.tablePath).contains(Array("private-tag".utf8)))
  }

  @Test func removalEmptiesADamagedBucket() throws {
    fixture.fill(7..<8, headers: ["ETag": "\"private-tag\""])
    var bytes = try contents(fixture.tablePath)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("private-tag".utf8)) })
    bytes[start + 30] ^= 1
    try overwrite(fixture.tablePath, bytes)

    fixture.cache().removeResponse(for: identity(7))

    #expect(try !contents(fixture.tablePath).contains(Array("private-tag".utf8)))
  }

  @Test(
    "a response file with a damaged head is removed by its revalidation, although its recorded head is intact"
  )
  func damagedFileIsFoundByRevalidation() throws {
    fixture.fill(0..<1)
    let cache = fixture.cache()
    let head = try #require(cache.head(for: identity(0)))
    let path = try #require(fixture.files.first)
    var status = stat()
    #expect(stat(path, &status) == 0)
    var bytes = try contents(path)
    bytes[60] ^= 1
    try overwrite(path, bytes)
    var times = [status.st_atim, status.st_mtim]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    #expect(cache.head(for: identity(0)) == head)

    #expect(!cache.update(head.response, of: head.body, for: identity(0)))

    #expect(fixture.files.isEmpty && cache.head(for: identity(0)) == nil)
  }

  @Test("a private head is not found any more when another process has replaced the key of the folder")
  func replacedKeyIsRead() throws {
    let secret = identity("a.jpg", headers: ["Authorization": "Basic eDp5"])
    let cache = fixture.cache()
    cache.store(storedResponse(), for: secret)
    for _ in 0..<2 { #expect(cache.head(for: secret) != nil) }
    try overwrite("\(fixture.root)/key", [1, 2, 3])
    fixture.cache().store(storedResponse(seed: 9), for: secret)

    #expect(cache.head(for: secret)?.body == cache.digest(of: storedResponse(seed: 9).body))
  }

  @Test func damagedTableLosesNothing() throws {
    fixture.fill(0..<3)
    let heads = (0..<3).map { fixture.headInFile(identity($0)) }
    let intact = try contents(fixture.tablePath)
    let used = intact.indices.filter { intact[$0] != 0 }
    #expect(used.count > 300)
    var damaged: [[UInt8]] = used.map { index in
      var bytes = intact
      bytes[index] ^= 0x41
      return bytes
    }
    damaged += [0, 1, 31, 32, 4096, 4097, intact.count - 1].map { Array(intact.prefix($0)) }
    damaged.append(intact + intact)
    for bytes in damaged {
      try overwrite(fixture.tablePath, bytes)
      let cache = fixture.cache()
      for _ in 0..<2 {
        for number in 0..<3 { #expect(cache.head(for: identity(number)) == heads[number]) }
      }
      #expect(cache.fault == nil)
    }
    // The table is whole again.
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    _ = cache.head(for: identity(0))
    #expect(system.opens { for number in 0..<3 { _ = cache.head(for: identity(number)) } } == 0)
  }

  @Test("a link, a folder or a FIFO in place of the table is replaced or left alone")
  func foreignFileInPlaceOfTheTable() throws {
    fixture.fill(0..<1)
    let target = "\(fixture.folder)/target"
    try Data(contents(fixture.tablePath)).write(to: URL(filePath: target))
    let before = try contents(target)
    let places: [(String) -> Bool] = [
      { symlink(target, $0) == 0 }, { mkdir($0, 0o700) == 0 }, { mkfifo($0, 0o600) == 0 },
    ]
    for place in places {
      try? FileManager.default.removeItem(atPath: fixture.tablePath)
      #expect(place(fixture.tablePath))
      let cache = fixture.cache()
      for _ in 0..<2 { #expect(cache.head(for: identity(0)) == fixture.headInFile(identity(0))) }
      #expect(try contents(target) == before)
    }
  }

  @Test func headOfAnotherRequestIsNotFound() throws {
    // All requests have one file name.
    let cache = fixture.cache(nil, hash: { _ in ContentHash(high: 1, low: 2) })
    cache.store(storedResponse(), for: identity(1))
    #expect(cache.head(for: identity(1)) != nil)

    #expect(cache.head(for: identity(2)) == nil)
    #expect(cache.head(for: identity(1)) != nil)
  }

  @Test("a file system without exact times keeps no heads, because two versions of a file may look alike")
  func fileSystemWithoutExactTimes() {
    let system = FaultySystem()
    system.changeStatus { $0.st_mtim.tv_nsec = 120_000_000 }
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(seed: 1), for: identity(0))
    let first = cache.head(for: identity(0))
    fixture.cache().store(storedResponse(seed: 2), for: identity(0))

    #expect(first != nil && cache.head(for: identity(0))?.body != first?.body)
    #expect(!FileManager.default.fileExists(atPath: fixture.tablePath))
  }

  @Test("a table that cannot be written is not tried again for a minute", arguments: [EROFS, ENOSPC, EIO])
  func tableThatCannotBeWritten(code: Int32) {
    fixture.cache().store(storedResponse(), for: identity(0))
    let system = FaultySystem()
    system.fail(.write, number: FaultySystem.always, with: .error(code))
    let cache = fixture.cache(on: system)

    for _ in 0..<5 { #expect(cache.head(for: identity(0)) == fixture.headInFile(identity(0))) }
    #expect(system.counts[.write] == 1 && cache.fault == nil)
    fixture.wait(61)
    #expect(cache.head(for: identity(0)) != nil)
    #expect(system.counts[.write] == 2)
  }

  @Test("a delayed removal hides recorded heads")
  func delayedRemovalHidesHeads() {
    fixture.fill(0..<1)
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    #expect(cache.head(for: identity(0)) != nil)
    system.fail(.open, number: FaultySystem.always, with: .error(EMFILE))

    cache.removeAllResponses()

    #expect(cache.head(for: identity(0)) == nil)
  }

  @Test(
    "a response behind a symbolic link in place of its subfolder is not found, with or without its recorded head"
  )
  func linkInPlaceOfASubfolder() throws {
    fixture.fill(0..<1)
    let cache = fixture.cache()
    #expect(cache.head(for: identity(0)) != nil && cache.response(for: identity(0)) != nil)
    let file = try #require(fixture.files.first)
    let shard = String(file[..<(try #require(file.lastIndex(of: "/")))])
    try FileManager.default.moveItem(atPath: shard, toPath: "\(fixture.folder)/elsewhere")
    #expect(symlink("\(fixture.folder)/elsewhere", shard) == 0)

    #expect(cache.head(for: identity(0)) == nil && cache.response(for: identity(0)) == nil)
    #expect(cache.fault != nil)
  }

  @Test("a head whose removal waits while the table is replaced is not in the new table")
  func removalDuringGrowth() async throws {
    fixture.fill(0..<1, headers: ["ETag": "\"private-tag\""])
    let (cache, system, gate) = (fixture.cache(), FaultySystem(), Gate())
    for number in 1..<300 { cache.store(storedResponse(4), for: identity(number)) }
    let remover = fixture.cache(on: system)
    // The remover has opened the table, and waits for the lock.
    system.fail(.lock, with: .hang(gate))
    async let removal: Void = untilCalled { done in
      BlockingThread.start {
        remover.removeResponse(for: identity(0))
        done()
      }
    }
    await gate.waitUntilHeld(1)
    for number in 1..<300 { _ = cache.head(for: identity(number)) }
    let holdsTag = { try contents(fixture.tablePath).contains(Array("private-tag".utf8)) }
    #expect(try holdsTag())
    #expect(try contents(fixture.tablePath).count > 17 * HeadBucket.length)
    gate.open()
    try await removal

    #expect(try !holdsTag())
  }

  @Test("a table that cannot grow keeps its heads, and leaves no unfinished file", arguments: [ENOSPC, EIO])
  func growthThatFails(code: Int32) throws {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    for number in 0..<300 { cache.store(storedResponse(4), for: identity(number)) }
    _ = cache.head(for: identity(0))
    system.fail(.rename, number: FaultySystem.always, with: .error(code))

    for number in 0..<300 {
      #expect(cache.head(for: identity(number)) == fixture.headInFile(identity(number)))
    }

    #expect(cache.fault == nil)
    #expect(try contents(fixture.tablePath).count == 17 * HeadBucket.length)
    #expect(fixture.everything.allSatisfy { !$0.contains(TemporaryFile.prefix) })
    let openCount = system.opens { #expect(cache.head(for: identity(0)) != nil) }
    #expect(openCount == 0)
  }
}
