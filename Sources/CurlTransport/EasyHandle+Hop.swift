import CCurl
import VitrineLoading

extension EasyHandle {
  /// Sets every option for one request, from nothing: what is not set here is libcurl's default.
  func prepare(
    for hop: Hop, connectLimit: Double, settings: TransferSettings
  ) throws(ImageError) {
    let configuration = settings.configuration
    reset()
    isReset = false
    try setErrorText()
    try set(CURLOPT_URL, hop.address.text)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)  // `RedirectPolicy` does
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer does not wait for its name look-up, which would hold up all others.
    try set(CURLOPT_QUICK_EXIT, 1)
    try setHeaders(of: hop, settings)
    try setProtocol(of: hop, speaksHTTP2: configuration.speaksHTTP2)
    try setTrust(configuration.trust, pins: settings.pins.pins(for: hop.address.origin))
    try setProxy(settings.proxies.proxy(for: hop.address.origin), trust: configuration.trust)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(connectLimit))
    try set(CURLOPT_MAXLIFETIME_CONN, 600)
    try set(CURLOPT_FRESH_CONNECT, hop.needsFreshConnection ? 1 : 0)
    // Refused by a handle that shared a connection and still has its buffer, which is as good.
    try? set(CURLOPT_BUFFERSIZE, 64 << 10)
  }

  /// HTTP/2 only where TLS has agreed on it: libcurl 7.88 breaks when it reuses a connection that speaks
  /// HTTP/2 without TLS. Without TLS, waiting for a connection to share would hold transfers up for nothing.
  private func setProtocol(of hop: Hop, speaksHTTP2: Bool) throws(ImageError) {
    let isShared = speaksHTTP2 && hop.address.origin.scheme == "https"
    try set(CURLOPT_HTTP_VERSION, Int(isShared ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_PIPEWAIT, isShared ? 1 : 0)
  }

  private func setTrust(_ trust: CurlTransport.Trust, pins: String?) throws(ImageError) {
    try set(CURLOPT_SSL_VERIFYPEER, trust.allowsInvalidCertificates ? 0 : 1)
    try set(CURLOPT_SSL_VERIFYHOST, trust.checksHostNames ? 2 : 0)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let pins { try set(CURLOPT_PINNEDPUBLICKEY, pins) }
    guard let authorities = trust.certificateAuthorities else { return }
    try set(CURLOPT_CAINFO, authorities)
    try set(CURLOPT_CAPATH, nil)
  }

  /// An empty proxy and an empty list of exceptions, each set, keep libcurl from asking the environment. A
  /// proxy has to prove who it is, whatever the servers need not.
  private func setProxy(_ proxy: String?, trust: CurlTransport.Trust) throws(ImageError) {
    let address = try proxy.map { text throws(ImageError) in try ProxyAddress(text) }
    try set(CURLOPT_PROXY, address?.text ?? "")
    try set(CURLOPT_NOPROXY, "")
    guard let address else { return }
    if let user = address.user { try set(CURLOPT_PROXYUSERNAME, user) }
    if let password = address.password { try set(CURLOPT_PROXYPASSWORD, password) }
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    guard let authorities = trust.certificateAuthorities else { return }
    try set(CURLOPT_PROXY_CAINFO, authorities)
    try set(CURLOPT_PROXY_CAPATH, nil)
  }

  /// The request's fields, what it signs in with, and its cookies.
  private func setHeaders(of hop: Hop, _ settings: TransferSettings) throws(ImageError) {
    var headers = hop.headers
    switch settings.credential(for: hop) {
    case nil: break
    case .bearer(let token): headers["Authorization"] = "Bearer \(token)"
    case .basic(let user, let password): try setLogin(user, password, vitrine_curl_auth_basic)
    case .digest(let user, let password): try setLogin(user, password, vitrine_curl_auth_digest)
    }
    if settings.configuration.cookies != nil { try setCookies(of: hop, &headers) }
    try setHeaderLines(headerLines(headers, userAgent: settings.configuration.userAgent))
  }

  /// Says whose cookies of the jar it is about, and takes over a cookie of the request's own.
  private func setCookies(of hop: Hop, _ headers: inout HTTPHeaders) throws(ImageError) {
    // libcurl 7.88 goes on to take the Host that a request named for the one that cookies belong to,
    // whomever its handle asks next.
    if headers["Host"] == nil { headers["Host"] = hop.address.authority }
    guard let own = headers["Cookie"] else { return }
    // Else there would be two such fields where there may be one (RFC 6265, 5.4).
    headers["Cookie"] = nil
    try set(CURLOPT_COOKIE, HeaderLine.checked(value: own, of: "Cookie"))
  }

  /// Throws for control characters: libcurl would cut a login off at NUL, and copy a line's end into the field of a
  /// digest. No login has any (RFC 7617, 2).
  private func setLogin(_ user: String, _ password: String, _ method: Int) throws(ImageError) {
    guard !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw .curl(CURLE_BAD_FUNCTION_ARGUMENT, "a user or password cannot be sent")
    }
    try set(CURLOPT_HTTPAUTH, method)
    try set(CURLOPT_USERNAME, user)
    try set(CURLOPT_PASSWORD, password)
  }

  /// Fields in the form that libcurl wants; throws for what would break out of its line.
  private func headerLines(
    _ headers: HTTPHeaders, userAgent: String
  ) throws(ImageError) -> [String] {
    var fields = headers.fields
    if headers["User-Agent"] == nil, !userAgent.isEmpty {
      fields.append(HTTPHeaders.Field(name: "User-Agent", value: userAgent))
    }
    var lines: [String] = []
    for field in fields { lines.append(try HeaderLine(field).text) }
    return lines
  }

  /// For libcurl 0 would mean 300 s.
  private static func milliseconds(_ seconds: Double) -> Int {
    seconds < 1e6 ? max(1, Int(seconds * 1000)) : Int(Int32.max)
  }
}
