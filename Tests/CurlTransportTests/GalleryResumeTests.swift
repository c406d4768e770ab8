import Testing
import VitrineCurlTransport
import VitrineGalleryServer
import VitrineLoading
import VitrineTesting

/// Broken downloads from a server that supports ranges.
@Suite(.timeLimit(.minutes(5)))
struct GalleryResumeTests {
  private static let body = FakeDecoder.encodedImage(width: 8, height: 8, count: 100_000)

  private func load(_ server: GalleryServer, _ target: String) async throws -> [UInt8]? {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = RetryPolicy(limit: 4, delay: 0.01)
    let downloader = ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: FakeDecoder(), cache: nil)
    var request = try ImageRequest(server.baseURL + target)
    request.keepsData = true
    let data = try await downloader.load(request).response.data
    await downloader.shutDown()
    return data
  }

  @Test func eachRetryContinuesWhereTheConnectionBroke() async throws {
    let server = try GalleryServer()
    server.add(Resource(body: Self.body, contentType: "image/png", headers: ["ETag": "\"1\""]), at: "/a.png")

    let data = try? await load(server, "/a.png?truncate=40000")

    #expect(data == Self.body)
    let log = server.log
    #expect(log.map(\.status) == [200, 206, 206])
    #expect(log.map { $0.headers["range"] } == [nil, "bytes=40000-", "bytes=80000-"])
    #expect(log.map { $0.headers["if-range"] } == [nil, "\"1\"", "\"1\""])
    #expect(log.map(\.bodyBytesSent) == [40_000, 40_000, 20_000])
  }

  @Test func downloadWithoutAValidatorStartsOver() async throws {
    let server = try GalleryServer()
    server.add(Resource(body: Self.body, contentType: "image/png"), at: "/a.png")

    await #expect(throws: ImageError.self) { try await load(server, "/a.png?truncate=40000") }

    #expect(server.log.map(\.status) == Array(repeating: 200, count: 5))
    #expect(server.log.allSatisfy { $0.headers["range"] == nil })
  }
}
