import Testing
import VitrineGalleryServer

@Suite("Serving live streams", .timeLimit(.minutes(5)))
struct LiveTests {
  private let folder = TemporaryFolder()
  private let server: GalleryServer

  init() throws {
    folder.makeFolder("pictures")
    folder.write([1, 2, 3], to: "pictures/b.jpg")
    folder.write([4, 5], to: "pictures/a.jpeg")
    folder.write([6], to: "pictures/c.png")
    server = try GalleryServer(images: folder.path + "/pictures")
  }

  private func part(_ body: [UInt8], statesLength: Bool = true) -> [UInt8] {
    let length = statesLength ? "Content-Length: \(body.count)\r\n" : ""
    return Array("--vitrine\r\nContent-Type: image/jpeg\r\n\(length)\r\n".utf8) + body + Array("\r\n".utf8)
  }

  @Test func jpegFilesAreSentOneAfterAnother() throws {
    let client = try Client(port: server.port)
    client.request("/live/gallery.mjpeg?fps=60")
    let expected = part([4, 5]) + part([1, 2, 3]) + part([4, 5])

    let head = try client.readHead()
    let body = try client.read(expected.count)

    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "multipart/x-mixed-replace; boundary=vitrine")
    #expect(head.headers["content-length"] == nil)
    #expect(body == expected)
    client.leave()
    #expect(server.wait(timeout: 60) { $0.first?.outcome == .abandoned })
  }

  @Test func streamEndsAfterTheRequestedParts() throws {
    let client = try Client(port: server.port)

    let response = try client.get("/live/gallery.mjpeg?fps=60&parts=1&lengths=0")

    #expect(response.body == part([4, 5], statesLength: false) + Array("--vitrine--\r\n".utf8))
  }

  @Test func streamMayFallSilent() throws {
    let client = try Client(port: server.port)
    client.request("/live/gallery.mjpeg?fps=60&parts=1&hang=1")

    _ = try client.readHead()
    #expect(try client.read(part([4, 5]).count) == part([4, 5]))
    #expect(server.log.first?.outcome == .running)
  }

  @Test(arguments: [("?status=503", 503), ("?redirect=/a", 302), ("x", 404)])
  func otherResponsesReplaceTheStream(query: String, status: Int) throws {
    #expect(try Client(port: server.port).get("/live/gallery.mjpeg" + query).status == status)
  }

  @Test func serverWithoutJPEGsHasNoStream() throws {
    folder.makeFolder("empty")
    let empty = try GalleryServer(images: folder.path + "/empty")
    let bare = try GalleryServer()

    for server in [empty, bare] {
      #expect(try Client(port: server.port).get("/live/gallery.mjpeg").status == 404)
    }
  }

  @Test func responseToHeadHasNoFrames() throws {
    let response = try Client(port: server.port).get("/live/gallery.mjpeg", method: "HEAD")

    #expect(response.headers["content-type"]?.hasPrefix("multipart/") == true)
    #expect(response.body.isEmpty)
  }
}
