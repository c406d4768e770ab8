import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A failure leaves no open socket and does not affect the next load", .timeLimit(.minutes(5)))
struct LeftoverTests {
  /// The faulty responses of a server to `/bad`.
  static let faults: [(name: String, steps: [ScriptedServer.Step])] = [
    ("closes", [.close]), ("resets", [.reset]), ("says nothing", [.hold]),
    ("no HTTP", [.send("hello\r\n\r\n"), .close]), ("half a head", [.send("HTTP/1.1 200 OK\r\nA: "), .hold]),
    ("half a body", [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]),
    ("cut off", [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close]),
    ("too much", [.send("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"), .hold]),
    ("a loop", [.response("", status: "302 Found", fields: ["Location: /bad"])]),
    ("a scheme", [.response("", status: "302 Found", fields: ["Location: file:///x"])]),
    ("a challenge", [.response("", status: "401 No", fields: ["WWW-Authenticate: Digest nonce=\"n\""])]),
    (
      "a challenge without end",
      [
        .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Digest nonce=\"n\"\r\nContent-Length: 9\r\n\r\n"), .hold,
      ]
    ),
    ("an error without end", [.send("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"), .hold]),
  ]

  @Test(arguments: faults.indices)
  func misbehavingServerLeavesNoOpenSocket(index: Int) async throws {
    let server = try ScriptedServer { request in
      request.target == "/bad" ? Self.faults[index].steps : [.response("hello")]
    }
    defer { server.stop() }
    let sockets = try OpenSockets(to: server.port)
    let origin = try #require(URL(string: server.url))
    let transport = CurlTransport(
      configuration: .init(
        credentials: [.digest(user: "u", password: "p", origin: origin)], cookies: CookieJar()))

    for _ in 0..<3 {
      let bad = try await transport.get(
        server.url + "/bad", bodyLimit: 1000, timeouts: .init(connect: 1, stall: 0.2, total: 5))
      #expect(bad.error != nil, "\(Self.faults[index].name)")
      #expect(try await transport.get(server.url + "/good").text == "hello")
    }
    let before = try sockets.count()
    transport.stop()

    #expect(before > 0)
    #expect(try sockets.count() == 0, "\(Self.faults[index].name)")
  }

  @Test(
    "refused certificates leave no open socket",
    .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func refusedCertificateLeavesNoOpenSocket() async throws {
    let server = try TLSServer()
    let (sockets, oldSockets) = (try OpenSockets(to: server.port), try OpenSockets(to: server.oldPort))
    let transport = CurlTransport(trust: .init(certificateAuthorities: server.certificate))

    for _ in 0..<3 {
      _ = try await transport.get("https://127.0.0.1:\(server.port)/")
      _ = try await transport.get("https://localhost:\(server.oldPort)/")
    }
    #expect(try sockets.count() == 0)
    #expect(try oldSockets.count() == 0)
    #expect(try await transport.get(server.url).text == "hello")
    #expect(try sockets.count() == 1)
    transport.stop()

    #expect(try sockets.count() == 0)
  }
}
