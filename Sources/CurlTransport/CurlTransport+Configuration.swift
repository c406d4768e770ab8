extension CurlTransport {
  /// What holds for all transfers of a transport.
  public struct Configuration: Hashable, Sendable {
    /// Sent as User-Agent unless a request has one of its own; none is sent when empty. `Vitrine` by default.
    public var userAgent: String
    /// Connections to one host at a time, 6 by default and 1 at least. Further transfers wait for one of
    /// them; their total time limit runs meanwhile. Over HTTP/2 one connection carries 100 transfers.
    public var connectionsPerHost: Int
    /// URL of a proxy (`http://proxy:3128`, `socks5h://proxy`), nil for none, which is the default.
    /// The environment is not asked. Never used for localhost, 127.0.0.0/8 and ::1.
    public var proxy: String?
    /// Path of a PEM file with the certificate authorities to trust instead of the system's; nil, the
    /// default, trusts the system's.
    public var certificateAuthorities: String?

    /// Makes a configuration; see the properties for what each is and its default.
    public init(
      userAgent: String = "Vitrine", connectionsPerHost: Int = 6, proxy: String? = nil,
      certificateAuthorities: String? = nil
    ) {
      self.userAgent = userAgent
      self.connectionsPerHost = connectionsPerHost
      self.proxy = proxy
      self.certificateAuthorities = certificateAuthorities
    }
  }
}
