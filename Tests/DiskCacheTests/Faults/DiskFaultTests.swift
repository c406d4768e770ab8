import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Disks that are full, read-only, owned by another user, or removed.
@Suite(.timeLimit(.minutes(5))) struct DiskFaultTests {
  let fixture = DiskFixture()

  /// True if this process may mount a small disk, which root in most containers may not.
  static let mayMount: Bool = {
    let fixture = DiskFixture()
    guard mount("tmpfs", fixture.folder, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(fixture.folder, 2) == 0
  }()

  private func withDisk(_ size: String, _ body: () throws -> Void) throws {
    #expect(mount("tmpfs", fixture.folder, "tmpfs", 0, "size=\(size)") == 0)
    defer { umount2(fixture.folder, 2) }
    try body()
  }

  private static let needsMount: Comment = "needs the right to mount a disk"

  @Test(.enabled(if: mayMount, needsMount)) func fullDiskEvictsTheLeastRecentlyUsed() throws {
    try withDisk("256k") {
      let cache = fixture.cache()
      for number in 0..<20 { #expect(cache.store(storedResponse(30_000), for: identity(number))) }
      #expect(cache.fault == nil && cache.statistics.failures == 0)
      #expect((5...8).contains(fixture.files.count) && fixture.everything.count == fixture.files.count)
      for number in 15..<20 { #expect(cache.response(for: identity(number)) == storedResponse(30_000)) }
      #expect(!cache.store(storedResponse(300_000), for: identity(20)))
      #expect(cache.fault == .diskIsFull(path: fixture.folder))
    }
  }

  @Test(.enabled(if: mayMount, needsMount)) func writingPausesAfterAFailure() throws {
    #expect(mount("tmpfs", fixture.folder, "tmpfs", 0, "size=1m,nr_inodes=8") == 0)
    defer { umount2(fixture.folder, 2) }
    let cache = fixture.cache()
    var kept = 0
    while kept < 10, cache.store(storedResponse(30_000), for: identity(kept)) { kept += 1 }
    #expect((1...6).contains(kept))
    #expect(cache.fault == .refused(path: fixture.folder, code: ENOSPC))
    #expect(fixture.everything.count == kept && cache.measured().entries == kept)
    for number in 0..<kept { #expect(cache.response(for: identity(number)) == storedResponse(30_000)) }
    // Writing pauses even when there is room again; reading does not pause.
    #expect(cache.removeAllResponses())
    #expect(!cache.store(storedResponse(), for: identity(100)))
    #expect(cache.statistics.failures == 1 && cache.statistics.refusals == 1)
    fixture.clock.advance(by: WritePause.seconds)
    #expect(cache.store(storedResponse(), for: identity(100)))
    #expect(cache.fault == nil)
  }

  @Test(.enabled(if: mayMount, needsMount)) func freeBytesLimitIsKept() throws {
    try withDisk("1m") {
      let cache = fixture.cache { $0.freeBytes = 512 << 10 }
      for number in 0..<100 { #expect(cache.store(storedResponse(30_000), for: identity(number))) }
      #expect(cache.response(for: identity(99)) != nil && cache.response(for: identity(0)) == nil)
      var system = statvfs()
      #expect(statvfs(fixture.folder, &system) == 0)
      #expect(Int(system.f_bavail) * Int(system.f_frsize) >= 512 << 10)
    }
  }

  @Test(.enabled(if: mayMount, needsMount)) func smallFileSystemStoresResponsesUnderTheDefaultLimits() throws
  {
    #expect(mount("tmpfs", fixture.folder, "tmpfs", 0, "size=16m") == 0)
    defer { umount2(fixture.folder, 2) }
    let cache = fixture.cache { $0 = DiskImageCache.Limits() }
    for number in 0..<20 { #expect(cache.store(storedResponse(30_000), for: identity(number))) }
    #expect(cache.fault == nil && cache.measured().entries == 20)
  }

  @Test(.enabled(if: mayMount, needsMount)) func diskFilledByOtherProgramsKeepsTheOfflineCopy() throws {
    try withDisk("4m") {
      let cache = fixture.cache { $0.freeBytes = 1 << 20 }
      for number in 0..<20 { #expect(cache.store(storedResponse(30_000), for: identity(number))) }
      try Data(count: 2600 << 10).write(to: URL(filePath: fixture.folder + "/other"))

      for number in 20..<40 {
        #expect(!cache.store(storedResponse(30_000), for: identity(number)))
        fixture.clock.advance(by: WritePause.seconds)
      }

      #expect(cache.fault == .diskIsFull(path: fixture.folder))
      let offline = fixture.cache()
      for number in 0..<20 { #expect(offline.response(for: identity(number)) == storedResponse(30_000)) }
      // A new body replaces the old body, and updated headers replace the old headers.
      #expect(cache.store(storedResponse(29_000, seed: 2), for: identity(0)))
      #expect(cache.response(for: identity(0)) == storedResponse(29_000, seed: 2))
      #expect(cache.store(storedResponse(30_000, headers: ["ETag": "\"b\""]), for: identity(1)))
      // When there is room again, responses are stored.
      try FileManager.default.removeItem(atPath: fixture.folder + "/other")
      fixture.clock.advance(by: WritePause.seconds)
      #expect(cache.store(storedResponse(30_000), for: identity(20)) && cache.fault == nil)
    }
  }

  @Test func replacementOnAFullDiskDoesNotScanTheFolder() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(30_000), for: identity(1))
    cache.limits.freeBytes = .max
    system.fillDisk()
    #expect(!cache.store(storedResponse(), for: identity(2)))
    #expect(cache.fault == .diskIsFull(path: fixture.folder))
    system.fail(.names, with: .error(EIO))

    #expect(cache.store(storedResponse(29_000, seed: 2), for: identity(1)))

    #expect(!system.hasFailed && cache.fault == nil)
    #expect(cache.response(for: identity(1)) == storedResponse(29_000, seed: 2))
  }

  @Test func responseThatIsTooLargeForAFullDiskDoesNotPauseSmallerOnes() {
    let first = fixture.cache()
    for number in 0..<4 { first.store(storedResponse(30_000), for: identity(number)) }
    // Responses that were not used for a day make room for others.
    fixture.advance(by: 2 * 86400)
    let system = FaultySystem()
    system.fillDisk()
    let cache = fixture.cache(on: system) { $0.freeBytes = .max }
    #expect(!cache.store(storedResponse(300_000), for: identity(4)))
    #expect(cache.fault == .diskIsFull(path: fixture.folder))

    #expect(cache.store(storedResponse(30_000), for: identity(5)))

    #expect(cache.fault == nil && cache.response(for: identity(5)) == storedResponse(30_000))
    #expect(!cache.store(storedResponse(300_000), for: identity(4)))
    #expect(cache.statistics.failures == 1 && cache.statistics.refusals == 1, "no second scan")
  }

  @Test(.enabled(if: mayMount, needsMount)) func fileSystemWithoutFreeFilesKeepsTheOfflineCopy() throws {
    // A tenth of 200 files is left free.
    #expect(mount("tmpfs", fixture.folder, "tmpfs", 0, "size=8m,nr_inodes=200") == 0)
    defer { umount2(fixture.folder, 2) }
    let cache = fixture.cache { $0.freeFiles = 1000 }
    for number in 0..<20 { #expect(cache.store(storedResponse(30_000), for: identity(number))) }
    let others = fixture.folder + "/others"
    try FileManager.default.createDirectory(atPath: others, withIntermediateDirectories: false)
    var system = statvfs()
    for number in 0..<200 where statvfs(fixture.folder, &system) == 0 && system.f_favail > 15 {
      try Data().write(to: URL(filePath: "\(others)/\(number)"))
    }

    for number in 20..<25 {
      #expect(!cache.store(storedResponse(30_000), for: identity(number)))
      fixture.clock.advance(by: WritePause.seconds)
    }

    #expect(cache.fault == .diskIsFull(path: fixture.folder))
    let offline = fixture.cache()
    for number in 0..<20 { #expect(offline.response(for: identity(number)) == storedResponse(30_000)) }
    try FileManager.default.removeItem(atPath: others)
    fixture.clock.advance(by: WritePause.seconds)
    #expect(cache.store(storedResponse(30_000), for: identity(20)) && cache.fault == nil)
  }

  @Test(.enabled(if: mayMount, needsMount)) func readOnlyDiskIsReadAndNotWritten() throws {
    try withDisk("256k") {
      let cache = fixture.cache()
      cache.store(storedResponse(), for: identity(1))
      #expect(mount("tmpfs", fixture.folder, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
      fixture.advance(by: 10_000)
      #expect(cache.response(for: identity(1)) == storedResponse())
      #expect(!cache.store(storedResponse(), for: identity(2)))
      #expect(cache.fault == .refused(path: fixture.folder, code: EROFS))
      #expect(!cache.removeResponse(for: identity(1)) && !cache.removeAllResponses())
      cache.trim()
      #expect(cache.response(for: identity(1)) == storedResponse())
    }
  }

  @Test(arguments: ["", "/dev/null", "/dev/null/deeper", "/proc/vitrine", "a%00b"])
  func invalidDirectoryIsAMissAndReportsAFault(path: String) {
    // `%00` stands for a zero byte, which an argument's name cannot contain.
    let cache = fixture.cache(path.replacingOccurrences(of: "%00", with: "\0"))
    #expect(!cache.store(storedResponse(), for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil)
    #expect(!cache.removeAllResponses() && cache.measured().entries == 0)
    guard case .refused(_, let code)? = cache.fault else {
      Issue.record("no fault")
      return
    }
    #expect([EINVAL, ENOTDIR, ENOENT].contains(code) && !"\(cache.fault as Any)".isEmpty)
  }

  @Test(arguments: [ENOSPC, EIO])
  func subfoldersThatCannotBeRenamedAreEmptied(code: Int32) {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(), for: identity(1))
    cache.store(storedResponse(), for: identity(2))
    system.fail(.rename, number: FaultySystem.always, with: .error(code))

    #expect(cache.removeAllResponses())
    #expect(cache.response(for: identity(1)) == nil && fixture.files.isEmpty)
  }

  @Test func removedFolderIsCreatedAgain() throws {
    let cache = fixture.cache()
    for _ in 0..<3 {
      cache.store(storedResponse(), for: identity(1))
      try FileManager.default.removeItem(atPath: fixture.folder)
      #expect(cache.response(for: identity(1)) == nil)
      #expect(cache.store(storedResponse(), for: identity(2)))
      #expect(cache.response(for: identity(2)) == storedResponse())
      try FileManager.default.removeItem(atPath: fixture.root)
    }
    #expect(cache.fault == nil && cache.statistics.failures == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user")) func aFolderOfAnotherUserIsRefused() {
    fixture.cache().store(storedResponse(), for: identity(1))
    for path in [fixture.folder, fixture.root] {
      let cache = fixture.cache()
      #expect(chown(path, 12345, 12345) == 0)
      #expect(cache.response(for: identity(1)) == nil)
      #expect(cache.fault == .ownedByAnotherUser(path: fixture.folder))
      fixture.clock.advance(by: WritePause.seconds)
      #expect(!cache.store(storedResponse(), for: identity(2)))
      #expect(!cache.removeAllResponses())
      #expect(chown(path, 0, 0) == 0)
      fixture.clock.advance(by: WritePause.seconds)
      #expect(cache.response(for: identity(1)) == storedResponse())
      #expect(cache.store(storedResponse(), for: identity(2)) && cache.fault == nil)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"))
  func aFolderThatAnotherUserReplacesIsRefused() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(chown(fixture.folder, 12345, 12345) == 0)
    #expect(cache.response(for: identity(1)) == storedResponse(), "this user still owns the inner folder")

    let other = fixture.folder + "/other"
    try FileManager.default.copyItem(atPath: fixture.root, toPath: other)
    try FileManager.default.moveItem(atPath: fixture.root, toPath: fixture.folder + "/old")
    try FileManager.default.moveItem(atPath: other, toPath: fixture.root)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.fault == .ownedByAnotherUser(path: fixture.folder))
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"))
  func anInnerFolderThatGoesToAnotherUserIsRefused() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(chown(fixture.root, 12345, 12345) == 0)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(cache.fault == .ownedByAnotherUser(path: fixture.folder))
  }

  @Test func accessThatWasWidenedWhileRunningIsTakenBack() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(chmod(fixture.root, 0o777) == 0)
    #expect(cache.response(for: identity(1)) == storedResponse())
    let mode = try FileManager.default.attributesOfItem(atPath: fixture.root)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func unwritableFolderIsAMiss() {
    #expect(chmod(fixture.folder, 0o500) == 0)
    for path in [fixture.folder, fixture.folder + "/deeper"] {
      let cache = fixture.cache(path)
      #expect(!cache.store(storedResponse(), for: identity(1)) && cache.response(for: identity(1)) == nil)
      #expect(cache.fault == .refused(path: path, code: EACCES))
    }
    #expect(chmod(fixture.folder, 0o700) == 0)
  }

  @Test func symbolicLinkInPlaceOfTheCacheFolderIsRefused() throws {
    let other = DiskFixture()
    let cache = fixture.cache()
    _ = cache.response(for: identity(1))
    let path = "\(fixture.folder)/\(CacheFolder.version)"
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.folder)

    #expect(!cache.store(storedResponse(), for: identity(1)))

    #expect(cache.response(for: identity(1)) == nil && cache.fault != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.folder).isEmpty)
  }

  @Test func symbolicLinkToTheDirectoryIsFollowed() throws {
    let link = fixture.folder + "/link"
    try FileManager.default.createDirectory(
      atPath: fixture.folder + "/real", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.folder + "/real")
    let cache = fixture.cache(link)
    #expect(
      cache.store(storedResponse(), for: identity(1)) && cache.response(for: identity(1)) == storedResponse())
  }

  @Test func folderReadableByOthersIsMadePrivate() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(chmod(fixture.root, 0o777) == 0)
    #expect(cache.response(for: identity(1)) != nil)
    var status = stat()
    #expect(stat(fixture.root, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func noDescriptorStaysOpen() throws {
    let cache = fixture.cache { $0.count = 3 }
    let open = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
    let links = { () -> [String] in
      try open().compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      .filter { $0.hasPrefix(fixture.folder) }
    }
    for number in 0..<20 {
      cache.store(storedResponse(), for: identity(number))
      _ = cache.response(for: identity(number - 1))
    }
    cache.removeAllResponses()
    #expect(try links().isEmpty)
  }
}
