import Testing
import VitrineGalleryServer

@Suite("Serving", .timeLimit(.minutes(1)))
struct ServingTests {
  @Test func addedResourceIsServedWithItsTypeAndHeaders() throws {
    let server = try GalleryServer()
    server.add(
      Resource(body: [1, 2, 3], contentType: "image/png", headers: ["X-Maker": "me"]), at: "/one.png")

    let answer = try Client(port: server.port).get("/one.png")

    #expect(answer.status == 200)
    #expect(answer.body == [1, 2, 3])
    #expect(answer.headers["content-type"] == "image/png")
    #expect(answer.headers["content-length"] == "3")
    #expect(answer.headers["x-maker"] == "me")
  }

  @Test func unknownPathIsNotFound() throws {
    let server = try GalleryServer()

    #expect(try Client(port: server.port).get("/gallery/none.jpg").status == 404)
  }

  @Test func connectionIsKeptForSeveralRequests() throws {
    let server = try GalleryServer()
    server.add(Resource(body: [7]), at: "/a")
    let client = try Client(port: server.port)

    for _ in 0..<3 { #expect(try client.get("/a").body == [7]) }

    #expect(server.connectionCount == 1)
    #expect(server.log.map(\.connection) == [1, 1, 1])
    #expect(server.log.allSatisfy { $0.wasFinished })
  }
}
