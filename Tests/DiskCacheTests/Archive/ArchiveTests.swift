import Callbacks
import Foundation
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Export to one file and import from it.
@Suite(.timeLimit(.minutes(5))) struct ArchiveTests {
  let source = DiskFixture()
  let target = DiskFixture()

  private static let secret = identity("secret.jpg", headers: ["Cookie": "session=1"])

  private static func response(_ number: Int) -> StoredResponse {
    storedResponse(number * 700, seed: UInt8(truncatingIfNeeded: number))
  }

  private func fill(_ numbers: ClosedRange<Int> = 1...5) {
    let cache = source.cache()
    for number in numbers {
      cache.store(Self.response(number), for: identity(number))
      source.advance(by: 10)
    }
  }

  private func export(_ cache: DiskImageCache? = nil) throws -> [UInt8] {
    var archive: [UInt8] = []
    let summary = try (cache ?? source.cache()).exportArchive(to: { archive += $0 })
    #expect(summary.bytes == archive.count && summary.damaged + summary.unreadable == 0)
    return archive
  }

  /// Imports in reads of a size that is no multiple of a block.
  private func read(
    _ archive: [UInt8], into cache: DiskImageCache? = nil, chunk: Int = 777,
    progress: @escaping (DiskImageCache.ImportSummary) -> Bool = { _ in true }
  ) -> DiskImageCache.ImportSummary {
    var rest = archive[...]
    return (cache ?? target.cache()).importArchive(
      from: { count in
        let part = rest.prefix(min(count, chunk))
        rest = rest.dropFirst(part.count)
        return Array(part)
      }, progress: progress)
  }

  private func found(_ numbers: ClosedRange<Int> = 1...5, in fixture: DiskFixture) -> [Int] {
    let cache = fixture.cache()
    return numbers.filter { number in
      guard let response = cache.response(for: identity(number)) else { return false }
      #expect(response == Self.response(number), "never a wrong image")
      return true
    }
  }

  @Test func archiveHasAllResponsesWithTheirTimes() throws {
    fill()
    let before = try #require(source.files.first)
    var times = stat()
    #expect(stat(before, &times) == 0)

    let summary = read(try export())

    #expect(summary.imported == 5 && summary.isIntact && summary.total == 5 && summary.visited == 5)
    #expect(found(in: target) == [1, 2, 3, 4, 5])
    var after = stat()
    #expect(stat(before.replacingOccurrences(of: source.folder, with: target.folder), &after) == 0)
    #expect(after.st_mtim.tv_sec == times.st_mtim.tv_sec && after.st_size == times.st_size)
    #expect(after.st_mode & 0o777 == 0o600)
    #expect(target.cache().measured().entries == 5 && target.everything.count == 5)
  }

  @Test func emptyCacheHasAnArchive() throws {
    let summary = read(try export())
    #expect(summary.isIntact && summary.imported == 0 && summary.total == 0)
  }

  @Test func updatedHeadsAreInTheArchive() throws {
    fill(1...1)
    var later = Self.response(1)
    later.received += 3600
    source.cache().store(later, for: identity(1))

    #expect(read(try export()).imported == 1)
    #expect(target.cache().response(for: identity(1)) == later)
  }

  @Test func olderResponseReplacesNoNewerOne() throws {
    fill(1...3)
    let archive = try export()
    let cache = target.cache()
    var newer = storedResponse(seed: 99)
    newer.received += 60
    cache.store(newer, for: identity(1))
    var older = storedResponse(seed: 98)
    older.received -= 60
    cache.store(older, for: identity(2))

    let summary = read(archive)

    #expect(summary.imported == 2 && summary.known == 1)
    #expect(target.cache().response(for: identity(1)) == newer)
    #expect(target.cache().response(for: identity(2)) == Self.response(2))
    #expect(read(archive).known == 3, "a second import changes nothing")
  }

  @Test func responsesToRequestsThatStateTheirFormatsAreFoundInAnotherFolder() throws {
    let list = identity("list.txt", headers: ["Accept": "text/plain", "Accept-Language": "de"])
    source.cache().store(storedResponse(seed: 3), for: list)
    // Both folders have a key.
    source.cache().store(storedResponse(), for: Self.secret)
    target.cache().store(storedResponse(), for: Self.secret)

    let summary = read(try export())

    #expect(summary.imported == 1 && summary.isPrivate == 1)
    #expect(target.cache().response(for: list) == storedResponse(seed: 3))
  }

  @Test func privateResponsesOfAnotherFolderAreLeftOut() throws {
    fill(1...1)
    let cache = source.cache()
    cache.store(storedResponse(seed: 7), for: Self.secret)
    var varying = storedResponse(headers: ["Vary": "X-Theme"])
    varying.varying = [.init(name: "x-theme", value: "dark")]
    cache.store(varying, for: identity(2))
    let archive = try export()
    let key = try Data(contentsOf: URL(filePath: "\(source.root)/\(FolderKey.name)"))
    #expect(Data(archive).range(of: key) == nil, "the key stays in its folder")
    target.cache().store(storedResponse(), for: Self.secret)
    target.cache().removeAllResponses()

    let summary = read(archive)

    #expect(summary.imported == 1 && summary.isPrivate == 2 && summary.isIntact)
    #expect(target.cache().response(for: Self.secret) == nil && target.files.count == 1)
    // The folder of the archive recognizes them.
    cache.removeAllResponses()
    #expect(read(archive, into: source.cache()).imported == 3)
    #expect(source.cache().response(for: Self.secret) == storedResponse(seed: 7))
  }

  @Test func truncatedArchiveGivesAllWholeResponses() throws {
    fill()
    let archive = try export()
    var most = 0
    for count in stride(from: 0, through: archive.count, by: 97) {
      let target = DiskFixture()
      let summary = read(Array(archive.prefix(count)), into: target.cache())
      #expect(!summary.isIntact, "\(count) bytes")
      #expect(found(in: target).count == summary.imported && target.everything.count == summary.imported)
      #expect(summary.imported >= most)
      most = summary.imported
    }
    #expect(most == 5, "only the end is missing")
    #expect(read([]).failure == .notAnArchive)
    #expect(read(Array("GIF89a and more".utf8)).failure == .notAnArchive)
  }

  @Test func flippedByteLosesAtMostTwoResponses() throws {
    fill()
    let archive = try export()
    for index in stride(from: 0, to: archive.count, by: 53) {
      var flipped = archive
      flipped[index] ^= 1 << (index % 8)
      let target = DiskFixture()
      let summary = read(flipped, into: target.cache())
      #expect(!summary.isIntact, "byte \(index)")
      #expect(found(in: target).count == summary.imported && summary.imported >= 4, "byte \(index)")
      #expect(target.everything.count == summary.imported)
    }
  }

  @Test func missingAndStrangeBytesLoseOnlyTheResponsesThatTheyAreIn() throws {
    fill()
    let archive = try export()
    for start in stride(from: 0, to: archive.count - 300, by: 211) {
      for replacement in [[], Array("vitrarc1".utf8), [UInt8](repeating: 0, count: 1000)] {
        var changed = archive
        changed.replaceSubrange(start..<start + 200, with: replacement)
        let target = DiskFixture()
        let summary = read(changed, into: target.cache())
        #expect(found(in: target).count == summary.imported && summary.imported >= 3, "byte \(start)")
      }
    }
  }

  @Test func swappedResponsesAreImported() throws {
    fill(1...2)
    var blocks: [ArchiveBlock] = []
    var rest = try export()[...]
    var reader = ArchiveReader { count in
      let part = rest.prefix(count)
      rest = rest.dropFirst(part.count)
      return Array(part)
    }
    while let block = try reader.next() { blocks.append(block) }
    #expect(blocks.map(\.kind) == [.start, .file, .part, .file, .part, .end])

    // The bytes of one response under the name of the other.
    let swapped = [0, 1, 4, 3, 2, 5].flatMap { blocks[$0].bytes }
    #expect(read(swapped).imported == 0 && target.files.isEmpty)
    let reordered = [0, 3, 4, 1, 2, 5].flatMap { blocks[$0].bytes }
    let summary = read(reordered)
    #expect(summary.imported == 2 && summary.isIntact)
    // Without the blocks of a response, no block is damaged.
    let shorter = read([0, 1, 2, 5].flatMap { blocks[$0].bytes })
    #expect(shorter.known == 1 && shorter.isComplete && !shorter.isIntact)
    // Archives in one stream.
    let twice = read((blocks + blocks).flatMap(\.bytes))
    #expect(twice.known == 4 && twice.total == 4 && twice.isIntact)
  }

  @Test func excessiveLengthsAreRefused() throws {
    let name = ContentHash([1])
    for length in [-1, .max, ResponseFile.maximumFileBytes + 1, ResponseFile.maximumFileBytes, 0] {
      let file = ArchiveBlock.file(.init(name: name, length: length, stored: .max, used: .min))
      let archive = file.bytes + ArchiveBlock.part(at: 0, [1, 2, 3]).bytes + ArchiveBlock.end(count: 1).bytes
      let summary = read(archive)
      #expect(summary.imported == 0 && summary.failure == nil && target.everything.isEmpty, "\(length)")
    }
    #expect(ArchiveBlock.payloadLength(ArchiveBlock.magic + [1, 0, 0, 0, 255, 255, 255, 255]) == nil)
  }

  @Test func damagedFilesAreNotExported() throws {
    fill(1...2)
    let file = try #require(source.files.first)
    try Data(try Data(contentsOf: URL(filePath: file)).dropLast()).write(to: URL(filePath: file))
    var archive: [UInt8] = []

    let summary = try source.cache().exportArchive(to: { archive += $0 })

    #expect(summary.exported == 1 && summary.damaged == 1 && summary.unreadable == 0)
    #expect(read(archive).imported == 1)
    #expect(access(file, F_OK) == 0, "an export removes nothing")
  }

  @Test(arguments: [EACCES, EPERM, EIO]) func unreadableFilesAreToldFromDamagedOnes(code: Int32) throws {
    fill(1...2)
    let name = try #require(source.files.first?.split(separator: "/").last)
    let system = FaultySystem()
    system.refuse(String(name), with: code)
    var archive: [UInt8] = []

    let summary = try source.cache(on: system).exportArchive(to: { archive += $0 })

    #expect(summary.exported == 1 && summary.unreadable == 1 && summary.damaged == 0)
    #expect(read(archive).imported == 1 && system.openCount == 0)
  }

  @Test func removedFilesAndLinksAreNoUnreadableFiles() throws {
    fill(1...2)
    let system = FaultySystem()
    let names = source.files.compactMap { $0.split(separator: "/").last }
    system.refuse(String(names[0]), with: ENOENT)
    try FileManager.default.removeItem(atPath: source.files[1])
    try FileManager.default.createSymbolicLink(
      atPath: "\(source.root)/\(names[1].prefix(1))/\(names[1])", withDestinationPath: "/dev/null")

    let summary = try source.cache(on: system).exportArchive(to: { _ in })

    #expect(summary.exported == 0 && summary.damaged == 1 && summary.unreadable == 0)
  }

  @Test func interruptedOperationsLoseNothing() throws {
    fill()
    let archive = try export()
    #expect(throws: ArchiveError.cancelled) {
      try source.cache().exportArchive(to: { _ in }, progress: { visited, _ in visited < 2 })
    }
    #expect(found(in: source) == [1, 2, 3, 4, 5])

    let summary = read(archive, progress: { $0.imported < 2 })

    #expect(summary.failure == .cancelled && summary.imported == 2 && !summary.isIntact)
    #expect(found(in: target).count == 2 && target.everything.count == 2)
    #expect(read(archive).imported == 3, "the next import takes the rest")
  }

  @Test func failuresOfTheArchiveEndTheOperation() throws {
    fill()
    let archive = try export()
    var written = 0
    #expect(throws: ArchiveError.archive(code: ENOSPC)) {
      _ = try source.cache().exportArchive(
        to: { (bytes) throws(ArchiveError) in
          written += bytes.count
          if written > 2000 { throw .archive(code: ENOSPC) }
        })
    }
    var isFirst = true

    let summary = target.cache().importArchive(
      from: { (_) throws(ArchiveError) -> [UInt8] in
        guard isFirst else { throw .archive(code: EIO) }
        isFirst = false
        return Array(archive.prefix(3000))
      })

    #expect(summary.failure == .archive(code: EIO))
    #expect(found(in: target).count == summary.imported && target.everything.count == summary.imported)
  }

  @Test(
    "each system call of an import fails once",
    arguments: [
      FaultySystem.Call.open, .makeFolder, .status, .read, .write, .close, .rename, .setTimes, .lock, .space,
      .statusOfName,
    ])
  func failingCallsLeaveOnlyWholeResponses(call: FaultySystem.Call) throws {
    fill(1...2)
    let archive = try export()
    for number in 1...12 {
      let (target, system) = (DiskFixture(), FaultySystem())
      system.fail(call, number: number, with: .error(EIO))
      let summary = read(archive, into: target.cache(on: system))
      #expect(found(in: target).count >= summary.imported)
      #expect(target.everything.count == target.files.count, "\(call) \(number)")
      #expect(system.openCount == 0)
    }
  }

  @Test("a sweep during an import removes no file of it", arguments: [FaultySystem.Call.lock, .rename])
  func sweepDuringAnImportRemovesNothing(call: FaultySystem.Call) async throws {
    fill(1...1)
    let archive = try export()
    let (system, gate) = (FaultySystem(), Gate())
    let cache = target.cache(on: system)
    system.fail(call, with: .hang(gate))
    let imported = Mutex(0)
    async let end: Void = untilCalled { done in
      BlockingThread.start {
        let count = read(archive, into: cache).imported
        imported.withLock { $0 = count }
        done()
      }
    }
    await gate.waitUntilHeld(1)
    #expect(target.everything.count == 1)

    target.cache().trim()

    // Before the lock, the file seems abandoned, and another takes its place.
    #expect(target.everything.count == (call == .lock ? 0 : 1))
    gate.open()
    try await end
    #expect(imported.withLock { $0 } == 1)
    #expect(found(in: target) == [1] && target.everything.count == 1)
  }

  @Test func limitsAndFreeSpaceAreKept() throws {
    fill()
    let archive = try export()
    let small = target.cache { $0.bytes = 2 * 4096 }
    let some = read(archive, into: small)
    #expect(some.failure == nil && some.imported > 0 && some.imported + some.noRoom == 5)
    let left = target.cache().measured()
    #expect(
      left.bytes <= 2 * 4096 && left.entries == some.imported && target.everything.count == left.entries)
    let (full, system) = (DiskFixture(), FaultySystem())
    system.fillDisk()
    let summary = read(archive, into: full.cache(on: system))
    #expect(summary.failure == .folder(.diskIsFull(path: full.folder)) && full.files.isEmpty)
    let tiny = DiskFixture()
    let refused = read(archive, into: tiny.cache { $0.bytes = 100 })
    #expect(refused.tooLarge == 5 && refused.imported == 0 && !refused.hasDamage)
  }

  @Test func importEvictsNothing() throws {
    fill()
    let archive = try export()
    let own = (11...14).map { identity($0) }
    let cache = target.cache { $0.bytes = 3 * 4096 }
    // The folder exceeds the limit of the import already.
    for identity in own { target.cache().store(storedResponse(seed: 9), for: identity) }
    // A newer version of a response that is there needs no more room than the older one.
    var older = Self.response(1)
    older.received -= 60
    target.cache().store(older, for: identity(1))

    let summary = read(archive, into: cache)

    #expect(summary.imported == 1 && summary.noRoom == 4 && summary.visited == 5 && summary.isIntact)
    #expect(own.allSatisfy { target.cache().response(for: $0) == storedResponse(seed: 9) })
    #expect(target.cache().response(for: identity(1)) == Self.response(1))
    let few = target.cache { $0.count = 7 }
    #expect(read(archive, into: few).imported == 2, "two more responses make seven")
  }

  @Test func seedCannotBeTheTargetOfAnImport() throws {
    fill()
    let summary = read(try export(), into: DiskImageCache(seed: target.folder))
    #expect(summary.failure == .folder(.refused(path: target.folder, code: EROFS)))
    #expect(try export(DiskImageCache(seed: source.folder)).count > 1000, "but that of an export")
  }
}
