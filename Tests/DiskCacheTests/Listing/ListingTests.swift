import Foundation
import Glibc
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The entries of a cache, as tools list them.
@Suite(.timeLimit(.minutes(5))) struct ListingTests {
  let fixture = DiskFixture()

  private func entries(verifying: Bool = false) -> [DiskImageCache.Entry] {
    var entries: [DiskImageCache.Entry] = []
    #expect(
      fixture.cache().forEachEntry(verifyingBodies: verifying) {
        entries.append($0)
        return true
      } == .complete)
    return entries
  }

  @Test func entriesHaveURLHeadAndSizes() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(300), for: identity("b.jpg?size=2#part"))

    let content = try #require(entries().first?.content)

    #expect(content.url == "http://a.test/b.jpg?size=2")
    #expect(content.bodyBytes == 300 && content.fileBytes > 300)
    #expect(content.response.response.status == 200 && content.response.body.isEmpty)
    #expect(
      content.response.response.headers["ETag"] == "\"a\""
        && content.response.response.headers.fields.count == 1)
    #expect(content.stored == 1_800_000_000 && content.isRedirected && !content.isPrivate)
    #expect(entries().first?.name == String(try #require(fixture.files.first).suffix(32)))
  }

  @Test(
    "the URL is recorded unless it holds a secret",
    arguments: [
      ("http://a.test/x.jpg?w=5", [:], "http://a.test/x.jpg?w=5"),
      ("http://user:pw@a.test/x.jpg", [:], nil), ("http://a.test/x.jpg?token=abc", [:], nil),
      ("http://a.test/x.jpg?X-Amz-Signature=1", [:], nil),
      ("http://a.test/x.jpg", ["Cookie": "id=1"], nil), ("http://a.test/x.jpg", ["authorization": "x"], nil),
      ("http://a.test/x.jpg", ["Accept-Language": "de"], "http://a.test/x.jpg"),
      ("http://a.test/" + String(repeating: "x", count: 3000), [:], nil),
    ] as [(String, [String: String], String?)])
  func listedURL(text: String, headers: [String: String], expected: String?) throws {
    let url = try #require(URL(string: text))
    let fields = HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.key, value: $0.value) })
    let identity = RequestIdentity(url: url, headers: fields)
    #expect(ListedURL.of(identity) == expected)

    fixture.cache().store(storedResponse(), for: identity)

    #expect(entries().first?.content?.url == expected)
    let hasSecret = headers["Cookie"] != nil || headers["authorization"] != nil || text.contains("@")
    #expect(entries().first?.content?.isPrivate == hasSecret)
    let bytes = try fixture.everything.reduce(into: Data()) { $0 += try Data(contentsOf: URL(filePath: $1)) }
    if expected == nil { #expect(bytes.range(of: Data("x.jpg".utf8)) == nil) }
    #expect(fixture.cache().response(for: identity) == storedResponse())
  }

  @Test func serverCannotSetTheListedURL() {
    let headers: HTTPHeaders = ["ETag": "\"a\"", "Vitrine-Request-URL": "http://bank.test/"]
    fixture.cache().store(storedResponse(headers: headers), for: identity(1))

    #expect(entries().first?.content?.url == "http://a.test/1.jpg")
    #expect(fixture.cache().response(for: identity(1))?.response.headers["Vitrine-Request-URL"] == nil)
  }

  @Test func urlStaysWhenTheHeadIsUpdated() {
    let cache = fixture.cache()
    var later = storedResponse()
    cache.store(later, for: identity(1))
    later.received += 60
    cache.store(later, for: identity(1))

    #expect(entries().first?.content?.url == "http://a.test/1.jpg")
    #expect(entries().first?.content?.response.received == later.received)
  }

  @Test func damagedFilesAreListedAndNotRemoved() throws {
    let cache = fixture.cache()
    for number in 1...3 { cache.store(storedResponse(20_000, seed: UInt8(number)), for: identity(number)) }
    let files = fixture.files
    var bytes = Array(try Data(contentsOf: URL(filePath: files[0])))
    bytes[bytes.count - 1] ^= 1
    try Data(bytes).write(to: URL(filePath: files[0]))
    try Data(try Data(contentsOf: URL(filePath: files[1])).prefix(30)).write(to: URL(filePath: files[1]))

    #expect(entries().map { $0.content == nil } == [false, true, false], "without the bodies")
    let verified = entries(verifying: true)
    #expect(verified.map { $0.content == nil } == [true, true, false])
    #expect(fixture.files == files)
    for entry in verified { #expect(cache.removeDamagedEntry(entry.name) == (entry.content == nil)) }
    #expect(fixture.files == [files[2]])
    #expect(!cache.removeDamagedEntry("../key") && !cache.removeDamagedEntry(""))
  }

  @Test func responseUnderTheNameOfAnotherIsDamaged() throws {
    let cache = fixture.cache()
    cache.store(storedResponse(), for: identity(1))
    let file = try #require(fixture.files.first)
    let other = String(file.dropLast(30)) + String(repeating: "0", count: 30)
    try FileManager.default.moveItem(atPath: file, toPath: other)

    let entry = try #require(entries().first)

    #expect(entry.content == nil && cache.removeDamagedEntry(entry.name) && fixture.files.isEmpty)
  }

  @Test func linksAndFoldersInPlaceOfFilesAreDamaged() throws {
    let cache = fixture.cache()
    for number in 1...2 { cache.store(storedResponse(seed: UInt8(number)), for: identity(number)) }
    let files = fixture.files
    for file in files { try FileManager.default.removeItem(atPath: file) }
    try FileManager.default.createSymbolicLink(atPath: files[0], withDestinationPath: "/etc/passwd")
    try FileManager.default.createDirectory(atPath: files[1], withIntermediateDirectories: false)

    #expect(entries().allSatisfy { $0.content == nil } && entries().count == 2)
  }

  @Test func walkCanBeStoppedAndReportsTheCountFirst() {
    let cache = fixture.cache()
    for number in 0..<5 { cache.store(storedResponse(), for: identity(number)) }
    var (count, visited) = (0, 0)

    let walk = cache.forEachEntry(count: { count = $0 }) { _ in
      visited += 1
      return visited < 3
    }

    #expect(walk == .stopped && count == 5 && visited == 3)
  }

  @Test func folderThatCannotBeReadIsReported() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    for number in 0..<3 { cache.store(storedResponse(), for: identity(number)) }
    system.fail(.names, with: .error(EIO))
    #expect(cache.forEachEntry { _ in true } == .incomplete)
    system.fail(.read, with: .error(EIO))
    #expect(cache.forEachEntry { _ in true } == .incomplete)
    system.fail(.open, with: .error(EACCES))
    #expect(
      cache.forEachEntry { _ in true } == .refused(.refused(path: fixture.folder, code: EACCES)))
    #expect(system.openCount == 0)
    #expect(fixture.cache(fixture.folder + "/nowhere").forEachEntry { _ in true } == .complete)
  }

  @Test func bodyIsHashedInPartsLikeAsAWhole() {
    // The algorithm differs by the number of bytes.
    for count in [0, 1, 8, 16, 17, 128, 129, 240, 241, 1024, 4096, 200_000] {
      let bytes = storedResponse(count).body
      var hasher = ContentHasher()
      for start in stride(from: 0, to: bytes.count, by: 7919) {
        hasher.append(Array(bytes[start..<min(bytes.count, start + 7919)]))
      }
      #expect(hasher.hash == ContentHash(bytes), "\(count)")
    }
    #expect(ContentHasher().hash == ContentHash([]))
  }
}
