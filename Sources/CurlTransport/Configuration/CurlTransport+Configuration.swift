import Glibc

extension CurlTransport {
  /// What holds for all transfers of a transport.
  ///
  /// ```swift
  /// var configuration = CurlTransport.Configuration()
  /// configuration.trust.certificateAuthorities = "/etc/kiosk/ca.pem"
  /// configuration.proxy = .environment
  /// configuration.cookies = CookieJar()
  /// configuration.credentials = [.basic(user: "kiosk", password: password, origin: url)]
  /// ```
  public struct Configuration: Sendable {
    /// Sent as User-Agent unless a request has one of its own; none is sent when empty. `Vitrine` by default.
    public var userAgent: String
    /// Connections to one host at a time, 6 by default and 1 at least. Further transfers wait for one of
    /// them; their total time limit runs meanwhile. Over HTTP/2 one connection carries 100 transfers.
    public var connectionsPerHost: Int
    /// Whether HTTP/2 is spoken with servers that offer it; true by default, over TLS only. False speaks
    /// HTTP/1.1 with all.
    public var speaksHTTP2: Bool
    /// What a server on https has to prove; the system's authorities and its name by default.
    public var trust: Trust
    /// Through whom to fetch; nobody by default.
    public var proxy: Proxy
    /// Which redirects are followed; five of them, by default.
    public var redirects: RedirectRules
    /// What to sign in with, each for one origin; none by default. A URL with user and password, and a
    /// request with an Authorization header, use these and no credential.
    public var credentials: [Credential]
    /// Where cookies are kept; nil, the default, for nowhere: none are kept and none sent. A jar that several
    /// transports are given is shared by them.
    public var cookies: CookieJar?
    /// Told once, when a transport is made, what makes it unsafe; a line on standard error by default.
    public var warn: @Sendable (String) -> Void

    /// Makes a configuration; see the properties for what each is and its default.
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

    /// Writes a warning as a line that begins with the library's name, in one piece.
    @Sendable public static func writeToStandardError(_ warning: String) {
      let line = Array("vitrine: warning: \(warning)\n".utf8)
      _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }
}
