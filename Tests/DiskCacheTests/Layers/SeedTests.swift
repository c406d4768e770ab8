import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Directories that are only read.
@Suite(.timeLimit(.minutes(5))) struct SeedTests {
  let fixture = SeedFixture()

  @Test func seedIsNeverWritten() throws {
    fixture.fillSeed(1..<4)
    let damaged = try #require(fixture.seed.files.first)
    try Data("damaged".utf8).write(to: URL(filePath: damaged))
    // A lookup in a writable cache would remove it by its age.
    #expect(fixture.seed.cache().storeIncomplete(storedResponse(70_000), for: identity(9)))
    // A writer that has died has left these.
    try Data(count: 9).write(to: URL(filePath: "\(fixture.seed.root)/\(TemporaryFile.prefix)1"))
    try FileManager.default.createDirectory(
      atPath: "\(fixture.seed.root)/\(RemovedFolder.prefix)1", withIntermediateDirectories: false)
    let paths = fixture.seedPaths
    fixture.resetAccessTimes(paths)
    let before = fixture.listing(paths)
    fixture.top.advance(by: 100 * 86400)
    let seed = fixture.seedCache()
    let cache = fixture.cache()

    for number in 1..<4 { _ = cache.response(for: identity(number)) }
    _ = cache.containsResponse(for: identity("a.jpg", headers: ["Cookie": "id=1"]))
    #expect(!seed.store(storedResponse(), for: identity(9)))
    #expect(!seed.removeResponse(for: identity(1)) && !seed.removeAllResponses())
    #expect(!seed.removeAllResponses { _, _ in })
    seed.trim()
    seed.removeExpiredResponses()
    #expect(seed.measured().entries == 3 && seed.usage()?.count == 3)
    #expect(seed.moveEntries(from: fixture.top.folder) == 0)
    seed.forEachEntry(verifyingBodies: true) { _ in true }
    #expect(!seed.removeDamagedEntry(String(damaged.suffix(32))))
    #expect(seed.fetchLock(for: identity(9)) == nil && seed.fetchProgress(for: identity(9)) == nil)
    #expect(seed.incompleteResponse(for: identity(9)) { _ in } == nil)
    #expect(!seed.storeIncomplete(storedResponse(70_000), for: identity(9)))
    cache.store(storedResponse(), for: identity(1))
    cache.removeResponse(for: identity(2))
    cache.removeAllResponses()
    cache.removeExpiredResponses()

    #expect(fixture.listing(paths) == before)
    #expect(fixture.seedPaths == paths)
  }

  @Test func seedMakesNoChangingSystemCall() {
    fixture.fillSeed(1..<4)
    let system = FaultySystem()
    let seed = fixture.seedCache(system)

    for number in 0..<5 { _ = seed.response(for: identity(number)) }
    seed.store(storedResponse(), for: identity(1))
    seed.removeResponse(for: identity(1))
    seed.trim()
    _ = seed.measured()

    #expect(system.calls.isSubset(of: [.open, .close, .status, .statusOfName, .read, .names]))
    #expect(system.openCount == 0)
  }

  @Test func fileWhoseOwnerIsAnotherIsReadAlthoughItsAccessTimeCannotBeKept() {
    fixture.fillSeed(1..<2)
    let system = FaultySystem()
    let seed = fixture.seedCache(system)
    // The fourth file is that of the response: the folder, `v3` and the shard come first.
    system.fail(.open, number: 4, with: .error(EPERM))

    #expect(seed.response(for: identity(1)) == SeedFixture.response(1))
    #expect(system.hasFailed)
  }

  @Test(
    "seeds of this user and of root are accepted unless others may write to them",
    arguments: [
      (owner: uid_t(1000), mode: mode_t(0o755), isAccepted: true), (1000, 0o700, true), (0, 0o755, true),
      (0, 0o555, true), (1001, 0o755, false), (1000, 0o775, false), (0, 0o757, false), (0, 0o1777, false),
    ])
  func accessRule(owner: uid_t, mode: mode_t, isAccepted: Bool) {
    var status = stat()
    status.st_uid = owner
    status.st_mode = S_IFDIR | mode

    let refusal = SeedAccess.refusal(of: FileStatus(status), user: 1000, path: "/seed")

    #expect((refusal == nil) == isAccepted)
    if owner == 1001 { #expect(refusal == .ownedByAnotherUser(path: "/seed")) }
  }

  @Test(arguments: ["", "/v3"]) func folderThatOthersMayWriteIsRefused(part: String) {
    fixture.fillSeed(1..<2)
    let path = fixture.seed.folder + part
    #expect(chmod(path, 0o777) == 0)
    let seed = fixture.seedCache()

    #expect(seed.response(for: identity(1)) == nil)
    #expect(seed.fault == .writableByOthers(path: fixture.seed.folder))
    #expect(chmod(path, 0o755) == 0)

    #expect(seed.response(for: identity(1)) == SeedFixture.response(1))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o755, "the mode stays")
  }

  @Test("a subfolder or a file that others may write is refused", arguments: [true, false])
  func contentsThatOthersMayWriteAreRefused(isFolder: Bool) throws {
    fixture.fillSeed(1..<2)
    let file = try #require(fixture.seed.files.first)
    let path = isFolder ? String(file.dropLast(33)) : file
    for mode in [0o770, 0o707, 0o660, 0o606] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      let seed = fixture.seedCache()

      #expect(seed.response(for: identity(1)) == nil && seed.head(for: identity(1)) == nil)
      #expect(seed.fault == .writableByOthers(path: fixture.seed.folder))
    }
    #expect(chmod(path, isFolder ? 0o755 : 0o644) == 0)

    #expect(fixture.seedCache().response(for: identity(1)) == SeedFixture.response(1))
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"), arguments: [true, false])
  func contentsOfAnotherUserAreRefused(isFolder: Bool) throws {
    fixture.fillSeed(1..<2)
    let file = try #require(fixture.seed.files.first)
    #expect(chown(isFolder ? String(file.dropLast(33)) : file, 12345, 12345) == 0)
    let seed = fixture.seedCache()

    #expect(seed.response(for: identity(1)) == nil)
    #expect(seed.fault == .ownedByAnotherUser(path: fixture.seed.folder))
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"), arguments: ["", "/v3"])
  func folderOfAnotherUserIsRefused(part: String) {
    fixture.fillSeed(1..<2)
    let path = fixture.seed.folder + part
    #expect(chown(path, 12345, 12345) == 0)
    let cache = fixture.cache()

    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.fault == .ownedByAnotherUser(path: fixture.seed.folder))
    #expect(cache.store(storedResponse(), for: identity(1)), "the top layer works")
    #expect(cache.response(for: identity(1)) == storedResponse())
    #expect(chown(path, 0, 0) == 0)
  }

  @Test func symbolicLinksBelowTheDirectoryAreRefused() throws {
    fixture.fillSeed(1..<2)
    let file = try #require(fixture.seed.files.first)
    let shard = String(file.dropLast(33))
    for path in [file, shard, fixture.seed.root] {
      let moved = fixture.seed.folder + "/moved"
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
      #expect(fixture.cache().response(for: identity(1)) == nil, "\(path)")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: moved, toPath: path)
    }
    #expect(fixture.cache().response(for: identity(1)) == SeedFixture.response(1))
  }

  @Test(
    "a seed behind a symbolic link is read, if no other user can change the folder that the link leads to")
  func linkToASeedIsFollowed() throws {
    fixture.fillSeed(1..<2)
    let link = fixture.seed.folder + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.seed.folder)
    defer { try? FileManager.default.removeItem(atPath: link) }
    #expect(DiskImageCache(seed: link).response(for: identity(1)) == SeedFixture.response(1))

    #expect(chmod(fixture.seed.folder, 0o777) == 0)
    let refused = DiskImageCache(seed: link)
    #expect(refused.response(for: identity(1)) == nil && refused.fault != nil)
    #expect(chmod(fixture.seed.folder, 0o755) == 0)

    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
    #expect(DiskImageCache(seed: link).response(for: identity(1)) == nil, "a link to itself")
  }

  @Test func missingSeedIsEmpty() {
    let seed = DiskImageCache(seed: fixture.seed.folder + "/nowhere")

    #expect(seed.isReadOnly && seed.response(for: identity(1)) == nil && seed.fault == nil)
    #expect(seed.measured().entries == 0 && seed.forEachEntry { _ in true } == .complete)
    #expect(!FileManager.default.fileExists(atPath: fixture.seed.folder + "/nowhere"))
  }

  @Test func damagedFileOfASeedIsAMissAndStays() throws {
    fixture.fillSeed(1..<2)
    let file = try #require(fixture.seed.files.first)
    let bytes = try Data(contentsOf: URL(filePath: file))
    try bytes.dropLast().write(to: URL(filePath: file))

    #expect(fixture.cache().response(for: identity(1)) == nil)
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test(.enabled(if: DiskFaultTests.mayMount, "needs the right to mount a disk"))
  func seedOnAReadOnlyFileSystemIsRead() {
    #expect(mount("tmpfs", fixture.seed.folder, "tmpfs", 0, "size=256k,mode=0755") == 0)
    defer { umount2(fixture.seed.folder, 2) }
    fixture.fillSeed(1..<3)
    #expect(mount("tmpfs", fixture.seed.folder, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
    let cache = fixture.cache()

    #expect(cache.response(for: identity(1)) == SeedFixture.response(1))
    #expect(cache.removeResponse(for: identity(1)) && cache.response(for: identity(1)) == nil)
    #expect(cache.store(storedResponse(), for: identity(3)))
    #expect(cache.fault == nil)
  }
}
