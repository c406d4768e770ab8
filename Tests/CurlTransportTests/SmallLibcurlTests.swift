import CCurl
import FoundationEssentials
import Testing
import VitrineLoading

@testable import VitrineCurlTransport

/// A libcurl that is older, or built without some features, refuses options, like those of Buildroot and Yocto.
@Suite(
  "A small libcurl may lack all features except those that keep a transfer safe", .timeLimit(.minutes(5)))
struct SmallLibcurlTests {
  /// Returns a transport whose libcurl refuses the given options.
  private func transport(
    without options: KeyValuePairs<CURLoption, CURLcode>,
    _ configuration: CurlTransport.Configuration = .init()
  ) -> CurlTransport {
    let refused = Dictionary(uniqueKeysWithValues: options.map { ($0.key.rawValue, $0.value) })
    return CurlTransport(configuration: configuration) { option, _ in refused[option.rawValue] }
  }

  @Test(arguments: [CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN])
  func optionalFeaturesMayBeMissing(code: CURLcode) async throws {
    let server = try ScriptedServer { request in
      request.target == "/there"
        ? [.response("hello")] : [.response("", status: "302 Found", fields: ["Location: /there"])]
    }
    defer { server.stop() }
    let transport = transport(without: [
      CURLOPT_PROTOCOLS_STR: code, CURLoption(rawValue: 181): code, CURLOPT_FOLLOWLOCATION: code,
      CURLOPT_NETRC: code,
      CURLOPT_NOSIGNAL: code, CURLOPT_QUICK_EXIT: code, CURLOPT_HTTP_VERSION: code, CURLOPT_PIPEWAIT: code,
      CURLOPT_PROXY: code, CURLOPT_NOPROXY: code, CURLOPT_MAXLIFETIME_CONN: code, CURLOPT_FRESH_CONNECT: code,
      CURLOPT_BUFFERSIZE: code, CURLOPT_PREREQFUNCTION: code, CURLOPT_PREREQDATA: code,
      CURLOPT_SSL_VERIFYPEER: code, CURLOPT_SSL_VERIFYHOST: code, CURLOPT_SSLVERSION: code,
      CURLOPT_CURLU: code,
    ])

    let calls = try await transport.get("http://localhost:\(server.port)/")

    #expect(calls.text == "hello")
    #expect(calls.metrics?.requests == 2 && calls.metrics?.redirects == 1)
  }

  @Test func handleThatReadsInSmallPartsIsUsedOnce() async throws {
    let server = try ScriptedServer { request in [.response(request.target)] }
    defer { server.stop() }
    let filter: OptionFilter = { option, _ in
      option == CURLOPT_BUFFERSIZE ? CURLE_BAD_FUNCTION_ARGUMENT : nil
    }
    let easy = try #require(EasyHandle(sharing: ShareHandle([]), filter: filter))
    let whole = try #require(EasyHandle(sharing: ShareHandle([])))
    let transport = CurlTransport(configuration: .init(), optionFilter: filter)

    easy.setBufferSize()
    whole.setBufferSize()

    #expect(!easy.isReusable && whole.isReusable)
    for target in ["/1", "/2", "/3"] {
      #expect(try await transport.get(server.url + target).text == target)
    }
  }

  @Test func cookieHeaderIsSentWithoutTheCookieOption() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = transport(
      without: [CURLOPT_COOKIE: CURLE_UNKNOWN_OPTION], .init(cookies: CookieJar()))

    _ = try await transport.get(server.url, headers: ["Cookie": "a=b"])

    #expect(server.requests.first?.fields.contains("cookie: a=b") == true)
  }

  @Test func unusableProxyIsNotBypassed() async throws {
    let server = try ScriptedServer { _ in [.response("direct")] }
    defer { server.stop() }
    let transport = transport(
      without: [CURLOPT_PROXY: CURLE_UNKNOWN_OPTION], .init(proxy: .url("http://127.0.0.1:9", exceptions: []))
    )

    let calls = try await transport.get(server.url)

    guard case .proxyFailed(nil, _) = calls.error else {
      Issue.record("\(String(describing: calls.error))")
      return
    }
    #expect(server.connectionCount == 0)
  }

  @Test func pinsThatCannotBeComparedTrustNoServer() async throws {
    let pins = ["localhost": ["sha256//" + String(repeating: "A", count: 43) + "="]]
    let transport = transport(
      without: [CURLOPT_PINNEDPUBLICKEY: CURLE_NOT_BUILT_IN], .init(trust: .init(pinnedKeys: pins)))

    let calls = try await transport.get("https://localhost:1/")

    #expect(calls.isUntrusted(for: "compares none", .pinUnusable, host: "localhost"))
  }

  @Test(arguments: [CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_SSLVERSION].map(\.rawValue))
  func missingTLSChecksFailTheTransfer(option: UInt32) async throws {
    let transport = transport(without: [CURLoption(rawValue: option): CURLE_UNKNOWN_OPTION])

    let calls = try await transport.get("https://localhost:1/")

    #expect(calls.failure == .unsupported)
  }

  @Test(
    arguments: [CURLE_UNSUPPORTED_PROTOCOL, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN].map(\.rawValue),
    [true, false])
  func missingHTTP2FallsBackToHTTP11(code: UInt32, isLocalCAPathKnown: Bool) async throws {
    guard TLSServer.isAvailable else { return }
    let server = try TLSServer()
    let version2 = Int(CURL_HTTP_VERSION_2TLS)
    let transport = CurlTransport(
      configuration: .init(trust: .init(certificateAuthorities: server.certificate))
    ) { option, number in
      switch option {
      case CURLOPT_HTTP_VERSION where number == version2: CURLcode(rawValue: code)
      case CURLOPT_CAPATH where !isLocalCAPathKnown: CURLE_NOT_BUILT_IN
      default: nil
      }
    }

    let calls = try await transport.get(server.url)

    #expect(calls.text == "hello" && calls.metrics?.httpVersion == "1.1")
  }
}
