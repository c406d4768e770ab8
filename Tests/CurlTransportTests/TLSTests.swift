import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite(
  "Encrypted connections are checked and shared", .timeLimit(.minutes(1)),
  .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
struct TLSTests {
  @Test func certificateThatNobodyTrustsIsRefused() async throws {
    let server = try TLSServer()

    let heard = try await CurlTransport().get("https://localhost:\(server.port)/")

    #expect(heard.curlCode == 60)
    #expect(heard.responses.isEmpty)
  }

  @Test func ownAuthorityIsTrusted() async throws {
    let server = try TLSServer()

    let heard = try await trusting(server).get("https://localhost:\(server.port)/")

    #expect(heard.text == "hello")
    let metrics = try #require(heard.metrics)
    #expect(metrics.connect <= metrics.tls && metrics.tls <= metrics.firstByte && metrics.tls > 0)
  }

  @Test func certificateForAnotherHostIsRefused() async throws {
    let server = try TLSServer()

    let heard = try await trusting(server).get("https://127.0.0.1:\(server.port)/")

    #expect(heard.curlCode == 60)
  }

  @Test func oldTLSIsRefused() async throws {
    let server = try TLSServer()

    let heard = try await trusting(server).get("https://localhost:\(server.oldPort)/")

    #expect(heard.curlCode == 35)
  }

  @Test func redirectToPlainTextIsRefused() async throws {
    let server = try TLSServer()

    let heard = try await trusting(server).get("https://localhost:\(server.port)/down")

    #expect(heard.error == .redirectRefused(.downgrade))
  }

  @Test func http2CarriesManyOnOneConnection() async throws {
    let server = try TLSServer()
    let transport = trusting(server)

    let heard = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect(heard.compactMap(\.error) == [])
    #expect(heard.allSatisfy { $0.text == "hello" })
    #expect(heard.compactMap(\.metrics).map(\.connections).reduce(0, +) == 1)
  }

  @Test func withoutHTTP2ConnectionsAreBounded() async throws {
    let server = try TLSServer(speaksHTTP2: false)

    let heard = try await getTogether(30, "https://localhost:\(server.port)/", on: trusting(server))

    #expect(heard.compactMap(\.error) == [])
    #expect((1...6).contains(heard.compactMap(\.metrics).map(\.connections).reduce(0, +)))
  }

  @Test func handlesServeAgainAfterTheySharedAConnection() async throws {
    let server = try TLSServer()
    let transport = trusting(server)

    let first = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)
    let second = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect((first + second).compactMap(\.error) == [])
  }

  @Test func connectionsThatEndAfterAFewRequestsAreReplaced() async throws {
    let server = try TLSServer(requestsPerConnection: 3)
    let transport = trusting(server)

    let heard = try await getTogether(30, "https://localhost:\(server.port)/", on: transport)

    #expect(heard.compactMap(\.error) == [])
    #expect(heard.allSatisfy { $0.text == "hello" })
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

  private func trusting(_ server: TLSServer) -> CurlTransport {
    CurlTransport(configuration: .init(certificateAuthorities: server.certificate))
  }

  private func getTogether(
    _ count: Int, _ url: String, on transport: CurlTransport
  ) async throws -> [Recorder.Heard] {
    let recorders = (0..<count).map { _ in Recorder() }
    for recorder in recorders { try transport.start(url, receiver: recorder) }
    var heard: [Recorder.Heard] = []
    for recorder in recorders { heard.append(await recorder.end()) }
    return heard
  }
}
