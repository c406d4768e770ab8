import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A status is accepted or refused, and the response head is reported", .timeLimit(.minutes(1)))
struct StatusTests {
  @Test(
    "AF-S14 AF-S20 every 2xx status is accepted, and 204 has an empty body",
    arguments: [200, 201, 202, 203, 204, 205, 206, 207, 226, 299])
  func successStatusIsAccepted(status: Int) async throws {
    let server = try ScriptedServer { _ in [.response(status == 204 ? "" : "hello", status: "\(status) Fine")]
    }
    defer { server.stop() }

    let heard = try await CurlTransport().get(server.url)

    #expect(heard.error == nil && heard.responses.map(\.status) == [status])
    #expect(heard.text == (status == 204 ? "" : "hello"))
  }

  @Test(
    "AF-S17 AF-S20 every 4xx and 5xx status is refused",
    arguments: [400, 401, 403, 404, 407, 410, 416, 429, 451, 499, 500, 502, 503, 504, 599])
  func errorStatusIsRefused(status: Int) async throws {
    let server = try ScriptedServer { _ in [.response("hello", status: "\(status) Sorry")] }
    defer { server.stop() }

    let heard = try await CurlTransport().get(server.url)

    #expect(heard.error == .status(status))
    #expect(heard.body.isEmpty)
  }

  @Test func headOfARefusedResponseIsReported() async throws {
    let server = try ScriptedServer { _ in
      [.response("later", status: "503 Busy", fields: ["Retry-After: 7"])]
    }
    defer { server.stop() }

    let heard = try await CurlTransport().get(server.url)

    #expect(heard.error == .status(503))
    #expect(heard.responses.map { $0.headers["retry-after"] } == ["7"])
    #expect(heard.spent?.requests == 1)
  }

  @Test func requestDefinesItsAcceptableStatuses() async throws {
    let server = try ScriptedServer { request in
      [
        .response(
          "hello", status: "\(request.target.dropFirst()) Whatever", fields: ["Content-Range: bytes 1-5/6"])
      ]
    }
    defer { server.stop() }
    let transport = CurlTransport()
    var request = TransportRequest(url: try #require(URL(string: server.url)))
    request.acceptableStatuses = [206...206, 404...410]

    var statuses: [Int: ImageError?] = [:]
    for status in [200, 206, 404, 410, 411, 416] {
      request.url = try #require(URL(string: "\(server.url)/\(status)"))
      let heard = await transport.get(request)
      #expect(heard.responses.first?.headers["Content-Range"] == "bytes 1-5/6")
      #expect(heard.text == (heard.error == nil ? "hello" : ""))
      statuses[status] = heard.error
    }

    #expect(
      statuses == [200: .status(200), 206: nil, 404: nil, 410: nil, 411: .status(411), 416: .status(416)])
  }

  @Test func emptyListOfAcceptableStatusesRefusesSuccess() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let heard = await CurlTransport().get(
      TransportRequest(url: try #require(URL(string: server.url)), acceptableStatuses: []))

    #expect(heard.error == .status(200))
  }

  @Test func redirectIsFollowedEvenIfItsStatusIsAcceptable() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? [.response("not this", status: "302 Found", fields: ["Location: /two"])] : [.response("this")]
    }
    defer { server.stop() }

    let heard = await CurlTransport().get(
      TransportRequest(url: try #require(URL(string: server.url)), acceptableStatuses: [200...399]))

    #expect(heard.text == "this")
  }
}
