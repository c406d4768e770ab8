import Foundation
import Glibc
import Testing

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The modes of a directory that becomes the seed of other users.
@Suite(.timeLimit(.minutes(5))) struct SeedModeTests {
  let fixture = DiskFixture()

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func allButSecretsCanBeReadByAll() {
    let cache = fixture.cache()
    for number in 1...2 { cache.store(storedResponse(seed: UInt8(number)), for: identity(number)) }
    cache.store(storedResponse(), for: identity("secret.jpg", headers: ["Cookie": "id=1"]))

    #expect(cache.openToAllReaders())

    #expect(mode(fixture.folder) == 0o755 && mode(fixture.root) == 0o755)
    #expect(fixture.files.map(mode).sorted() == [0o600, 0o644, 0o644])
    #expect(mode("\(fixture.root)/\(FolderKey.name)") == 0o600)
    let seed = DiskImageCache(seed: fixture.folder)
    #expect(seed.response(for: identity(1)) == storedResponse(seed: 1))
    #expect(!seed.openToAllReaders() && !DiskImageCache(directory: fixture.folder + "/no").openToAllReaders())
  }

  @Test func responseThatVariesWithACookieOfTheTransportStaysPrivate() {
    let cache = fixture.cache()
    var varying = storedResponse(headers: ["Vary": "Cookie"])
    varying.varying = [.init(name: "cookie", value: "a digest")]
    cache.store(varying, for: identity(1))
    cache.store(storedResponse(seed: 2), for: identity(2))

    #expect(cache.openToAllReaders())

    #expect(fixture.files.map(mode).sorted() == [0o600, 0o644])
    #expect(mode("\(fixture.root)/\(FolderKey.name)") == 0o600)
  }

  @Test func modeOfADirectoryForAllUsersStays() {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(chmod(fixture.folder, 0o1777) == 0)

    #expect(!cache.openToAllReaders())

    var status = stat()
    #expect(stat(fixture.folder, &status) == 0 && status.st_mode & 0o7777 == 0o1777)
    #expect(mode(fixture.root) == 0o700)
    #expect(chmod(fixture.folder, 0o775) == 0)
    #expect(cache.openToAllReaders() && mode(fixture.folder) == 0o755 && mode(fixture.root) == 0o755)
  }

  /// Returns a cache on a folder that other users may read.
  private func refreshing() -> DiskImageCache {
    var limits = DiskImageCache.Limits()
    (limits.freeBytes, limits.freeFiles) = (0, 0)
    return DiskImageCache(keepingReadersOf: fixture.folder, limits: limits)
  }

  @Test func seedThatIsFilledAgainStaysReadable() {
    let first = fixture.cache()
    first.store(storedResponse(seed: 1), for: identity(1))
    #expect(first.openToAllReaders())
    let known = Set(fixture.files)
    let cache = refreshing()

    for number in 2...20 {
      #expect(cache.store(storedResponse(seed: UInt8(number)), for: identity(number)))
      #expect(mode(fixture.root) == 0o755)
    }
    cache.trim()

    // The process may be killed here.
    #expect(mode(fixture.folder) == 0o755 && mode(fixture.root) == 0o755)
    for file in fixture.files {
      #expect(mode(String(file.dropLast(33))) == 0o755)
      #expect(mode(file) == (known.contains(file) ? 0o644 : 0o600), "new files are private")
    }
    #expect(cache.openToAllReaders() && Set(fixture.files.map(mode)) == [0o644])
    #expect(mode(fixture.root) == 0o755)
  }

  @Test func newSeedIsPrivateUntilItIsOpened() {
    let cache = refreshing()
    #expect(cache.store(storedResponse(), for: identity(1)))
    #expect(mode(fixture.root) == 0o700 && !cache.isOpenToAllReaders)
    #expect(cache.openToAllReaders() && mode(fixture.root) == 0o755 && cache.isOpenToAllReaders)
  }

  @Test func writersAreRefusedWhereReadersAreKept() {
    let cache = refreshing()
    cache.store(storedResponse(), for: identity(1))
    #expect(chmod(fixture.root, 0o777) == 0)
    #expect(cache.response(for: identity(1)) == storedResponse())
    #expect(mode(fixture.root) == 0o755)
  }

  @Test(arguments: [0o755, 0o775, 0o777] as [mode_t]) func inspectionChangesNoMode(wide: mode_t) {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    #expect(cache.openToAllReaders())
    for path in [fixture.folder, fixture.root] { #expect(chmod(path, wide) == 0) }
    let inspected = DiskImageCache(inspecting: fixture.folder)

    #expect(inspected.checkAccess() == nil && inspected.measured().entries == 1)
    #expect(inspected.forEachEntry(verifyingBodies: true) { $0.content != nil } == .complete)
    #expect(!inspected.store(storedResponse(), for: identity(2)))

    #expect(mode(fixture.folder) == wide && mode(fixture.root) == wide)
  }

  @Test func responseOfASeedThatIsNotYetReadableIsAMiss() {
    let (system, fixture) = (FaultySystem(), SeedFixture())
    fixture.fillSeed(1..<3)
    let seed = fixture.seedCache(system)
    // The folder, `v3` and the shard come first.
    system.fail(.open, number: 4, with: .error(EACCES))

    #expect(seed.response(for: identity(1)) == nil && system.hasFailed && seed.fault == nil)
    #expect(seed.response(for: identity(2)) == SeedFixture.response(2))
  }

  @Test func requestWithoutASecretNeedsNoKey() {
    let list = identity("list.txt", headers: ["Accept": "text/plain", "Accept-Language": "de"])
    let cache = fixture.cache()
    cache.store(storedResponse(), for: list)

    #expect(cache.openToAllReaders())

    #expect(fixture.files.map(mode) == [0o644] && fixture.everything == fixture.files)
    #expect(DiskImageCache(seed: fixture.folder).response(for: list) == storedResponse())
    for other in [["Accept": "text/plain"], ["Accept": "text/plain", "Accept-Language": "fr"], [:]] {
      let headers = HTTPHeaders(other.map { HTTPHeaders.Field(name: $0.key, value: $0.value) })
      #expect(cache.response(for: identity("list.txt", headers: headers)) == nil)
    }
  }

  @Test func keyOfASeedThatCannotBeReadIsNoFault() {
    let list = identity("list.txt", headers: ["Cookie": "id=1"])
    let (system, fixture) = (FaultySystem(), SeedFixture())
    fixture.seed.cache().store(storedResponse(), for: list)
    fixture.fillSeed(1..<2)
    let seed = fixture.seedCache(system)
    // The folder and `v3` come before the key.
    system.fail(.open, number: 3, with: .error(EACCES))

    #expect(seed.response(for: list) == nil && system.hasFailed && seed.fault == nil)
    #expect(seed.response(for: identity(1)) == SeedFixture.response(1))
  }
}
