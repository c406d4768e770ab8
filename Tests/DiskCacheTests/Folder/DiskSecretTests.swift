import Callbacks
import Foundation
import Glibc
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The secrets that a cache folder must not contain.
@Suite(.timeLimit(.minutes(5))) struct DiskSecretTests {
  let fixture = DiskFixture()

  private func downloader(
    _ transport: any DataTransport, _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) -> ImageDownloader {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = fixture.clock
    configure(&configuration)
    return ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder(), cache: nil,
      dataCache: fixture.cache())
  }

  /// Returns all bytes of the folder, including the file names.
  private func everything() throws -> Data {
    try fixture.everything.reduce(into: Data(fixture.everything.joined().utf8)) {
      $0 += try Data(contentsOf: URL(filePath: $1))
    }
  }

  @Test("the folder contains no secret of a request or response")
  func folderContainsNoSecret() async throws {
    let transport = FakeTransport()
    transport.respondToAll {
      $0.respond(
        with: encodedImage,
        [
          "Cache-Control": "max-age=60", "ETag": "\"one\"", "Vary": "X-Tenant, X-Device-Key, Cookie",
          "Set-Cookie": "id=S3CRET-1; Secure", "set-cookie2": "S3CRET-2",
          "Authentication-Info": "rspauth=S3CRET-3", "Proxy-Authentication-Info": "S3CRET-4",
          "WWW-Authenticate": "Basic S3CRET-5", "X-Auth-Token": "S3CRET-6", "X-CSRF-Token": "S3CRET-7",
          "X-Amz-Security-Token": "S3CRET-8", "X-Api-Key": "S3CRET-9", "X-Jwt": "S3CRET-18",
          "X-Access-Key": "S3CRET-19", "X-Sid": "S3CRET-20", "Server-Timing": "S3CRET-21",
          "Content-Location": "https://b.test/a.jpg?X-Amz-Signature=S3CRET-22",
          "Link": "<https://b.test/a.jpg?sig=S3CRET-23>; rel=canonical", "P3P": "S3CRET-24",
          "Content-Disposition": "inline; filename=this-is-kept.jpg",
        ])
    }
    let downloader = downloader(transport) { configuration in
      configuration.requests.keyFilter = { url in
        URL(string: String(url.absoluteString.prefix { $0 != "?" })) ?? url
      }
    }
    func signedRequest(_ signature: String) throws -> ImageRequest {
      var imageRequest = try ImageRequest("http://kiosk:S3CRET-10@a.test/a.jpg?signature=\(signature)")
      for (name, value) in [
        ("Authorization", "Bearer S3CRET-12"), ("Cookie", "id=S3CRET-13"), ("X-Tenant", "S3CRET-14"),
        ("X-Device-Key", "S3CRET-15"), ("Accept-Language", "S3CRET-16"),
      ] { imageRequest.headers[name] = value }
      return imageRequest
    }

    #expect(await (try downloader.image(for: try signedRequest("S3CRET-11"))).isStored())

    let bytes = try everything()
    #expect(bytes.range(of: Data("S3CRET".utf8)) == nil)
    #expect(bytes.range(of: Data("this-is-kept".utf8)) != nil)
    #expect(fixture.files.count == 1)
    // The response is used for requests with the same headers only.
    #expect(try await downloader.image(for: try signedRequest("another")).source == .disk)
    var other = try signedRequest("S3CRET-11")
    other.headers["X-Tenant"] = "S3CRET-17"
    #expect(try await downloader.image(for: other).source == .network)
  }

  @Test func signatureOfARedirectIsNotStored() throws {
    let cache = fixture.cache()
    var stored = storedResponse()
    let signed =
      "https://bucket.test/a.jpg?id=7&X-Amz-Signature=S3CRET&X-Amz-Credential=S3CRET&token=S3CRET&jwt=S3CRET&sid=S3CRET&%6Aw%74=S3CRET"
      + "&x=" + String(repeating: "S3CRET", count: 6)
    stored.response = TransportResponse(
      url: try #require(URL(string: signed)), status: 200, headers: ["ETag": "\"a\""])
    cache.store(stored, for: identity(1))
    #expect(try everything().range(of: Data("S3CRET".utf8)) == nil)
    #expect(cache.response(for: identity(1))?.response.url.absoluteString == "https://bucket.test/a.jpg?id=7")
  }

  @Test func equalSecretsHaveDifferentFileNamesInTwoFolders() throws {
    let other = DiskFixture()
    let secret = identity("a.jpg", headers: ["Cookie": "id=1"])
    fixture.cache().store(storedResponse(), for: secret)
    other.cache().store(storedResponse(), for: secret)
    let names = [fixture, other].compactMap { $0.files.first?.split(separator: "/").last }
    #expect(names.count == 2 && names[0] != names[1])
    #expect(fixture.cache().response(for: secret) == storedResponse())
  }

  @Test func folderWithoutItsKeyLosesOnlyPrivateResponses() throws {
    let secret = identity("a.jpg", headers: ["Cookie": "id=1"])
    fixture.cache().store(storedResponse(), for: secret)
    fixture.cache().store(storedResponse(seed: 2), for: identity(1))
    for damage in [Data(), Data(count: 31), nil] {
      let path = fixture.root + "/" + FolderKey.name
      if let damage {
        try damage.write(to: URL(filePath: path))
      } else {
        try FileManager.default.removeItem(atPath: path)
      }
      let cache = fixture.cache()
      #expect(cache.response(for: secret) == nil)
      #expect(cache.response(for: identity(1)) == storedResponse(seed: 2))
      #expect(cache.store(storedResponse(), for: secret) && cache.response(for: secret) == storedResponse())
    }
  }

  /// Stores a private response in two caches on one folder. The first cache has found no key and makes its own, and is
  /// held at `call` until the second cache has stored its response.
  private func storeAtOnce(holding call: FaultySystem.Call) async throws {
    let (system, gate) = (FaultySystem(), Gate())
    let (first, second) = (fixture.cache(on: system), fixture.cache())
    system.fail(call, with: .hang(gate))
    async let end: Void = untilCalled { done in
      BlockingThread.start {
        first.store(storedResponse(seed: 1), for: Self.secrets[0])
        done()
      }
    }
    await gate.waitUntilHeld(1)
    second.store(storedResponse(seed: 2), for: Self.secrets[1])
    gate.open()
    try await end

    for cache in [first, second, fixture.cache()] {
      #expect(cache.response(for: Self.secrets[0]) == storedResponse(seed: 1))
      #expect(cache.response(for: Self.secrets[1]) == storedResponse(seed: 2))
    }
  }

  private static let secrets = ["a.jpg", "b.jpg"].map { identity($0, headers: ["Cookie": "id=1"]) }

  @Test(
    "two processes that create the first key at once lose no private response",
    arguments: [FaultySystem.Call.synchronize, .link])
  func processesThatCreateTheFirstKeyAtOnceLoseNoResponse(call: FaultySystem.Call) async throws {
    try await storeAtOnce(holding: call)
    #expect(fixture.everything.count == 3, "no temporary file is left")
  }

  @Test func keyIsCreatedOnAFileSystemWithoutLinks() {
    let system = FaultySystem()
    let cache = fixture.cache(on: system)
    system.fail(.link, number: FaultySystem.always, with: .error(EPERM))

    #expect(cache.store(storedResponse(), for: Self.secrets[0]))

    #expect(system.hasFailed)
    #expect(fixture.cache().response(for: Self.secrets[0]) == storedResponse())
    #expect(fixture.everything.count == 2, "no temporary file is left")
  }

  // MARK: Trust

  /// A transport with trust settings other than the system's.
  private final class TrustTransport: DataTransport {
    let schemes: Set<String> = ["http"]
    let trust: String
    let fake = FakeTransport()

    init(_ trust: String) { self.trust = trust }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable {
      fake.start(request, receiver: receiver)
    }
  }

  @Test func responseOfATransportWithOtherTrustIsNotServed() async throws {
    let transports = ["", "anything goes", "one key"].map { TrustTransport($0) }
    for transport in transports {
      transport.fake.respondToAll { $0.respond(with: encodedImage, freshForAMinute) }
      let downloader = downloader(transport)
      let response = try await downloader.image(for: "http://a.test/a.jpg")
      #expect(response.source == .network)
      #expect(await response.isStored())
      // The clock does not advance for a downloader that waits for the fetch lock of another one.
      await downloader.drain()
    }
    #expect(fixture.files.count == 3)
    let request = ImageRequest(url: url("a.jpg"))
    for transport in transports {
      let downloader = downloader(transport)
      #expect(try await downloader.image(for: "http://a.test/a.jpg").source == .disk)
      #expect(await downloader.containsCachedData(for: request))
    }
    let last = downloader(transports[1])
    try await untilCalled { done in
      last.removeCachedData(for: request) { _ in done() }
    }
    #expect(fixture.files.count == 2)
  }
}
