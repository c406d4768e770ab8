import Glibc

extension CurlTransport {
  /// The settings for all transfers of a transport.
  ///
  /// ```swift
  /// var configuration = CurlTransport.Configuration()
  /// configuration.trust.certificateAuthorities = "/etc/kiosk/ca.pem"
  /// configuration.proxy = .environment
  /// configuration.cookies = CookieJar()
  /// configuration.credentials = [.basic(user: "kiosk", password: password, origin: url)]
  /// ```
  public struct Configuration: Sendable {
    /// The User-Agent header of requests that do not set their own; `Vitrine` by default. An empty text sends none.
    public var userAgent: String
    /// The maximum number of concurrent connections to one host; 6 by default, clamped to 1...1000. Further transfers
    /// wait for a free connection while their total time limit runs. Over HTTP/2 one connection carries up to 100
    /// transfers.
    public var connectionsPerHost: Int
    /// True if HTTP/2 is used with servers that offer HTTP/2 over TLS; true by default. False uses HTTP/1.1 for all
    /// servers.
    public var speaksHTTP2: Bool
    /// The requirements for the certificates of https servers. By default the system's certificate authorities and a
    /// matching host name.
    public var trust: Trust
    /// The proxy for requests; none by default.
    public var proxy: Proxy
    /// The redirects that are followed; up to five per transfer by default.
    public var redirects: RedirectRules
    /// The credentials, each for one origin; none by default. If several are for one origin, the last one is used. A
    /// URL with user and password, or a request with an Authorization header, takes precedence over a credential.
    public var credentials: [Credential]
    /// The jar that stores cookies. `nil`, the default, stores and sends none. Several transports may share a jar.
    public var cookies: CookieJar?
    /// Called with a warning when a transport is created whose trust settings are unsafe; writes a line to standard
    /// error by default.
    public var warn: @Sendable (String) -> Void

    /// Creates a configuration. The properties describe each setting and its default.
    public init(
      userAgent: String = "Vitrine", connectionsPerHost: Int = 6, speaksHTTP2: Bool = true,
      trust: Trust = .init(), proxy: Proxy = .none, redirects: RedirectRules = .init(),
      credentials: [Credential] = [], cookies: CookieJar? = nil,
      warn: @escaping @Sendable (String) -> Void = Configuration.writeToStandardError
    ) {
      self.userAgent = userAgent
      self.connectionsPerHost = connectionsPerHost
      self.speaksHTTP2 = speaksHTTP2
      self.trust = trust
      self.proxy = proxy
      self.redirects = redirects
      self.credentials = credentials
      self.cookies = cookies
      self.warn = warn
    }

    /// Writes a warning to standard error as one line that begins with `vitrine: warning:`, in a single system call.
    @Sendable public static func writeToStandardError(_ warning: String) {
      let line = Array("vitrine: warning: \(warning)\n".utf8)
      _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }
}
