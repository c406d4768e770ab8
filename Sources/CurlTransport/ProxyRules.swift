/// The rules that choose the proxy of a request, from the configuration and the environment.
struct ProxyRules: Hashable, Sendable {
  /// The URLs of the proxies, by the scheme of the request.
  private var proxies: [String: String] = [:]
  private var exceptions: ProxyExceptions

  init(_ proxy: CurlTransport.Proxy, environment: (String) -> String?) {
    exceptions = ProxyExceptions(proxy.exceptions)
    switch proxy.source {
    case .none: break
    case .url(let url): proxies = ["http": url, "https": url]
    case .environment:
      func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
      let all = value("all_proxy") ?? value("ALL_PROXY")
      // `HTTP_PROXY` in capitals is not read: in a CGI program it holds the client's Proxy header, which an attacker
      // controls.
      proxies["http"] = value("http_proxy") ?? all
      proxies["https"] = value("https_proxy") ?? value("HTTPS_PROXY") ?? all
      let others = value("no_proxy") ?? value("NO_PROXY") ?? ""
      exceptions = ProxyExceptions(proxy.exceptions + others.split { ", ".contains($0) }.map(String.init))
    }
  }

  /// Returns the URL of the proxy for `origin`; `nil` if requests go there directly.
  func proxy(for origin: WebAddress.Origin) -> String? {
    guard let proxy = proxies[origin.scheme], !proxy.isEmpty, !exceptions.include(origin.host) else {
      return nil
    }
    return proxy
  }
}
