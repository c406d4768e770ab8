import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite(
  "Encrypted connections are checked and shared", .timeLimit(.minutes(5)),
  .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
struct TLSTests {
  @Test func configuredAuthorityIsTrusted() async throws {
    let server = try TLSServer()

    let calls = try await trusting(server).get("https://localhost:\(server.port)/")

    #expect(calls.text == "hello")
    let metrics = try #require(calls.metrics)
    #expect(metrics.connect <= metrics.tls && metrics.tls <= metrics.firstByte && metrics.tls > 0)
  }

  @Test func redirectToPlainTextIsRefused() async throws {
    let server = try TLSServer()

    let calls = try await trusting(server).get("https://localhost:\(server.port)/down")

    #expect(calls.error == .redirectRefused(.downgrade))
  }

  @Test func http2CarriesManyTransfersOnOneConnection() async throws {
    let server = try TLSServer()
    let transport = trusting(server)

    let calls = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect(calls.compactMap(\.error) == [])
    #expect(calls.allSatisfy { $0.text == "hello" })
    #expect(calls.compactMap(\.metrics).map(\.connections).reduce(0, +) == 1)
  }

  @Test func http11ConnectionsAreBounded() async throws {
    let server = try TLSServer(speaksHTTP2: false)

    let calls = try await getTogether(30, "https://localhost:\(server.port)/", on: trusting(server))

    #expect(calls.compactMap(\.error) == [])
    #expect((1...6).contains(calls.compactMap(\.metrics).map(\.connections).reduce(0, +)))
  }

  @Test func handlesAreReusableAfterSharingAConnection() async throws {
    let server = try TLSServer()
    let transport = trusting(server)

    let first = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)
    let second = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect((first + second).compactMap(\.error) == [])
  }

  @Test func connectionsThatEndAfterAFewRequestsAreReplaced() async throws {
    let server = try TLSServer(requestsPerConnection: 3)
    let transport = trusting(server)

    let calls = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect(calls.compactMap(\.error) == [])
    #expect(calls.allSatisfy { $0.text == "hello" })
  }

  @Test func serverMayRestartBetweenRequests() async throws {
    let server = try TLSServer()
    let transport = trusting(server)
    let before = try await transport.get("https://localhost:\(server.port)/")
    server.stop()
    try server.start()

    let after = try await transport.get("https://localhost:\(server.port)/")

    #expect(before.text == "hello" && after.text == "hello")
  }

  @Test("AF-S21 SD-D8 user and password give access to a protected resource")
  func passwordGivesAccessToAProtectedResource() async throws {
    let server = try TLSServer()
    let origin = try #require(URL(string: server.url))
    var configuration = CurlTransport.Configuration(trust: .init(certificateAuthorities: server.certificate))

    let without = try await CurlTransport(configuration: configuration).get(server.url + "/private")
    configuration.credentials = [.basic(user: "kiosk", password: "wrong", origin: origin)]
    let wrong = try await CurlTransport(configuration: configuration).get(server.url + "/private")
    configuration.credentials = [.basic(user: "kiosk", password: "secret", origin: origin)]
    let right = try await CurlTransport(configuration: configuration).get(server.url + "/private")

    #expect(without.error == .status(401) && wrong.error == .status(401))
    #expect(wrong.failureMetrics?.requests == 1)
    #expect(right.text == "hello")
  }

  @Test(arguments: [(true, false), (false, true)])
  func http11IsUsedIfEitherSideLacksHTTP2(serverSpeaks: Bool, clientSpeaks: Bool) async throws {
    let server = try TLSServer(speaksHTTP2: serverSpeaks)
    let transport = CurlTransport(
      configuration: .init(
        speaksHTTP2: clientSpeaks, trust: .init(certificateAuthorities: server.certificate)))

    let calls = try await transport.get(server.url)

    #expect(calls.text == "hello" && calls.metrics?.httpVersion == "1.1")
  }

  @Test func newConnectionsResumeTheTLSSession() async throws {
    let server = try TLSServer(speaksHTTP2: false)
    let transport = trusting(server)

    let first = try await transport.get(server.url + "/session")
    let others = try await getTogether(5, server.url + "/session", on: transport)

    #expect(first.text == ".")
    #expect(others.map(\.text) == Array(repeating: "r", count: 5))
    #expect(others.compactMap(\.metrics).map(\.connections) == Array(repeating: 1, count: 5))
  }

  private func trusting(_ server: TLSServer) -> CurlTransport {
    CurlTransport(trust: .init(certificateAuthorities: server.certificate))
  }

  private func getTogether(
    _ count: Int, _ url: String, on transport: CurlTransport
  ) async throws -> [Recorder.Calls] {
    let recorders = (0..<count).map { _ in Recorder() }
    for recorder in recorders { try transport.start(url, receiver: recorder) }
    var calls: [Recorder.Calls] = []
    for recorder in recorders { calls.append(await recorder.end()) }
    return calls
  }
}
