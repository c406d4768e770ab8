import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Storing, finding and removing responses on disk.
@Suite(.timeLimit(.minutes(5))) struct DiskImageCacheTests {
  let fixture = DiskFixture()

  @Test(arguments: [0, 1, 100, 3900, 4000, 4096, 5000, 300_000])
  func storedResponseIsFoundByANewCacheOnTheFolder(count: Int) throws {
    let stored = storedResponse(count)
    #expect(fixture.cache().store(stored, for: identity(1)))
    let other = fixture.cache()
    #expect(other.response(for: identity(1)) == stored)
    #expect(other.containsResponse(for: identity(1)))
    #expect(other.response(for: identity(2)) == nil)
    #expect(!other.containsResponse(for: identity(2)))
    #expect(other.statistics.hits == 1 && other.statistics.misses == 1)
    #expect(other.fault == nil)
  }

  @Test func memoryIsReservedBeforeABodyIsRead() {
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(300_000), for: identity(1)))
    var reserved: [Int] = []
    #expect(cache.response(for: identity(1)) { reserved.append($0) } != nil)
    #expect(reserved == [300_000])
    #expect(cache.response(for: identity(2)) { reserved.append($0) } == nil)
    #expect(reserved == [300_000])
  }

  @Test func longHeadersAreStoredUpToALimit() {
    var headers = HTTPHeaders()
    for _ in 0..<200 { headers.append(name: "Content-Language", value: String(repeating: "é", count: 100)) }
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(10_000, headers: headers), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse(10_000, headers: headers))
    headers.append(name: "ETag", value: String(repeating: "x", count: 300_000))
    #expect(!cache.store(storedResponse(headers: headers), for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil)
  }

  @Test func noFolderIsCreatedBeforeTheFirstStore() {
    let path = fixture.folder + "/deeper/still/"
    let cache = fixture.cache(path)
    #expect(cache.response(for: identity(1)) == nil)
    #expect(!cache.containsResponse(for: identity(1)))
    #expect(!cache.removeResponse(for: identity(1)))
    #expect(!cache.removeAllResponses())
    #expect(cache.measured().entries == 0)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/deeper"))
    #expect(cache.store(storedResponse(), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse())
    #expect(cache.fault == nil)
  }

  @Test func newResponseReplacesTheStoredResponse() {
    let cache = fixture.cache()
    cache.store(storedResponse(9000, seed: 1), for: identity(1))
    cache.store(storedResponse(50, seed: 2), for: identity(1))
    #expect(cache.response(for: identity(1)) == storedResponse(50, seed: 2))
    #expect(fixture.files.count == 1 && fixture.everything.count == 1)
    #expect(cache.statistics.entries == 1 && cache.statistics.bytes == 4096)
  }

  @Test func storingAResponseOpensItsSubfolderOnce() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    #expect(cache.store(storedResponse(), for: identity(1)))
    let before = system.counts

    #expect(cache.store(storedResponse(seed: 2), for: identity(1)))

    // `v3`, the subfolder, the old file and the new file.
    #expect((system.counts[.open] ?? 0) - (before[.open] ?? 0) == 4)
    #expect(cache.response(for: identity(1)) == storedResponse(seed: 2))
  }

  @Test func missInASubfolderThatDoesNotExistOpensNothing() throws {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    #expect(cache.store(storedResponse(), for: identity(1)))
    let folder = cache.context.folder
    let shard = folder.knownEntry(of: identity(1))?.shard
    let missing = try #require(
      (2...100).map { identity($0) }.first { folder.knownEntry(of: $0)?.shard != shard })
    let before = system.counts

    #expect(cache.response(for: missing) == nil && cache.head(for: missing) == nil)

    #expect(system.counts[.open] == before[.open])
    #expect(cache.statistics.misses == 2 && cache.fault == nil)
  }

  @Test func subfolderThatIsALinkIsOpenedAndRefused() throws {
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(), for: identity(1)))
    let file = URL(filePath: try #require(fixture.files.first))
    let shard = file.deletingLastPathComponent().path
    try FileManager.default.moveItem(atPath: shard, toPath: shard + "-moved")
    try FileManager.default.createSymbolicLink(atPath: shard, withDestinationPath: shard + "-moved")

    #expect(cache.response(for: identity(1)) == nil)
    #expect(FileManager.default.fileExists(atPath: shard + "-moved/" + file.lastPathComponent))
  }

  /// Lengths around the limits of reading a file at once.
  @Test(arguments: [0, 1, 3500, 3900, 4096, 4200, 16_000, 16_200, 16_384, 16_500, 40_000])
  func bodyOfAnyLengthIsReadWithItsNotes(length: Int) throws {
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(length), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse(length))

    var newer = storedResponse(length, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=7"])
    #expect(cache.update(newer, of: try #require(cache.digest(of: newer.body)), for: identity(1)))
    #expect(cache.response(for: identity(1)) == newer)

    // A byte of the note is lost, so that the older head counts.
    let file = try #require(fixture.files.first)
    let size = try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    #expect(truncate(file, off_t(size - 1)) == 0)
    newer = storedResponse(length)
    #expect(cache.response(for: identity(1)) == newer)
  }

  @Test func missOfAHeadCountsAsAMiss() {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))

    #expect(cache.findsAllHeads)
    #expect(cache.head(for: identity(1)) != nil && cache.head(for: identity(2)) == nil)
    #expect(cache.statistics.hits == 0 && cache.statistics.misses == 1)
  }

  @Test func removalIsReportedOnce() {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    cache.store(storedResponse(), for: identity(2))
    #expect(cache.removeResponse(for: identity(1)))
    #expect(!cache.removeResponse(for: identity(1)))
    #expect(cache.response(for: identity(1)) == nil && cache.response(for: identity(2)) != nil)
    #expect(cache.statistics.entries == 1)
  }

  @Test func responseThatCannotBeReadIsRemoved() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    cache.store(storedResponse(), for: identity(1))
    system.fail(.read, with: .error(EIO))

    #expect(cache.removeResponse(for: identity(1)))

    #expect(system.hasFailed && fixture.files.isEmpty)
  }

  @Test func removingAllLeavesNoFiles() {
    let cache = fixture.cache()
    for number in 0..<20 { cache.store(storedResponse(), for: identity(number)) }
    #expect(cache.removeAllResponses())
    #expect(!cache.removeAllResponses())
    #expect(fixture.everything.isEmpty)
    #expect(cache.measured().entries == 0 && cache.statistics.bytes == 0)
    #expect(cache.store(storedResponse(), for: identity(1)))
    #expect(cache.response(for: identity(1)) == storedResponse())
  }

  @Test func hashCollisionIsAMiss() {
    let cache = fixture.cache(hash: { _ in ContentHash(high: 1, low: 2) })
    cache.store(storedResponse(seed: 1), for: identity(1))
    #expect(cache.response(for: identity(2)) == nil)
    #expect(!cache.containsResponse(for: identity(2)) && !cache.removeResponse(for: identity(2)))
    #expect(cache.response(for: identity(1)) == storedResponse(seed: 1))
    cache.store(storedResponse(seed: 2), for: identity(2))
    #expect(
      cache.response(for: identity(2)) == storedResponse(seed: 2) && cache.response(for: identity(1)) == nil)
    #expect(cache.statistics.damaged == 0)
  }

  @Test(arguments: [
    "../../../etc/passwd", "a%00b", "%2e%2e%2f", "🏔️.jpg", "?q=" + String(repeating: "x", count: 4096), "",
    "//", "a?b=../c",
  ])
  func responsesOfUnusualURLsAreStored(name: String) throws {
    let text = "http://a.test/\(name)"
    let odd = RequestIdentity(url: try #require(URL(string: text)), headers: [:])
    let cache = fixture.cache()
    #expect(cache.store(storedResponse(), for: odd))
    #expect(cache.response(for: odd) == storedResponse())
    #expect(fixture.everything.count == 1 && fixture.files.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == [CacheFolder.version])
  }

  @Test func identityHeadersKeepResponsesApart() throws {
    let cache = fixture.cache()
    let tokens: [HTTPHeaders] = [
      [:], ["Authorization": "secret-1"], ["authorization": "secret-2"], ["Cookie": "secret-1"],
      ["Accept": "a"],
    ]
    for (number, token) in tokens.enumerated() {
      cache.store(storedResponse(seed: UInt8(number)), for: identity("a", headers: token))
    }
    for (number, token) in tokens.enumerated() {
      #expect(cache.response(for: identity("a", headers: token)) == storedResponse(seed: UInt8(number)))
    }
    // Other headers do not; the headers that a server names in Vary are stored with the response.
    let other = identity("a", headers: ["X-Theme": "dark"])
    #expect(cache.response(for: other.addingHeaders(named: ["x-theme"])) == storedResponse(seed: 0))
    for file in fixture.files {
      let bytes = try Data(contentsOf: URL(filePath: file))
      #expect(bytes.range(of: Data("secret".utf8)) == nil)
    }
  }

  @Test func loginsKeepResponsesApartAndAreNotWritten() async throws {
    let transport = FakeTransport()
    transport.respondToAll { $0.respond(with: encodedImage, freshForAMinute) }
    let cache = fixture.cache()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = fixture.clock
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), cache: nil,
      dataCache: cache)
    let logins = ["", "kiosk:secret-1@", "kiosk:secret-2@", "secret-3@"]
    for login in logins {
      #expect(await (try downloader.image(for: "http://\(login)a.test/a@b.jpg")).isStored())
    }
    for login in logins {
      #expect(try await downloader.image(for: "http://\(login)a.test/a@b.jpg").source == .disk)
    }
    let files = try fixture.files.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(files.count == 4)
    #expect(files.allSatisfy { $0.range(of: Data("secret".utf8)) == nil })
    // For listings, the URL is written if it has no login.
    #expect(files.count { $0.range(of: Data("a@b.jpg".utf8)) != nil } == 1)
  }

  @Test(arguments: [Double.nan, Double.infinity, -Double.infinity, 1e300, -5])
  func responseWithAnOddTimeIsStored(odd: Double) throws {
    var stored = storedResponse()
    stored.received = odd
    let cache = fixture.cache()
    #expect(cache.store(stored, for: identity(1)))
    let found = try #require(cache.response(for: identity(1)))
    #expect(found.body == stored.body)
    #expect(odd == -5 ? found.received == -5 : found.standing(at: 1_800_000_000) != .fresh)
  }

  @Test func defaultDirectoryFollowsTheXDGSpecification() {
    let directory = { (environment: [String: String]) in
      CacheDirectory.standard { environment[$0] }
    }
    #expect(directory(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/vitrine")
    #expect(directory(["XDG_CACHE_HOME": "c", "HOME": "/h"]) == "/h/.cache/vitrine")
    #expect(directory(["XDG_CACHE_HOME": "", "HOME": "/h"]) == "/h/.cache/vitrine")
    #expect(directory(["HOME": "h"]) == nil)
    #expect(directory([:]) == nil)
  }

  @Test func foldersAndFilesArePrivate() throws {
    let cache = fixture.cache(fixture.folder + "/a/b")
    cache.store(storedResponse(), for: identity(1))
    let manager = FileManager.default
    let names = try manager.subpathsOfDirectory(atPath: fixture.folder)
    #expect(names.count == 5)
    for name in names {
      let mode = try manager.attributesOfItem(atPath: "\(fixture.folder)/\(name)")[.posixPermissions] as? Int
      #expect(try #require(mode) & 0o077 == 0, "\(name)")
    }
  }
}
