import FoundationEssentials
import Testing

@testable import VitrineCurlTransport

@Suite("The proxy of a request")
struct ProxyRulesTests {
  @Test func noProxyIsUsedByDefaultDespiteTheEnvironment() throws {
    let rules = ProxyRules(.none) { _ in "http://proxy:1" }

    #expect(try proxy(rules, "http://a.example/") == nil)
    #expect(try proxy(rules, "https://a.example/") == nil)
  }

  @Test func oneProxyServesBothSchemes() throws {
    let rules = ProxyRules(.url("http://proxy:1")) { _ in "http://other:2" }

    #expect(try proxy(rules, "http://a.example/") == "http://proxy:1")
    #expect(try proxy(rules, "https://a.example/") == "http://proxy:1")
    #expect(try proxy(ProxyRules(.url("")) { _ in nil }, "http://a.example/") == nil)
  }

  @Test(
    arguments: [
      (["http_proxy": "h"], "h", nil), (["HTTP_PROXY": "H"], nil, nil), (["https_proxy": "s"], nil, "s"),
      (["HTTPS_PROXY": "S"], nil, "S"), (["https_proxy": "s", "HTTPS_PROXY": "S"], nil, "s"),
      (["all_proxy": "a", "http_proxy": "h"], "h", "a"), (["ALL_PROXY": "A"], "A", "A"),
      (["http_proxy": "", "all_proxy": ""], nil, nil), ([:], nil, nil),
      (["all_proxy": "a", "no_proxy": "b.example, a.example"], nil, nil),
      (["all_proxy": "a", "NO_PROXY": "a.example"], nil, nil),
      (["all_proxy": "a", "no_proxy": "b.example", "NO_PROXY": "*"], "a", "a"),
      (["all_proxy": "a", "no_proxy": "*"], nil, nil),
    ] as [([String: String], String?, String?)])
  func environmentSelectsTheProxy(values: [String: String], http: String?, https: String?) throws {
    let rules = ProxyRules(.environment) { values[$0] }

    #expect(try proxy(rules, "http://a.example/") == http)
    #expect(try proxy(rules, "https://a.example/") == https)
  }

  @Test(arguments: [
    "http://localhost/", "http://LOCALHOST.:8080/", "http://x.localhost/", "http://127.0.0.1/",
    "http://127.9.8.7:1/", "https://[::1]:1/", "http://127.1/", "http://2130706433/", "http://[0:0::1]/",
  ])
  func loopbackIsReachedWithoutAProxy(url: String) throws {
    #expect(try proxy(ProxyRules(.url("p")) { _ in nil }, url) == nil)
    #expect(try proxy(ProxyRules(.environment) { $0 == "all_proxy" ? "p" : nil }, url) == nil)
    #expect(try proxy(ProxyRules(.url("p", exceptions: [])) { _ in nil }, url) == "p")
  }

  @Test(arguments: [
    ("a.example", "http://a.example/", true), ("a.example", "http://x.A.example./", true),
    ("a.example", "http://ba.example/", false), (".a.example", "http://a.example/", true),
    ("*.a.example", "http://x.a.example/", true), ("A.EXAMPLE.", "http://a.example/", true),
    ("10.0.0.0/8", "http://10.1.2.3/", true), ("10.0.0.0/8", "http://11.1.2.3/", false),
    ("10.1.2.3", "http://10.1.2.3/", true), ("10.1.2.3", "http://10.1.2.4/", false),
    ("10.128.0.0/9", "http://10.127.0.1/", false), ("10.128.0.0/9", "http://10.129.0.1/", true),
    ("0.0.0.0/0", "http://10.1.2.3/", true), ("0.0.0.0/0", "http://a.example/", false),
    ("10.0.0.0/33", "http://10.0.0.0/", false), ("10.0.0.0/x", "http://10.0.0.0/", false),
    ("10.0.0.0/-1", "http://10.0.0.0/", false), ("fd00::/8", "http://[fd12::1]/", true),
    ("fd00::/8", "http://[fe80::1]/", false), ("[fd00::1]", "http://[fd00::1]/", true),
    ("fd00::1/128", "http://[fd00::1]/", true), ("0.1", "http://10.0.0.1/", false),
    ("*", "http://a.example/", true), ("", "http://a.example/", false), (".", "http://a.example/", false),
    ("/", "http://a.example/", false), ("a/b", "http://a/", false),
  ])
  func exceptionsMatchHostsAndNetworks(entry: String, url: String, isExcepted: Bool) throws {
    let rules = ProxyRules(.url("p", exceptions: [entry])) { _ in nil }

    #expect(try proxy(rules, url) == (isExcepted ? nil : "p"))
  }

  private func proxy(_ rules: ProxyRules, _ url: String) throws -> String? {
    let address = try #require(URL(string: url).flatMap { WebAddress($0) })
    return rules.proxy(for: address.origin)
  }
}
