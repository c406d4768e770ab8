import FoundationEssentials
import Synchronization
import Testing
import VitrineCurlTransport
import VitrineLoading

@Suite(
  "Only servers that the configuration trusts are trusted", .timeLimit(.minutes(5)),
  .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
struct TrustTests {
  typealias Trust = CurlTransport.Trust

  @Test("AF-S22 AF-S25 SD-D37 a self-signed certificate fails with its own error")
  func selfSignedCertificateFails() async throws {
    let server = try TLSServer()

    for checksHostNames in [true, false] {
      let calls = try await CurlTransport(trust: .init(checksHostNames: checksHostNames)).get(server.url)

      #expect(
        calls.isUntrusted(for: "self-signed certificate", .selfSigned), "\(String(describing: calls.error))")
      #expect(calls.responses.isEmpty && calls.failureMetrics?.requests == 0)
    }
  }

  @Test("AF-S25 SD-D37 a self-signed certificate passes if invalid ones are allowed, with a warning")
  func selfSignedCertificatePassesIfAllowed() async throws {
    let server = try TLSServer()
    let warnings = Mutex<[String]>([])
    let transport = CurlTransport(
      configuration: .init(
        trust: .init(allowsInvalidCertificates: true),
        warn: { warning in warnings.withLock { $0.append(warning) } }))

    #expect(try await transport.get(server.url).text == "hello")
    #expect(warnings.withLock { $0 } == ["certificates of https are not checked"])

    let wrongHost = try await transport.get("https://127.0.0.1:\(server.port)/")
    #expect(wrongHost.isUntrusted(for: "127.0.0.1", .wrongHost), "\(String(describing: wrongHost.error))")
  }

  @Test(
    "a certificate outside its dates fails unless invalid ones are allowed",
    arguments: [(TLSServer.Flaw.expired, TrustFailure.expired), (.notYetValid, .notYetValid)])
  func certificateOutsideItsDatesFailsUnlessAllowed(flaw: TLSServer.Flaw, cause: TrustFailure) async throws {
    let server = try TLSServer(flaw: flaw)

    let calls = try await CurlTransport(trust: .init(certificateAuthorities: server.certificate))
      .get(server.url)
    let allowed = try await CurlTransport(trust: .init(allowsInvalidCertificates: true)).get(server.url)

    #expect(calls.isUntrusted(for: "", cause), "\(String(describing: calls.error))")
    #expect(calls.error?.suggestsWrongClock == true)
    #expect(allowed.text == "hello")
  }

  @Test("AF-S25 a wrong host name is rejected unless names are not checked", arguments: [false, true])
  func wrongHostNameIsRejectedUnlessUnchecked(allowsInvalid: Bool) async throws {
    let server = try TLSServer()
    var trust = Trust(
      certificateAuthorities: server.certificate, allowsInvalidCertificates: allowsInvalid)
    let address = "https://127.0.0.1:\(server.port)/"

    let checked = try await CurlTransport(trust: trust).get(address)
    let rightName = try await CurlTransport(trust: trust).get(server.url)
    trust.checksHostNames = false
    let unchecked = try await CurlTransport(trust: trust).get(address)

    #expect(checked.isUntrusted(for: "127.0.0.1", .wrongHost), "\(String(describing: checked.error))")
    #expect(rightName.text == "hello" && unchecked.text == "hello")
  }

  @Test func unreadableAuthoritiesTrustNoServer() async throws {
    let server = try TLSServer()

    for file in ["/nonexistent/ca.pem", "/dev/null", ""] {
      let calls = try await CurlTransport(trust: .init(certificateAuthorities: file)).get(server.url)

      #expect(
        calls.isUntrusted(for: "", .authoritiesUnreadable), "\(file): \(String(describing: calls.error))")
    }
  }

  @Test func certificateIsCheckedEvenIfHostNamesAreNot() async throws {
    let server = try TLSServer()

    let calls = try await CurlTransport(trust: .init(checksHostNames: false)).get(server.url)

    #expect(calls.isUntrusted(for: "self-signed certificate"))
  }

  @Test func oldTLSIsRefusedEvenIfInvalidCertificatesAreAllowed() async throws {
    let server = try TLSServer()
    let trust = Trust(allowsInvalidCertificates: true, checksHostNames: false)

    let calls = try await CurlTransport(trust: trust).get("https://localhost:\(server.oldPort)/")

    #expect(calls.isUntrusted(for: "protocol", .weakEncryption), "\(String(describing: calls.error))")
  }

  @Test("AF-S23 a pinned key passes, also in an untrusted certificate if invalid ones are allowed")
  func pinnedKeyPasses() async throws {
    let server = try TLSServer()
    let other = "sha256//" + String(repeating: "A", count: 43) + "="
    let pins = try ["LocalHost": [other, server.pin()]]

    let trusted = try await CurlTransport(
      trust: .init(certificateAuthorities: server.certificate, pinnedKeys: pins)
    ).get(server.url)
    let alone = try await CurlTransport(
      trust: .init(pinnedKeys: pins, allowsInvalidCertificates: true)
    ).get(server.url)
    let untrusted = try await CurlTransport(trust: .init(pinnedKeys: pins)).get(server.url)

    #expect(trusted.text == "hello" && alone.text == "hello")
    #expect(untrusted.isUntrusted(for: "self-signed certificate"))
  }

  @Test(
    "AF-S23 a key other than the pinned key fails, even if invalid certificates and names are allowed",
    arguments: ["sha256//" + String(repeating: "A", count: 43) + "=", "sha256//", "/etc/hostname", ""])
  func keyOtherThanThePinnedKeyFails(pin: String) async throws {
    let server = try TLSServer()
    let trust = Trust(
      certificateAuthorities: server.certificate, pinnedKeys: ["localhost": pin.isEmpty ? [] : [pin]],
      allowsInvalidCertificates: true, checksHostNames: false)

    let calls = try await CurlTransport(trust: trust).get(server.url)

    let isWellFormed = pin.utf8.count > 20
    #expect(
      calls.isUntrusted(for: "", isWellFormed ? .pinMismatch : .pinUnusable),
      "\(String(describing: calls.error))")
    #expect(calls.failureMetrics?.requests ?? 0 == 0)
  }

  @Test("AF-S23 a pinned host over plain http fails: there is no key to compare")
  func pinnedHostOverPlainHTTPFails() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let pins = ["127.0.0.1": ["sha256//" + String(repeating: "A", count: 43) + "="]]

    let calls = try await CurlTransport(trust: .init(pinnedKeys: pins)).get(server.url)

    #expect(calls.isUntrusted(for: "http", .pinUnusable, host: "127.0.0.1"))
    #expect(server.connectionCount == 0)
  }

  @Test(
    "AF-S23 a host is pinned in any form of its name",
    arguments: [
      ("LOCALHOST.", "https://localhost:1/"), ("localhost", "https://LocalHost.:1/"),
      ("::1", "https://[::1]:1/"), ("[::1]", "https://[::1]:1/"),
      ("0:0:0:0:0:0:0:1", "https://[::1]:1/"), ("::1", "https://[0:0::0001]:1/"),
      ("fe80::1%25eth0", "https://[fe80::1%25eth0]:1/"), ("127.0.0.1", "https://127.1:1/"),
      ("127.1", "https://127.0.0.1:1/"), ("bücher.example", "https://xn--bcher-kva.example:1/"),
      ("xn--bcher-kva.example", "https://bücher.example:1/"),
      ("localhost:1", "https://localhost:1/"), ("https://localhost", "https://localhost:1/"),
    ])
  func hostIsPinnedInAnyFormOfItsName(host: String, url: String) async throws {
    let transport = CurlTransport(trust: .init(pinnedKeys: [host: []]))

    let calls = try await transport.get(url)

    #expect(
      calls.isUntrusted(for: "pinned", .pinUnusable), "\(String(describing: calls.error))")
  }

  @Test func connectionFailureIsNotATrustFailure() async throws {
    let server = try ScriptedServer { _ in [.reset] }
    let silent = try ScriptedServer { _ in [.hold] }
    defer {
      server.stop()
      silent.stop()
    }
    server.stop()

    let refused = try await CurlTransport().get("https://localhost:\(server.port)/")
    let waiting = try await CurlTransport().get(
      "https://localhost:\(silent.port)/", timeouts: .init(connect: 0.2))

    #expect(refused.failure == .cannotConnect)
    #expect(waiting.error == .timedOut(.connect(seconds: 0.2)))
  }

  @Test func serverWithoutTLSIsRefused() async throws {
    let server = try ScriptedServer(greeting: "220 hello\r\n") { _ in [] }
    defer { server.stop() }

    let calls = try await CurlTransport().get("https://localhost:\(server.port)/")

    #expect(calls.failure == .secureConnectionFailed && calls.responses.isEmpty)
  }

  @Test func nextLoadSucceedsAfterTrustFailures() async throws {
    let server = try TLSServer()
    let transport = CurlTransport(trust: .init(certificateAuthorities: server.certificate))

    for _ in 0..<3 {
      _ = try await transport.get("https://127.0.0.1:\(server.port)/")
      _ = try await transport.get("https://localhost:\(server.oldPort)/")
      #expect(try await transport.get(server.url).text == "hello")
    }
  }
}

