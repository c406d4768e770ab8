import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite("A status is accepted or refused, and the response head is reported", .timeLimit(.minutes(5)))
struct StatusTests {
  @Test(
    "AF-S14 AF-S20 every 2xx status is accepted, and 204 has an empty body",
    arguments: [200, 201, 202, 203, 204, 205, 206, 207, 226, 299])
  func successStatusIsAccepted(status: Int) async throws {
    let server = try ScriptedServer { _ in [.response(status == 204 ? "" : "hello", status: "\(status) Fine")]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == nil && calls.responses.map(\.status) == [status])
    #expect(calls.text == (status == 204 ? "" : "hello"))
  }

  @Test(
    "AF-S17 AF-S20 every 4xx and 5xx status is refused",
    arguments: [400, 401, 403, 404, 407, 410, 416, 429, 451, 499, 500, 502, 503, 504, 599])
  func errorStatusIsRefused(status: Int) async throws {
    let server = try ScriptedServer { _ in [.response("hello", status: "\(status) Sorry")] }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == .status(status))
    #expect(calls.body.isEmpty)
  }

  @Test func headOfARefusedResponseIsReported() async throws {
    let server = try ScriptedServer { _ in
      [.response("later", status: "503 Busy", fields: ["Retry-After: 7"])]
    }
    defer { server.stop() }

    let calls = try await CurlTransport().get(server.url)

    #expect(calls.error == .status(503))
    #expect(calls.responses.map { $0.headers["retry-after"] } == ["7"])
    #expect(calls.failureMetrics?.requests == 1)
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
      let calls = await transport.get(request)
      #expect(calls.responses.first?.headers["Content-Range"] == "bytes 1-5/6")
      #expect(calls.text == (calls.error == nil ? "hello" : ""))
      statuses[status] = calls.error
    }

    #expect(
      statuses == [200: .status(200), 206: nil, 404: nil, 410: nil, 411: .status(411), 416: .status(416)])
  }

  @Test func emptyListOfAcceptableStatusesRefusesSuccess() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }

    let calls = await CurlTransport().get(
      TransportRequest(url: try #require(URL(string: server.url)), acceptableStatuses: []))

    #expect(calls.error == .status(200))
  }

  @Test func redirectIsFollowedEvenIfItsStatusIsAcceptable() async throws {
    let server = try ScriptedServer { request in
      request.target == "/"
        ? [.response("not this", status: "302 Found", fields: ["Location: /two"])] : [.response("this")]
    }
    defer { server.stop() }

    let calls = await CurlTransport().get(
      TransportRequest(url: try #require(URL(string: server.url)), acceptableStatuses: [200...399]))

    #expect(calls.text == "this")
  }
}
