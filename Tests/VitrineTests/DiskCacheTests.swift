import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineGalleryServer
import VitrineTesting

/// The disk cache with the real transport, the real codecs, a server and a folder.
@Suite(.timeLimit(.minutes(5))) struct DiskCacheTests {
  private let world = DiskCacheWorld()

  @Test("a second start shows the image that the first has stored, without a server")
  func storedImageIsShownAfterARestartWithoutAServer() async throws {
    let server = try world.server(["Cache-Control": "max-age=3600", "ETag": "\"1\""])
    let first = world.downloader()
    let response = try await first.image(for: "\(server.baseURL)/one.png")
    #expect(response.source == .network && response.freshness == .fresh)
    #expect(await response.isStored())
    await first.shutDown()
    server.stop()

    let second = world.downloader()
    let again = try await second.image(for: "\(server.baseURL)/one.png")
    #expect(again.source == .disk && again.freshness == .fresh)
    #expect(again.image.pixelWidth == response.image.pixelWidth)
    #expect(server.log.count == 1)
    await second.shutDown()
  }

  @Test(
    "a stale image is revalidated, shown while its server is down, and revalidated when the server is back")
  func staleImageIsRevalidatedOrShownWhileItsServerIsDown() async throws {
    let server = try world.server(["Cache-Control": "max-age=60", "ETag": "\"1\""])
    let url = "\(server.baseURL)/one.png"
    _ = try await world.load(url)
    world.calendar.advance(by: 100)

    let unchanged = try await world.load(url)
    #expect(unchanged.freshness == .revalidated && unchanged.source == .disk)
    #expect(server.log.map(\.status) == [200, 304])

    world.calendar.advance(by: 100)
    server.behaviour.isDown = true
    let offline = try await world.load(url)
    guard case .stale(let age, .transport) = offline.freshness else {
      Issue.record("\(offline.freshness)")
      return
    }
    #expect((100...300).contains(age))

    server.behaviour.isDown = false
    server.add(Resource(body: try world.otherImage(), headers: ["ETag": "\"2\""]), at: "/one.png")
    let new = try await world.load(url)
    #expect(new.source == .network && new.image.pixelWidth != unchanged.image.pixelWidth)
    #expect(server.log.last?.headers["if-none-match"] == "\"1\"")
    #expect(try await world.load(url).source == .disk)
  }

  @Test func staleImageIsShownAfterServerErrorsAndRemovedAfter404() async throws {
    let server = try world.server(["Cache-Control": "max-age=1", "ETag": "\"1\""])
    let url = "\(server.baseURL)/one.png"
    _ = try await world.load(url)
    world.calendar.advance(by: 100)
    // With another ETag, because an unchanged image comes without a body.
    let bodies = ["html", "empty", "truncate", "garbage", "reset"].map { "?\($0)=1&etag=new" }
    for query in ["?status=503"] + bodies {
      let response = try await world.load(url, insteadOf: query)
      guard case .stale(_, .some) = response.freshness else {
        Issue.record("\(query): \(response.freshness)")
        continue
      }
      #expect(response.source == .disk)
    }
    await #expect(throws: ImageError.status(404)) { try await world.load(url, insteadOf: "?status=404") }
    await #expect(throws: ImageError.status(404)) { try await world.load(url, insteadOf: "?status=404") }
    // The response was removed from disk as well.
    await #expect(throws: ImageError.status(503)) { try await world.load(url, insteadOf: "?status=503") }
  }

  @Test(arguments: ["no-store", "max-age=0, no-store"])
  func responseWithNoStoreIsNotStored(control: String) async throws {
    let server = try world.server(["Cache-Control": control, "ETag": "\"1\""])
    let url = "\(server.baseURL)/one.png"
    #expect(await (try world.load(url)).isStored() == false)
    #expect(try await world.load(url).source == .network)
    #expect(server.log.compactMap { $0.headers["if-none-match"] }.isEmpty)
  }

  @Test func redirectToAnotherOriginSendsNoValidators() async throws {
    let (first, second) = (
      try world.server(["Cache-Control": "no-cache", "ETag": "\"one\""]),
      try world.server(["Cache-Control": "no-cache", "ETag": "\"two\"", "Last-Modified": "x"])
    )
    let target = second.baseURL.replacing(":", with: "%3A").replacing("/", with: "%2F") + "%2Fone.png"
    let url = "\(first.baseURL)/one.png?redirect=\(target)"
    #expect(try await world.load(url).source == .network)
    #expect(try await world.load(url).source == .network)
    #expect(second.log.map(\.status) == [200, 200])
    #expect((first.log + second.log).flatMap(\.headers.keys).filter { $0.hasPrefix("if-") }.isEmpty)
  }

  @Test func conditionalRequestRedirectedElsewhereLoadsTheNewImage() async throws {
    let day = "Sat, 01 Jan 2022 00:00:00 GMT"
    let server = try world.server(["Cache-Control": "no-cache", "Last-Modified": day])
    server.add(Resource(body: try world.otherImage(), headers: ["Last-Modified": day]), at: "/two.png")
    let today = "\(server.baseURL)/today"
    let one = try await world.load(today, insteadOf: "?redirect=%2Fone.png")
    #expect(try await world.load(today, insteadOf: "?redirect=%2Fone.png").freshness == .revalidated)
    // The second image has the same date, so its server would respond 304 to a conditional request.
    let two = try await world.load(today, insteadOf: "?redirect=%2Ftwo.png")
    #expect(two.source == .network && two.image.pixelWidth != one.image.pixelWidth)
    #expect(server.log.suffix(4).map(\.status) == [302, 304, 302, 200])
  }
}

/// A folder and a calendar that outlive each downloader.
private final class DiskCacheWorld: Sendable {
  final class Calendar: Sendable {
    private let seconds = Mutex(Date().timeIntervalSince1970)

    var now: Double { seconds.withLock { $0 } }
    func advance(by more: Double) { seconds.withLock { $0 += more } }
  }

  let calendar = Calendar()
  private let folder = FileManager.default.temporaryDirectory.path + "/vitrine-\(UUID())"

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns a new downloader, as after a restart of the process.
  func downloader() -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    // A clock that stands still: no lookup is late, and no server takes too long.
    configuration.environment.clock = ManualLoadingClock()
    configuration.environment.wallClock = { [calendar] in calendar.now }
    configuration.retries = .none
    configuration.requests.keyFilter = { url in
      URL(string: String(url.absoluteString.prefix { $0 != "?" })) ?? url
    }
    return ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: ImageCodecs(),
      dataCache: DiskImageCache(directory: folder, wallClock: { [calendar] in calendar.now }))
  }

  /// Loads an image with a new downloader.
  @discardableResult
  func load(_ url: String, insteadOf query: String = "") async throws -> ImageResponse {
    let downloader = downloader()
    let result: Result<ImageResponse, any Error>
    do { result = .success(try await downloader.image(for: url + query)) } catch { result = .failure(error) }
    await downloader.shutDown(cancelling: false)
    return try result.get()
  }

  func server(_ headers: [String: String]) throws -> GalleryServer {
    let server = try GalleryServer()
    server.add(Resource(body: try image("25-palm-island.png"), headers: headers), at: "/one.png")
    return server
  }

  func otherImage() throws -> [UInt8] { try image("01-first-light.jpg") }

  private func image(_ name: String) throws -> [UInt8] {
    let gallery = URL(filePath: #filePath).appending(path: "../../../Assets/gallery").standardizedFileURL
    return Array(try Data(contentsOf: gallery.appending(path: name)))
  }
}
