import CCurl
import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

/// Receivers start the next transfer when one ends, as a downloader does. A transfer that fails before it is sent ends
/// on the transport's own thread.
@Suite("A transfer that libcurl refuses at once does not stop other transfers", .timeLimit(.minutes(5)))
struct ImmediateFailureTests {
  /// The reasons for an immediate failure.
  enum Refusal: String, CaseIterable, CustomTestStringConvertible {
    case port, scheme, header, login, pin, proxy

    var testDescription: String { rawValue }

    var url: String {
      switch self {
      case .port: "http://127.0.0.1:99999/"
      case .scheme: "ftp://127.0.0.1/"
      case .login: "http://login.test/"
      case .pin: "https://pinned.test/"
      case .proxy: "http://proxied.test/"
      case .header: "http://127.0.0.1:1/"
      }
    }

    var headers: HTTPHeaders { self == .header ? ["A": "1\r\nB: 2"] : [:] }
  }

  private func transport() throws -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.trust.pinnedKeys = ["pinned.test": ["nonsense"]]
    configuration.proxy = .url("http://[nonsense", exceptions: ["127.0.0.1", "login.test", "pinned.test"])
    configuration.credentials = [
      .basic(user: "a\n", password: "", origin: try #require(URL(string: "http://login.test/")))
    ]
    return CurlTransport(configuration: configuration)
  }

  @Test(arguments: Refusal.allCases)
  func nextTransferRunsAfterAnImmediateFailure(refusal: Refusal) async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let (transport, url) = (try transport(), server.url)
    let second = Recorder()
    let first = Recorder(onEnd: { _ = try? transport.start(url, receiver: second) })

    try transport.start(refusal.url, headers: refusal.headers, receiver: first)

    #expect(await first.end().error != nil)
    #expect(await second.end().text == "hello")
  }

  @Test func unknownOptionDoesNotStopTheNextTransfer() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let isFirst = Once()
    let transport = CurlTransport(configuration: .init()) { option, _ in
      option == CURLOPT_CONNECTTIMEOUT_MS && isFirst.take() ? CURLE_UNKNOWN_OPTION : nil
    }
    let url = server.url
    let second = Recorder()
    let first = Recorder(onEnd: { _ = try? transport.start(url, receiver: second) })

    try transport.start(url, receiver: first)

    #expect(await first.end().failure == .unsupported)
    #expect(await second.end().text == "hello")
  }

  @Test func longChainOfImmediateFailuresEnds() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let (transport, url) = (try transport(), server.url)
    let last = Recorder()
    var next: @Sendable () -> Void = { _ = try? transport.start(url, receiver: last) }
    for number in 0..<100 {
      let after = next
      next = {
        let refusal = Refusal.allCases[number % Refusal.allCases.count]
        _ = try? transport.start(refusal.url, headers: refusal.headers, receiver: Recorder(onEnd: after))
      }
    }

    next()

    #expect(await last.end().text == "hello")
  }

  @Test func otherTransferCompletesDuringEndlessFailures() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = try transport()
    let good = Recorder()
    let storm = FailureStorm(transport)

    storm.start()
    try transport.start(server.url, receiver: good)

    #expect(await good.end().text == "hello")
    storm.isOver.set()
    transport.stop()
  }
}

/// Starts another transfer that fails immediately each time one has failed.
private final class FailureStorm: Sendable {
  let isOver = Once.Flag()
  private let transport: CurlTransport

  init(_ transport: CurlTransport) { self.transport = transport }

  func start() {
    guard !isOver.isSet else { return }
    _ = try? transport.start("http://127.0.0.1:99999/", receiver: Recorder(onEnd: { self.start() }))
  }
}
