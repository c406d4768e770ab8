import Foundation
import Glibc
import Testing
import VitrineGraphics

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The modes and contents of decoded pixels in a directory that becomes the seed of other users.
@Suite(.timeLimit(.minutes(5))) struct SeedPixelModeTests {
  let fixture = DiskFixture()

  private static let secret = PixelKey(
    identity: identity("secret.jpg", headers: ["Cookie": "id=1"]), variant: "64x64")

  private var root: String { "\(fixture.folder)/\(CacheFolder.pixelVersion)" }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// Stores responses and their pixels. Returns both caches.
  private func fill(
    _ numbers: ClosedRange<Int>, on system: any DiskSystem = LinuxDiskSystem()
  ) -> (responses: DiskImageCache, pixels: DiskPixelCache) {
    let (responses, pixels) = (fixture.cache(), fixture.pixels(on: system))
    for number in numbers {
      responses.store(storedResponse(seed: UInt8(number)), for: identity(number))
      pixels.put(number)
    }
    return (responses, pixels)
  }

  /// Returns true if a pack contains the pixels of an image.
  private func isOnDisk(_ image: Image) throws -> Bool {
    let pixels = Data(image.bitmap.withUnsafeBytes { Array($0) })
    return try fixture.packPaths.contains { Data(try contents($0)).range(of: pixels) != nil }
  }

  @Test func pixelsCanBeReadByAll() throws {
    let (responses, pixels) = fill(1...3)
    pixels.put(1, variant: "32x32")

    #expect(responses.openToAllReaders(with: pixels))

    for path in [fixture.folder, fixture.root, root, fixture.packFolder] { #expect(mode(path) == 0o755) }
    #expect(mode(fixture.indexPath) == 0o644 && fixture.packPaths.map(mode) == [0o644])
    let seed = DiskPixelCache(seed: fixture.folder)
    for number in 1...3 { #expect(seed.has(number)) }
    #expect(seed.has(1, variant: "32x32") && seed.usage().count == 4)
    #expect(seed.verify().damaged == 0 && mode(root) == 0o755)
    #expect(pixels.put(4), "the cache can still be written")
    #expect(DiskPixelCache(directory: fixture.folder).has(2) && mode(root) == 0o700, "and is private again")
  }

  @Test func pixelsStoredAfterwardsAreInPrivatePacks() throws {
    let (responses, pixels) = fill(1...2)
    #expect(responses.openToAllReaders(with: pixels))
    let published = try #require(fixture.packPaths.first)
    // A process of another user may keep the pack open.
    let bytes = try contents(published)
    let other = fixture.pixels()

    #expect(pixels.store(pixelImage(seed: 8), isAnimated: false, for: Self.secret, of: body(8)))
    #expect(other.put(3))

    #expect(try contents(published) == bytes && mode(published) == 0o644)
    #expect(fixture.packPaths.filter { $0 != published }.map(mode) == [0o600, 0o600])
    #expect(other.has(1) && other.has(3) && pixels.has(2))
    #expect(isSame(pixels.pixels(for: Self.secret, of: body(8)) { _ in }, pixelImage(seed: 8)))
  }

  @Test func pixelsOfASeedThatIsFilledAgainStayReadable() throws {
    let (responses, pixels) = fill(1...2)
    #expect(responses.openToAllReaders(with: pixels))
    let published = try #require(fixture.packPaths.first)
    let cache = DiskPixelCache(
      directory: fixture.folder, access: .keepingReaders, limits: pixels.limits, clock: fixture.clock,
      wallClock: { 1_800_000_000 }, system: LinuxDiskSystem())

    #expect(cache.put(3) && cache.has(1) && cache.has(3))

    // The process may be killed here.
    for path in [fixture.folder, fixture.root, root, fixture.packFolder] { #expect(mode(path) == 0o755) }
    #expect(mode(published) == 0o644 && mode(fixture.indexPath) == 0o644)
    #expect(fixture.packPaths.filter { $0 != published }.map(mode) == [0o600])
  }

  @Test(arguments: [0o755, 0o775] as [mode_t]) func inspectionChangesNoMode(wide: mode_t) {
    let (responses, pixels) = fill(1...2)
    #expect(responses.openToAllReaders(with: pixels))
    for path in [fixture.folder, root, fixture.packFolder] { #expect(chmod(path, wide) == 0) }
    let inspected = DiskPixelCache(inspecting: fixture.folder)

    #expect(inspected.checkAccess() == nil && inspected.usage().count == 2)
    #expect(inspected.verify(isRepairing: true).entries == 2 && !inspected.put(3))

    for path in [fixture.folder, root, fixture.packFolder] { #expect(mode(path) == wide) }
  }

  @Test func packOfASeedThatIsNotYetReadableIsAMiss() {
    let (system, fixture) = (FaultySystem(), SeedFixture())
    fixture.seed.pixels().put(1)
    let cache = DiskPixelCache(
      directory: fixture.seed.folder, access: .seed, limits: .seed, clock: fixture.top.clock,
      wallClock: { 1_800_000_000 }, system: system)
    // The folder, `p1`, the folder of packs and the index come first.
    system.fail(.open, number: 5, with: .error(EACCES))

    #expect(cache.find(1) == nil && system.hasFailed && cache.fault == nil)
    #expect(cache.has(1))
  }

  @Test func readablePackIsFilledWhereFilesHaveNoModes() {
    let system = FaultySystem()
    // A file system on which all files can be read by all users, such as FAT.
    system.changeStatus { $0.st_mode |= 0o055 }
    for number in 1...3 { #expect(fixture.pixels(on: system).put(number)) }
    #expect(fixture.packPaths.count == 1 && fixture.pixels().usage().count == 3)
  }

  @Test func pixelsOfPrivateAndOfMissingResponsesAreRemoved() throws {
    let (responses, pixels) = fill(1...2)
    responses.store(storedResponse(), for: Self.secret.identity)
    pixels.store(pixelImage(seed: 8), isAnimated: false, for: Self.secret, of: body(8))
    // The response of the fourth image was evicted.
    pixels.put(4)
    pixels.put(3)
    responses.store(storedResponse(seed: 3), for: identity(3))
    #expect(try isOnDisk(pixelImage(seed: 8)) && isOnDisk(pixelImage(seed: 4)))

    #expect(responses.openToAllReaders(with: pixels))

    #expect(try !isOnDisk(pixelImage(seed: 8)) && !isOnDisk(pixelImage(seed: 4)))
    let seed = DiskPixelCache(seed: fixture.folder)
    for number in 1...3 { #expect(seed.has(number)) }
    #expect(seed.find(4) == nil && seed.usage().count == 3)
    #expect(seed.pixels(for: Self.secret, of: body(8)) { _ in } == nil && seed.statistics.damaged == 0)
    #expect(fixture.files.map(mode).sorted() == [0o600, 0o644, 0o644, 0o644])
  }

  @Test func pixelsToWhichNoEntryLeadsAreOverwritten() throws {
    let (responses, pixels) = fill(1...2)
    let image = pixelImage(seed: 9)
    let pack = try #require(fixture.packPaths.first)
    // The writer was killed before it changed the index.
    let orphan = Array(repeating: UInt8(7), count: 128) + image.bitmap.withUnsafeBytes { Array($0) }
    try overwrite(pack, try contents(pack) + orphan)
    #expect(try isOnDisk(image))

    #expect(responses.openToAllReaders(with: pixels))

    #expect(try !isOnDisk(image))
    let seed = DiskPixelCache(seed: fixture.folder)
    #expect(seed.has(1) && seed.has(2))
  }

  @Test func packWithoutPublicPixelsIsRemoved() {
    let pixels = fixture.pixels()
    fixture.cache().store(storedResponse(), for: identity(1))
    pixels.put(5)

    #expect(fixture.cache().openToAllReaders(with: pixels))

    #expect(fixture.packPaths.isEmpty && mode(root) == 0o755 && pixels.usage().count == 0)
    #expect(pixels.put(1) && pixels.has(1))
  }

  @Test func directoryWithoutPixelsIsOpened() {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))

    #expect(cache.openToAllReaders())

    #expect(mode(fixture.root) == 0o755 && !FileManager.default.fileExists(atPath: root))
  }

  @Test func packOfAnotherProcessStaysPrivate() {
    let (responses, pixels) = fill(1...2)
    let other = fixture.pixels()
    fixture.cache().store(storedResponse(), for: identity(3))
    other.put(3)

    #expect(!responses.openToAllReaders(with: pixels))
    #expect(mode(root) == 0o700 && mode(fixture.root) == 0o700)
    #expect(other.has(3) && pixels.has(1))
  }

  @Test("a mode that cannot be changed leaves the pixels private", arguments: 1...4)
  func modeThatCannotBeChangedIsReported(number: Int) {
    let system = FaultySystem()
    let (responses, pixels) = fill(1...2, on: system)
    system.fail(.setMode, number: number, with: .error(EPERM))

    #expect(!responses.openToAllReaders(with: pixels))

    #expect(system.hasFailed && mode(root) == 0o700 && mode(fixture.root) == 0o700)
    #expect(pixels.has(1))
    #expect(responses.openToAllReaders(with: pixels) && mode(root) == 0o755)
  }

  @Test(
    "parts of a file that no record covers",
    arguments: [
      ([], 10, [0..<10]), ([0..<10], 10, []), ([2..<4], 10, [0..<2, 4..<10]),
      ([6..<8, 0..<2], 10, [2..<6, 8..<10]), ([0..<6, 2..<4], 10, [6..<10]), ([8..<20], 10, [0..<8]),
      ([12..<20], 10, [0..<10]), ([], 0, []),
    ] as [([Range<Int>], Int, [Range<Int>])])
  func gaps(ranges: [Range<Int>], size: Int, expected: [Range<Int>]) {
    #expect(PixelPublication.gaps(between: ranges, in: size) == expected)
  }
}
