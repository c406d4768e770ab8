import FoundationEssentials
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A response that varies with `Cookie` or `Authorization` is not used for another user if the transport adds these
/// headers.
@Suite(.timeLimit(.minutes(5))) struct CredentialVaryTests {
  private let anna = CredentialDigests(cookie: "anna")
  private let ben = CredentialDigests(cookie: "ben")

  private func world(disk: MemoryDataCache? = nil) -> (downloader: ImageDownloader, transport: FakeTransport)
  {
    let transport = FakeTransport(addsCredentials: true)
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    configuration.environment.clock = ManualLoadingClock()
    return (
      ImageDownloader(
        configuration: configuration, transports: [transport], decoder: FakeDecoder(), dataCache: disk),
      transport
    )
  }

  private static func respond(to transfer: FakeTransfer, width: Int, vary: String? = "Cookie, Authorization")
  {
    let body = FakeDecoder.encodedImage(width: width, height: 1)
    var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
    headers["Vary"] = vary
    transfer.respond(headers: headers, expectedLength: body.count)
    transfer.send(body)
    transfer.finish()
  }

  @Test(arguments: [
    CredentialDigests(cookie: "ben"), CredentialDigests(), CredentialDigests(authorization: "anna"),
    CredentialDigests(cookie: "anna", authorization: "ben"),
  ])
  func nextUserIsNotServedFromMemory(next: CredentialDigests) async throws {
    let (downloader, transport) = world()
    transport.credentials = anna
    let first = downloader.load(request())
    Self.respond(to: transport.transfers[0], width: 1)
    #expect(try await first.response.image.pixelWidth == 1)
    #expect(downloader.cachedImage(for: request())?.pixelWidth == 1)

    transport.credentials = next
    #expect(downloader.cachedImage(for: request()) == nil)
    let second = downloader.load(request())
    try #require(transport.transfers.count == 2)
    Self.respond(to: transport.transfers[1], width: 2)
    #expect(try await second.response.image.pixelWidth == 2)

    transport.credentials = anna
    #expect(downloader.cachedImage(for: request())?.pixelWidth == 1)
  }

  @Test(arguments: [
    CredentialDigests(cookie: "ben"), CredentialDigests(), CredentialDigests(authorization: "anna"),
  ])
  func nextUserIsNotServedAResponseThatVariesOnEverything(next: CredentialDigests) async throws {
    for (first, second) in [(anna, next), (next, anna)] {
      let (downloader, transport) = world()
      transport.credentials = first
      let task = downloader.load(request())
      Self.respond(to: transport.transfers[0], width: 1, vary: "*")
      #expect(try await task.response.image.pixelWidth == 1)

      transport.credentials = second
      #expect(downloader.cachedImage(for: request()) == nil)
      let other = downloader.load(request())
      try #require(transport.transfers.count == 2)
      Self.respond(to: transport.transfers[1], width: 2, vary: "*")
      #expect(try await other.response.image.pixelWidth == 2)

      transport.credentials = first
      #expect(downloader.cachedImage(for: request())?.pixelWidth == 1)
    }
  }

  @Test(arguments: [CredentialDigests(cookie: "ben"), CredentialDigests()])
  func nextUserIsNotServedFromDisk(next: CredentialDigests) async throws {
    let disk = MemoryDataCache()
    do {
      let (downloader, transport) = world(disk: disk)
      transport.credentials = anna
      let task = downloader.load(request())
      try await transport.waitUntilStarted(1)
      Self.respond(to: transport.transfers[0], width: 1)
      #expect(await (try task.response).isStored())
    }

    // A new process does not know yet that the response varies.
    let (downloader, transport) = world(disk: disk)
    transport.credentials = next
    let task = downloader.load(request())
    try await transport.waitUntilStarted(1)
    #expect(transport.transfers.first?.request.headers["If-None-Match"] == nil)
    Self.respond(to: transport.transfers[0], width: 2)
    #expect(try await task.response.image.pixelWidth == 2)
  }

  @Test func sameUserIsServedFromDisk() async throws {
    let disk = MemoryDataCache()
    for _ in 0..<2 {
      let (downloader, transport) = world(disk: disk)
      transport.credentials = anna
      transport.respondToAll { Self.respond(to: $0, width: 1) }
      let task = downloader.load(request())
      if disk.storeCount == 0 {
        try await transport.waitUntilStarted(1)
      }
      let response = try await task.response
      if transport.transfers.isEmpty {
        #expect(response.source == .disk)
      } else {
        _ = await response.isStored()
      }
    }
    #expect(disk.storeCount == 1)
  }

  @Test func loadThatJoinsAnotherUsersLoadSendsItsOwnRequest() async throws {
    let (downloader, transport) = world()
    transport.credentials = anna
    let first = downloader.load(request())
    transport.credentials = ben
    let second = downloader.load(request())
    #expect(transport.transfers.count == 1, "the response and its Vary header are not known yet")

    Self.respond(to: transport.transfers[0], width: 1)
    try #require(transport.transfers.count == 2)
    Self.respond(to: transport.transfers[1], width: 2)

    #expect(try await first.response.image.pixelWidth == 1)
    #expect(try await second.response.image.pixelWidth == 2)
    #expect(downloader.cachedImage(for: request())?.pixelWidth == 2)
  }

  @Test func loadThatSendsItsOwnRequestWithChangedCookiesSendsItOnce() async throws {
    let (downloader, transport) = world()
    transport.credentials = anna
    let first = downloader.load(request())
    transport.credentials = ben
    let second = downloader.load(request())
    transport.credentials = CredentialDigests(cookie: "ben, again")

    Self.respond(to: transport.transfers[0], width: 1)
    try #require(transport.transfers.count == 2)
    Self.respond(to: transport.transfers[1], width: 2)

    try #require(transport.transfers.count == 2, "the second request has the present cookies")
    #expect(try await first.response.image.pixelWidth == 1)
    #expect(try await second.response.image.pixelWidth == 2)
  }

  @Test func imageBelongsToTheUserWhoseCookiesWereSent() async throws {
    let (downloader, transport) = world()
    downloader.isSuspended = true
    transport.credentials = anna
    let task = downloader.load(request())
    transport.credentials = ben
    downloader.isSuspended = false
    Self.respond(to: try #require(transport.transfers.first), width: 2)
    _ = try await task.response

    #expect(downloader.cachedImage(for: request())?.pixelWidth == 2)
    transport.credentials = anna
    #expect(downloader.cachedImage(for: request()) == nil)
    #expect(transport.transfers.count == 1)
  }

  @Test func responseThatDoesNotVaryIsShared() async throws {
    let (downloader, transport) = world()
    transport.credentials = anna
    let task = downloader.load(request())
    Self.respond(to: transport.transfers[0], width: 1, vary: nil)
    _ = try await task.response

    transport.credentials = ben

    #expect(downloader.cachedImage(for: request())?.pixelWidth == 1)
  }

  @Test func digestsMatchTheSHA256Standard() {
    #expect(
      SHA256.digest(Array("abc".utf8)).map { String($0, radix: 16) }.joined()
        == "ba7816bf8f1cfea414140de5dae2223b0361a396177a9cb410ff61f2015ad")
    for count in [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000] {
      #expect(SHA256.digest([UInt8](repeating: 1, count: count)).count == 32)
    }
    #expect(
      SecretDigest.hex([String]()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SecretDigest.hex(["ab", "c"]) != SecretDigest.hex(["a", "bc"]))
  }
}
