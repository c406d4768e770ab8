import Glibc
import Testing
import VitrineGalleryServer

@Suite("Serving files", .timeLimit(.minutes(5)))
struct ImageFolderTests {
  private let folder = TemporaryFolder()
  private let client: Client
  private let server: GalleryServer

  init() throws {
    folder.makeFolder("pictures")
    folder.write([1, 2, 3], to: "pictures/a b.jpg")
    server = try GalleryServer(images: folder.path + "/pictures")
    client = try Client(port: server.port)
  }

  @Test func fileResponseHasTypeETagDateAndLifetime() throws {
    let response = try client.get("/gallery/a%20b.jpg")

    #expect(response.status == 200)
    #expect(response.body == [1, 2, 3])
    #expect(response.headers["content-type"] == "image/jpeg")
    #expect(response.headers["cache-control"] == "max-age=3600")
    #expect(response.headers["last-modified"]?.hasSuffix(" GMT") == true)
    #expect(response.headers["etag"]?.hasPrefix("\"3-") == true)
  }

  @Test(arguments: [
    ("1.JPEG", "image/jpeg"), ("1.png", "image/png"), ("1.gif", "image/gif"), ("1.webp", "image/webp"),
    ("1.tar.gz", "application/octet-stream"), ("none", "application/octet-stream"),
  ])
  func contentTypeFollowsTheFileExtension(name: String, type: String) throws {
    folder.write([], to: "pictures/" + name)

    #expect(try client.get("/gallery/" + name).headers["content-type"] == type)
  }

  @Test func conditionalRequestForAnUnchangedFileReturns304() throws {
    let first = try client.get("/gallery/a%20b.jpg")
    let tag = try #require(first.headers["etag"])
    let date = try #require(first.headers["last-modified"])

    let byTag = try client.get("/gallery/a%20b.jpg", headers: ["If-None-Match: \(tag)"])
    let byDate = try client.get("/gallery/a%20b.jpg", headers: ["If-Modified-Since: \(date)"])

    #expect(byTag.status == 304)
    #expect(byTag.headers["etag"] == tag)
    #expect(byTag.headers["content-length"] == nil)
    #expect(byDate.status == 304)
  }

  @Test func partOfAFileIsServedOnlyWhileTheFileIsUnchanged() throws {
    let tag = try #require(try client.get("/gallery/a%20b.jpg").headers["etag"])
    let headers = ["Range: bytes=1-", "If-Range: \(tag)"]

    let rest = try client.get("/gallery/a%20b.jpg", headers: headers)
    folder.write([4, 5, 6, 7], to: "pictures/a b.jpg")
    let changed = try client.get("/gallery/a%20b.jpg", headers: headers)
    let beyond = try client.get("/gallery/a%20b.jpg", headers: ["Range: bytes=4-"])

    #expect(rest.status == 206 && rest.body == [2, 3])
    #expect(rest.headers["content-range"] == "bytes 1-2/3" && rest.headers["content-length"] == "2")
    #expect(rest.headers["etag"] == tag && rest.headers["content-type"] == "image/jpeg")
    #expect(changed.status == 200 && changed.body == [4, 5, 6, 7])
    #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */4")
    #expect(server.log.map(\.bodyBytesSent) == [3, 2, 4, 26])
  }

  @Test func changedFileHasANewETag() throws {
    let tag = try #require(try client.get("/gallery/a%20b.jpg").headers["etag"])
    folder.write([4, 5], to: "pictures/a b.jpg")

    let response = try client.get("/gallery/a%20b.jpg", headers: ["If-None-Match: \(tag)"])

    #expect(response.status == 200)
    #expect(response.body == [4, 5])
  }

  @Test func eTagChangesWithANanosecondOfModificationTime() throws {
    var tags: [String?] = []

    for nanoseconds in [5, 6] {
      let time = timespec(tv_sec: 1_000_000_000, tv_nsec: nanoseconds)
      utimensat(AT_FDCWD, folder.path + "/pictures/a b.jpg", [time, time], 0)
      tags.append(try client.get("/gallery/a%20b.jpg").headers["etag"])
    }

    #expect(tags == ["\"3-de0b6b3a7640005\"", "\"3-de0b6b3a7640006\""])
  }

  @Test func largeFileIsServedCompletely() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    folder.write(bytes, to: "pictures/large.png")

    #expect(try client.get("/gallery/large.png").body == bytes)
    #expect(try client.get("/gallery/large.png?chunked=1").body == bytes)
    #expect(try client.get("/gallery/large.png?rate=100000000").body == bytes)
  }

  @Test func addedResourceTakesPrecedenceOverAFile() throws {
    server.add(Resource(body: [9]), at: "/gallery/a b.jpg")

    #expect(try client.get("/gallery/a%20b.jpg").body == [9])
  }

  @Test func filesInSubfoldersAreServed() throws {
    folder.makeFolder("pictures/sub")
    folder.write([6], to: "pictures/sub/c.png")

    #expect(try client.get("/gallery/sub/c.png").body == [6])
  }

  @Test(arguments: [
    "", "..", "../secret", "%2e%2e/secret", "..%2fsecret", "sub/../../secret", "/etc/passwd",
    "%2fetc%2fpasswd", "./a%20b.jpg", "sub", "pipe", "a%20b.jpg/", "a%20b.jpg%00.png",
  ])
  func invalidPathsAreNotServed(name: String) throws {
    folder.makeFolder("pictures/sub")
    folder.makePipe("pictures/pipe")
    folder.write([0], to: "secret")

    #expect(try client.get("/gallery/" + name).status == 404)
  }

  @Test func fileThatShrinksWhileBeingSentEndsItsConnection() throws {
    folder.write(Array(repeating: 1, count: 8 << 20), to: "pictures/large.png")
    client.request("/gallery/large.png")
    _ = try client.readHead()

    truncate(folder.path + "/pictures/large.png", 0)

    #expect(throws: ClientError.self) { try client.read(8 << 20) }
    #expect(server.wait(timeout: 60) { $0.first?.outcome == .abandoned })
  }
}
