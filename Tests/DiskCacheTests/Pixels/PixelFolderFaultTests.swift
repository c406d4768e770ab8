import Foundation
import Glibc
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Disks that are full, read-only or owned by another user, and links in place of folders.
@Suite(.timeLimit(.minutes(5))) struct PixelFolderFaultTests {
  let fixture = DiskFixture()

  private func withDisk(_ size: String, _ body: () throws -> Void) throws {
    #expect(mount("tmpfs", fixture.folder, "tmpfs", 0, "size=\(size)") == 0)
    defer { umount2(fixture.folder, 2) }
    try body()
  }

  private static let mayMount = DiskFaultTests.mayMount
  private static let needsMount: Comment = "needs the right to mount a disk"

  @Test(.enabled(if: mayMount, needsMount)) func fullDiskKeepsWhatIsStored() throws {
    try withDisk("1m") {
      let cache = fixture.pixels()
      var count = 0
      while count < 100, cache.put(count, width: 64, height: 64) { count += 1 }
      #expect((20..<64).contains(count))
      #expect(cache.fault == .refused(path: fixture.folder, code: ENOSPC))
      for number in 0..<count { #expect(cache.has(number, width: 64, height: 64)) }
      // Writing pauses even when there is room again; reading does not pause.
      cache.removeAllPixels()
      #expect(!cache.put(1) && cache.statistics.failures == 1)
      fixture.clock.advance(by: WritePause.seconds)
      #expect(cache.put(1) && cache.has(1) && cache.fault == nil)
    }
  }

  @Test(.enabled(if: mayMount, needsMount)) func readOnlyDiskIsReadAndNotWritten() throws {
    try withDisk("1m") {
      fixture.pixels().put(1)
      #expect(mount("tmpfs", fixture.folder, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
      fixture.advance(by: 10 * 86400)
      let cache = fixture.pixels()
      #expect(cache.has(1))
      #expect(!cache.put(2))
      #expect(cache.fault == .refused(path: fixture.folder, code: EROFS))
      cache.removePixels(of: identity(1))
      cache.removeAllPixels()
      cache.trim()
      #expect(cache.has(1))
    }
  }

  @Test(arguments: [ENOSPC, EIO, EDQUOT])
  func halfWrittenRecordIsCutOff(code: Int32) throws {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    cache.put(1)
    let size = try contents(fixture.packPaths[0]).count
    // The header is written, and the pixels are not.
    system.fail(.write, number: 2, with: .error(code))

    #expect(!cache.put(2))

    #expect(system.hasFailed)
    #expect(try contents(fixture.packPaths[0]).count == size)
    #expect(cache.has(1) && cache.find(2) == nil)
  }

  @Test func recordWithoutAnEntryIsCutOff() throws {
    let system = FaultySystem()
    let cache = fixture.pixels(on: system)
    cache.put(1)
    let size = try contents(fixture.packPaths[0]).count
    system.fail(.writeAt, with: .error(ENOSPC))

    #expect(!cache.put(2))

    #expect(try contents(fixture.packPaths[0]).count == size)
  }

  @Test(arguments: ["", "/dev/null", "/dev/null/deeper", "/proc/vitrine", "a%00b"])
  func invalidDirectoryIsAMissAndReportsAFault(path: String) {
    // `%00` stands for a zero byte, which an argument's name cannot contain.
    let cache = fixture.pixels(in: path.replacingOccurrences(of: "%00", with: "\0"))
    #expect(!cache.put(1) && cache.find(1) == nil)
    cache.removePixels(of: identity(1))
    cache.removeAllPixels()
    #expect(cache.usage().count == 0)
    guard case .refused(_, let code)? = cache.fault else {
      Issue.record("no fault")
      return
    }
    #expect([EINVAL, ENOTDIR, ENOENT].contains(code))
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user")) func folderOfAnotherUserIsRefused() {
    fixture.pixels().put(1)
    for path in [fixture.folder, "\(fixture.folder)/\(CacheFolder.pixelVersion)"] {
      #expect(chown(path, 12345, 12345) == 0)
      let cache = fixture.pixels()
      #expect(cache.find(1) == nil)
      #expect(cache.fault == .ownedByAnotherUser(path: fixture.folder))
      #expect(!cache.put(2))
      cache.removeAllPixels()
      #expect(chown(path, 0, 0) == 0)
    }
    #expect(fixture.pixels().has(1))
  }

  @Test func linkInPlaceOfAFolderIsNotFollowed() throws {
    let other = DiskFixture()
    other.pixels().put(1)
    let links = [
      ("\(fixture.folder)/\(CacheFolder.pixelVersion)", "\(other.folder)/\(CacheFolder.pixelVersion)"),
      (fixture.packFolder, other.packFolder),
    ]
    for (path, target) in links {
      fixture.pixels().put(2)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      let cache = fixture.pixels()
      #expect(cache.find(1) == nil && !cache.put(3))
      #expect(cache.fault != nil)
      #expect(other.pixels().has(1) && other.pixels().usage().count == 1)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func folderReadableByOthersIsMadePrivate() throws {
    fixture.pixels().put(1)
    let path = "\(fixture.folder)/\(CacheFolder.pixelVersion)"
    #expect(chmod(path, 0o777) == 0)
    #expect(fixture.pixels().has(1))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func packsOfManyFilesLeaveFewDescriptorsOpen() throws {
    let system = FaultySystem()
    do {
      let cache = fixture.pixels(on: system) { $0.bytes = 8 << 20 }
      // Each image has a pack of its own: half of the packs' size and a little more.
      for number in 0..<60 { #expect(cache.put(number, width: 182, height: 182)) }
      #expect(fixture.packPaths.count == 60)
      for number in 0..<60 { #expect(cache.find(number) != nil) }
      // The folder, the index and the pack that receives new images.
      #expect(system.openCount <= PixelFiles.maximumOpenPacks + 3)
    }
    #expect(system.openCount == 0)
  }
}
