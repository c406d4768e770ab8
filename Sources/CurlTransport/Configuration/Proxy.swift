extension CurlTransport {
  /// The proxy for the requests of a transport, and the hosts that are reached without a proxy.
  public struct Proxy: Hashable, Sendable {
    /// The source of the proxy's URL.
    public enum Source: Hashable, Sendable {
      /// No proxy.
      case none
      /// The environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, the last three also in
      /// capitals, as curl reads them. Read when the transport is created.
      case environment
      /// The proxy with this URL.
      case url(String)
    }

    /// The source of the proxy's URL; none by default in a configuration. The schemes are `http` (the default; https
    /// requests go through it by CONNECT), `https`, `socks4`, `socks4a`, `socks5` and `socks5h` (with `socks4a` and
    /// `socks5h` the proxy resolves host names). The URL may contain user and password.
    public var source: Source
    /// The hosts that are reached without the proxy: names, which include their subdomains, addresses, networks such as
    /// `10.0.0.0/8`, and `*` for all hosts. This machine by default. With the source `.environment`, the entries of
    /// `no_proxy` are added.
    public var exceptions: [String]

    /// The exceptions for this machine: `localhost`, `127.0.0.0/8` and `::1`.
    public static let thisMachine = ["localhost", "127.0.0.0/8", "::1"]

    /// Creates a proxy setting with a source and exceptions.
    public init(_ source: Source, exceptions: [String] = Proxy.thisMachine) {
      self.source = source
      self.exceptions = exceptions
    }

    /// No proxy.
    public static let none = Proxy(.none)
    /// The proxy of the environment, for all hosts except this machine and the entries of `no_proxy`.
    public static let environment = Proxy(.environment)
    /// Returns the proxy with this URL, for all hosts except `exceptions`.
    public static func url(_ url: String, exceptions: [String] = Proxy.thisMachine) -> Proxy {
      Proxy(.url(url), exceptions: exceptions)
    }
  }
}