@Suite("An unsafe configuration causes one warning")
struct TrustWarningTests {
  @Test(arguments: [
    (CurlTransport.Trust(), 0), (.init(certificateAuthorities: "/ca.pem", pinnedKeys: ["a": []]), 0),
    (.init(allowsInvalidCertificates: true), 1), (.init(checksHostNames: false), 1),
    (.init(allowsInvalidCertificates: true, checksHostNames: false), 1),
  ])
  func unsafeTrustWarnsOnce(trust: CurlTransport.Trust, count: Int) async throws {
    let warnings = Mutex<[String]>([])
    let transport = CurlTransport(
      configuration: .init(trust: trust, warn: { warning in warnings.withLock { $0.append(warning) } }))

    for _ in 0..<2 {
      _ = try await transport.get("ftp://127.0.0.1/")
      transport.stop()
    }

    #expect(warnings.withLock { $0.count } == count)
    #expect(warnings.withLock { $0.allSatisfy { $0.contains("not checked") } })
  }

  @Test("AF-S24 by default nothing is pinned, and certificates and names are checked")
  func defaultTrustChecksCertificatesAndNames() {
    let trust = CurlTransport.Configuration().trust

    #expect(trust.pinnedKeys.isEmpty && trust.certificateAuthorities == nil)
    #expect(!trust.allowsInvalidCertificates && trust.checksHostNames)
  }
}

extension CurlTransport {
  /// Creates a transport that discards warnings.
  convenience init(trust: Trust) {
    self.init(configuration: .init(trust: trust, warn: { _ in }))
  }
}

extension Recorder.Calls {
  /// Returns true if the server is not trusted, with a reason that contains the given text, the given cause and the
  /// given host.
  func isUntrusted(for reason: String, _ cause: TrustFailure? = nil, host: String? = nil) -> Bool {
    guard case .untrustedServer(let actualHost, let actualCause, let message) = error else { return false }
    return (reason.isEmpty || message.contains(reason)) && (cause ?? actualCause) == actualCause
      && (host ?? actualHost) == actualHost && !actualHost.isEmpty
  }
}
