extension CurlTransport {
  /// Through whom to fetch.
  public struct Proxy: Hashable, Sendable {
    /// Where the proxy's URL comes from.
    public enum Source: Hashable, Sendable {
      /// There is no proxy.
      case none
      /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, the last three also in capitals, as curl
      /// reads them; read when the transport is made.
      case environment
      /// This one.
      case url(String)
    }

    /// Where the proxy's URL comes from. Schemes are `http` (the default: https goes through it by CONNECT),
    /// `https`, `socks4`, `socks4a`, `socks5` and `socks5h` (with `h` and `a` the proxy looks names up); it
    /// may hold user and password.
    public var source: Source
    /// Hosts that are reached without: names, which stand for names below them too, addresses, networks as
    /// `10.0.0.0/8`, and `*` for all. This machine by default; `no_proxy` adds to them.
    public var exceptions: [String]

    /// This machine: `localhost`, `127.0.0.0/8` and `::1`.
    public static let thisMachine = ["localhost", "127.0.0.0/8", "::1"]

    /// A proxy with its exceptions.
    public init(_ source: Source, exceptions: [String] = Proxy.thisMachine) {
      self.source = source
      self.exceptions = exceptions
    }

    /// No proxy.
    public static let none = Proxy(.none)
    /// The environment's, for all but this machine and what the environment excepts.
    public static let environment = Proxy(.environment)
    /// One at a URL, for all but `exceptions`.
    public static func url(_ url: String, exceptions: [String] = Proxy.thisMachine) -> Proxy {
      Proxy(.url(url), exceptions: exceptions)
    }
  }
}
