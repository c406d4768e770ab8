import Foundation
import Glibc
import Synchronization
import Testing
import VitrineGraphics

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Decoded pixels in directories that are only read.
@Suite(.timeLimit(.minutes(5))) struct SeedPixelTests {
  let fixture = SeedFixture()

  /// Stores pixels in the seed.
  private func fill(_ numbers: Range<Int>) {
    let cache = fixture.seed.pixels()
    for number in numbers { cache.put(number) }
  }

  /// Returns a new cache that only reads the seed.
  private func pixels(on system: any DiskSystem = LinuxDiskSystem()) -> DiskPixelCache {
    DiskPixelCache(
      directory: fixture.seed.folder, access: .seed, limits: .seed, clock: fixture.top.clock,
      wallClock: { [top = fixture.top] in top.wallClock.withLock { $0 } }, system: system)
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("a file that others may write is refused", arguments: [true, false])
  func fileThatOthersMayWriteIsRefused(isIndex: Bool) throws {
    fill(1..<2)
    let path = isIndex ? fixture.seed.indexPath : try #require(fixture.seed.packPaths.first)
    #expect(chmod(path, 0o666) == 0)
    let cache = pixels()

    #expect(cache.find(1) == nil)
    #expect(cache.fault == .writableByOthers(path: fixture.seed.folder))
    #expect(chmod(path, 0o644) == 0)

    #expect(cache.has(1) && mode(path) == 0o644)
  }

  @Test func seedIsNeverWritten() throws {
    fill(1..<4)
    // The last record is damaged.
    let pack = try #require(fixture.seed.packPaths.first)
    var bytes = try contents(pack)
    bytes[bytes.count - 1] ^= 1
    try overwrite(pack, bytes)
    // Writers that have died have left these.
    let seed = fixture.seed
    try Data(count: 9).write(to: URL(filePath: "\(seed.packFolder)/\(TemporaryFile.prefix)1"))
    try FileManager.default.createDirectory(
      atPath: "\(seed.folder)/\(CacheFolder.pixelVersion)/\(RemovedFolder.prefix)1",
      withIntermediateDirectories: false)
    let paths = fixture.seedPaths
    fixture.resetAccessTimes(paths)
    let before = fixture.listing(paths)
    fixture.top.advance(by: 100 * 86400)
    let cache = pixels()

    for number in 0..<5 { #expect(cache.has(number) == [1, 2].contains(number)) }
    #expect(cache.statistics.damaged == 1)
    #expect(!cache.put(9) && !cache.put(1))
    cache.removePixels(of: identity(1))
    cache.removeAllPixels()
    #expect(cache.removeAll() == nil)
    cache.trim()
    #expect(cache.usage().count == 3)
    #expect(cache.verify(isRepairing: true).damaged == 1 && cache.verify(isRepairing: true).removed == 0)
    #expect(!DiskImageCache(seed: seed.folder).openToAllReaders(with: cache))
    let layered = LayeredPixelCache(fixture.top.pixels(), over: [cache])
    layered.removePixels(of: identity(2))
    layered.removeAllPixels()

    #expect(cache.has(1) && cache.isReadOnly && cache.byteLimit == 0 && cache.fault == nil)
    #expect(fixture.listing(paths) == before)
    #expect(fixture.seedPaths == paths)
  }

  @Test func seedMakesNoChangingSystemCall() {
    fill(1..<4)
    let system = FaultySystem()
    do {
      let cache = pixels(on: system)
      fixture.top.advance(by: 100 * 86400)

      for number in 0..<5 { _ = cache.find(number) }
      cache.put(9)
      cache.removePixels(of: identity(1))
      cache.removeAllPixels()
      cache.trim()
      _ = (cache.usage(), cache.verify(isRepairing: true), cache.checkAccess())
    }

    #expect(system.calls == [.open, .close, .status, .statusOfName, .read, .readTwo, .names])
    #expect(system.openCount == 0)
  }

  @Test("files of another owner are read although their access times cannot be kept", arguments: [4, 5])
  func fileOfAnotherOwnerIsRead(number: Int) {
    fill(1..<2)
    let system = FaultySystem()
    let cache = pixels(on: system)
    // The directory, `p1` and the folder of packs come first, then the index and the pack.
    system.fail(.open, number: number, with: .error(EPERM))

    #expect(cache.has(1))
    #expect(system.hasFailed && cache.fault == nil)
  }

  @Test(arguments: ["", "/p1", "/p1/packs"]) func folderThatOthersMayWriteIsRefused(part: String) {
    fill(1..<2)
    let path = fixture.seed.folder + part
    #expect(chmod(path, 0o777) == 0)
    let cache = pixels()

    #expect(cache.find(1) == nil)
    #expect(cache.fault == .writableByOthers(path: fixture.seed.folder))
    #expect(cache.checkAccess() == cache.fault && mode(path) == 0o777)
    #expect(chmod(path, 0o755) == 0)

    #expect(cache.has(1) && mode(path) == 0o755, "the mode stays")
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"), arguments: ["", "/p1", "/p1/packs"])
  func folderOfAnotherUserIsRefused(part: String) {
    fill(1..<2)
    #expect(chown(fixture.seed.folder + part, 12345, 12345) == 0)
    let cache = pixels()
    let layered = LayeredPixelCache(fixture.top.pixels(), over: [cache])

    #expect(layered.pixels(for: pixelKey(1), of: body(1)) { _ in } == nil)
    #expect(cache.fault == .ownedByAnotherUser(path: fixture.seed.folder))
    #expect(
      layered.store(pixelImage(seed: 1), isAnimated: false, for: pixelKey(1), of: body(1)),
      "the top layer works")
    #expect(isSame(layered.pixels(for: pixelKey(1), of: body(1)) { _ in }, pixelImage(seed: 1)))
    #expect(chown(fixture.seed.folder + part, 0, 0) == 0)
  }

  @Test func symbolicLinksBelowTheDirectoryAreRefused() throws {
    fill(1..<2)
    let seed = fixture.seed
    let pack = try #require(seed.packPaths.first)
    for path in [pack, seed.indexPath, seed.packFolder, "\(seed.folder)/\(CacheFolder.pixelVersion)"] {
      let moved = seed.folder + "/moved"
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
      #expect(pixels().find(1) == nil, "\(path)")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: moved, toPath: path)
    }
    #expect(pixels().has(1))
  }

  @Test func missingSeedIsEmpty() {
    let folder = fixture.seed.folder + "/nowhere"
    let cache = DiskPixelCache(seed: folder)

    #expect(cache.isReadOnly && cache.find(1) == nil && cache.fault == nil && cache.checkAccess() == nil)
    #expect(cache.usage().count == 0 && cache.verify() == DiskPixelCache.Verification())
    #expect(!cache.put(1) && !FileManager.default.fileExists(atPath: folder))
  }

  @Test func pixelsOfPrivateRequestsNeedTheKeyOfTheSeed() {
    let key = PixelKey(identity: identity("a.jpg", headers: ["Cookie": "id=1"]), variant: "64x64")
    fixture.seed.pixels().store(pixelImage(), isAnimated: false, for: key, of: body(1))
    fill(2..<3)
    let system = FaultySystem()
    let cache = pixels(on: system)
    #expect(cache.has(2))
    // The directory and `v3` come before the key. Only its owner may read the key.
    system.fail(.open, number: 3, with: .error(EACCES))

    #expect(cache.pixels(for: key, of: body(1)) { _ in } == nil)
    #expect(system.hasFailed && cache.fault == nil)
    #expect(isSame(cache.pixels(for: key, of: body(1)) { _ in }, pixelImage()), "the owner can read the key")
  }

  @Test func seedThatWasFilledUnderAnotherLimitIsRead() {
    let image = pixelImage(600, 500, seed: 3)
    let stored = fixture.seed.pixels { $0.bytes = 8 << 20 }
    #expect(stored.store(image, isAnimated: false, for: pixelKey(1), of: body(1)))

    #expect(isSame(pixels().pixels(for: pixelKey(1), of: body(1)) { _ in }, image))
    #expect(fixture.seed.pixels { $0.bytes = 1 << 20 }.find(1) == nil)
  }

  @Test(.enabled(if: DiskFaultTests.mayMount, "needs the right to mount a disk"))
  func seedOnAReadOnlyFileSystemIsRead() {
    #expect(mount("tmpfs", fixture.seed.folder, "tmpfs", 0, "size=1m,mode=0755") == 0)
    defer { umount2(fixture.seed.folder, 2) }
    fill(1..<3)
    #expect(mount("tmpfs", fixture.seed.folder, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
    fixture.top.advance(by: 100 * 86400)
    let cache = pixels()
    let layered = LayeredPixelCache(fixture.top.pixels(), over: [cache])

    for number in 1..<3 {
      let found = layered.pixels(for: pixelKey(number), of: body(number)) { _ in
      }
      #expect(isSame(found, pixelImage(seed: number)))
    }
    #expect(cache.fault == nil && cache.statistics.hits == 2)
  }

  // MARK: Layers

  @Test func pixelsOfTheSeedsOfALayeredCacheAreFound() throws {
    let other = DiskFixture()
    fill(1..<2)
    other.pixels().put(2)
    let top = fixture.top.pixels()
    let responses = LayeredImageCache(fixture.top.cache(), over: [fixture.seed.folder, other.folder])
    let cache = LayeredPixelCache.cache(top, with: responses)

    for number in 1...2 {
      let found = cache.pixels(for: pixelKey(number), of: body(number)) { _ in
      }
      #expect(isSame(found, pixelImage(seed: number)))
    }
    #expect(cache.store(pixelImage(seed: 3), isAnimated: false, for: pixelKey(3), of: body(3)))
    #expect(top.has(3) && top.usage().count == 1)
  }

  @Test func seedOnTopOfOtherSeedsIsEnough() {
    let other = DiskFixture()
    fill(1..<2)
    other.pixels().put(2)
    let responses = LayeredImageCache(
      layers: [fixture.seed.folder, other.folder].map { DiskImageCache(seed: $0) })
    let cache = LayeredPixelCache.cache(pixels(), with: responses)

    for number in 1...2 {
      let found = cache.pixels(for: pixelKey(number), of: body(number)) { _ in
      }
      #expect(isSame(found, pixelImage(seed: number)))
    }
    #expect(!cache.store(pixelImage(seed: 3), isAnimated: false, for: pixelKey(3), of: body(3)))
  }

  @Test func cacheWithoutSeedsIsLeftAsItIs() {
    let top = fixture.top.pixels()
    var policies = LayeredImageCache.Policies()
    policies.lookups = .concurrent
    let caches: [(any ImageDataCache)?] = [
      nil, fixture.top.cache(), LayeredImageCache(fixture.top.cache(), over: []),
      // A seed that does not respond must not delay other layers.
      LayeredImageCache(fixture.top.cache(), over: [fixture.seed.folder], policies: policies),
    ]
    for responses in caches { #expect(LayeredPixelCache.cache(top, with: responses) === top) }
    policies.lookups = .highestOnly
    let topOnly = LayeredImageCache(fixture.top.cache(), over: [fixture.seed.folder], policies: policies)
    #expect(LayeredPixelCache.cache(top, with: topOnly) === top)
    let seed = pixels()
    let responses = LayeredImageCache(layers: [DiskImageCache(seed: fixture.seed.folder)])
    #expect(LayeredPixelCache.cache(seed, with: responses) === seed)
  }
}
