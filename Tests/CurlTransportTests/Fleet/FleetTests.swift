import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineGalleryServer
import VitrineLoading
import VitrineTesting

/// Many displays behind a caching server with the configuration of Scripts/fleet. A display is a transport of its own.
@Suite(
  "A caching server asks the origin once for all displays",
  .enabled(if: FleetCache.isTested, "systemd would start the servers nginx and Squid, which are missing"),
  .timeLimit(.minutes(5)))
struct FleetTests {
  private static let displays = 12
  private static let paths = (1...4).map { "/\($0).jpg" }
  private static let body = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// Starts an origin whose responses have these headers, and take a while so that the requests of displays meet.
  private func origin(_ headers: [String: String]) throws -> GalleryServer {
    let server = try GalleryServer()
    for path in Self.paths {
      server.add(Resource(body: Self.body, contentType: "image/jpeg", headers: headers), at: path)
    }
    return server
  }

  /// Requests a URL from several displays at once.
  private func get(
    _ url: String, displays: Int = Self.displays, headers: HTTPHeaders = [:]
  ) async throws -> [Recorder.Calls] {
    try await withThrowingTaskGroup(of: Recorder.Calls.self) { group in
      for _ in 0..<displays { group.addTask { try await CurlTransport().get(url, headers: headers) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("one request for each new image", arguments: FleetCache.Kind.allCases)
  func newImageIsRequestedOnce(kind: FleetCache.Kind) async throws {
    let origin = try origin(["Cache-Control": "max-age=3600", "ETag": "\"1\""])
    let cache = try FleetCache(kind, originPort: origin.port)

    for path in Self.paths {
      let calls = try await get(cache.url + path + "?latency=300")
      #expect(calls.allSatisfy { $0.body == Self.body && $0.responses.first?.status == 200 })
    }

    #expect(origin.log.count == Self.paths.count)
    // Displays that start later receive the stored images.
    for path in Self.paths { _ = try await get(cache.url + path + "?latency=300", displays: 2) }
    #expect(origin.log.count == Self.paths.count)
  }

  @Test("images that the origin has sent are shown while it is down", arguments: FleetCache.Kind.allCases)
  func storedImagesOutliveTheOrigin(kind: FleetCache.Kind) async throws {
    // For nginx, the images are stale at once.
    let origin = try origin(["Cache-Control": "max-age=3600", "X-Accel-Expires": "@1"])
    let cache = try FleetCache(kind, originPort: origin.port)
    for path in Self.paths { _ = try await get(cache.url + path, displays: 1) }

    origin.stop()

    for path in Self.paths {
      #expect(try await get(cache.url + path).allSatisfy { $0.body == Self.body })
    }
  }

  @Test(
    "an error with Retry-After reaches the displays, and the origin sends it once",
    arguments: FleetCache.Kind.allCases)
  func retryAfterReachesTheDisplays(kind: FleetCache.Kind) async throws {
    let origin = try ScriptedServer { _ in
      [.response("busy", status: "503 Service Unavailable", fields: ["Retry-After: 120"])]
    }
    defer { origin.stop() }
    let cache = try FleetCache(kind, originPort: origin.port)

    let first = try await get(cache.url + "/1.jpg", displays: 1)
    let later = try await get(cache.url + "/1.jpg")

    for calls in first + later {
      #expect(calls.error == .status(503))
      #expect(calls.responses.first?.headers["retry-after"] == "120")
    }
    #expect(origin.requests.count == 1)
  }

  @Test("a response for one display is not sent to another", arguments: FleetCache.Kind.allCases)
  func privateResponsesAreNotShared(kind: FleetCache.Kind) async throws {
    let origin = try ScriptedServer { request in
      let user = request.fields.first { $0.hasPrefix("authorization:") } ?? "none"
      return [.response(user, fields: ["Cache-Control: max-age=3600"])]
    }
    defer { origin.stop() }
    let cache = try FleetCache(kind, originPort: origin.port)

    let texts = try await [["Authorization": "Bearer one"], ["Authorization": "Bearer two"], [:]]
      .asyncMap { headers in
        try await CurlTransport().get(cache.url + "/1.jpg", headers: headers).text
      }

    #expect(texts[0].hasSuffix("one") && texts[1].hasSuffix("two") && texts[2] == "none")
    #expect(origin.requests.count == 3)
  }

  // MARK: Squid

  @Test("Squid asks for a stale image by a conditional request, and sends it while the origin is down")
  func staleImageOfSquid() async throws {
    // The image is stale when it arrives.
    let origin = try origin(["Cache-Control": "max-age=60", "Age": "3600", "ETag": "\"1\""])
    let cache = try FleetCache(.squid, originPort: origin.port)
    let path = Self.paths[0]
    #expect(try await get(cache.url + path, displays: 1).allSatisfy { $0.body == Self.body })

    #expect(try await get(cache.url + path, displays: 1).allSatisfy { $0.body == Self.body })
    #expect(origin.log.map(\.status) == [200, 304])
    #expect(origin.log.last?.headers["if-none-match"] == "\"1\"")
    origin.stop()

    // Squid responds with an error to some of the displays that wait for a confirmation that fails. They ask again.
    for calls in try await get(cache.url + path) {
      let last = calls.error == nil ? calls : try await CurlTransport().get(cache.url + path)
      #expect(last.body == Self.body)
    }
  }

  // MARK: nginx

  @Test(
    "all displays receive a stale image while one conditional request asks the origin")
  func staleImageIsRevalidatedOnce() async throws {
    // nginx obeys this lifetime, which has ended when the response arrives. The second request is never answered.
    let fields = ["X-Accel-Expires: @1", "Cache-Control: max-age=60", "ETag: \"1\""]
    let origin = try ScriptedServer { request in
      request.connection + request.number == 0 ? [.response("image", fields: fields), .close] : [.hold]
    }
    defer { origin.stop() }
    let cache = try FleetCache(.nginx, originPort: origin.port)
    #expect(try await get(cache.url + "/1.jpg", displays: 1).map(\.text) == ["image"])

    let calls = try await get(cache.url + "/1.jpg")

    #expect(calls.allSatisfy { $0.text == "image" })
    let states = Set(calls.compactMap { $0.responses.first?.headers["x-cache"] })
    #expect(states.isSubset(of: ["STALE", "UPDATING"]), "\(states)")
    // nginx sends the stored image before its own request.
    try await until { origin.requests.count > 1 }
    #expect(origin.requests.count == 2)
    #expect(origin.requests.last?.fields.contains("if-none-match: \"1\"") == true)
  }

  @Test(
    "the conditional request of a display is answered without the origin")
  func displayRevalidatesAtTheCache() async throws {
    let origin = try origin(["Cache-Control": "max-age=3600", "ETag": "\"1\""])
    let cache = try FleetCache(.nginx, originPort: origin.port)
    _ = try await get(cache.url + "/1.jpg", displays: 1)

    let calls = try await get(cache.url + "/1.jpg", headers: ["If-None-Match": "\"1\""])

    #expect(calls.allSatisfy { $0.responses.first?.status == 304 && $0.body.isEmpty })
    #expect(origin.log.count == 1)
  }

  @Test(
    "a display resumes a broken download at the cache")
  func displayResumesAtTheCache() async throws {
    let origin = try origin(["Cache-Control": "max-age=3600", "ETag": "\"1\"", "Accept-Ranges": "bytes"])
    let cache = try FleetCache(.nginx, originPort: origin.port)
    _ = try await get(cache.url + "/1.jpg", displays: 1)

    let calls = try await get(
      cache.url + "/1.jpg", displays: 1, headers: ["Range": "bytes=40000-", "If-Range": "\"1\""])

    #expect(calls.first?.responses.first?.status == 206)
    #expect(calls.first?.body == Array(Self.body[40_000...]))
    #expect(origin.log.count == 1)
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
