import CCurl
import VitrineLoading

extension EasyHandle {
  /// Sets all options for one request. Starts from a reset handle, so that every option that is not set here has
  /// libcurl's default. If the handle has the options of a similar request, sets only the URL and returns true: the
  /// functions of the receiver are set as well, without their pointers.
  func prepare(for hop: Hop, connectLimit: Double, settings: TransferSettings) throws(ImageError) -> Bool {
    if family?.contains(hop, connectLimit: connectLimit, settings) == true, keepOptions() {
      try setURL(hop.address)
      return true
    }
    try prepareAnew(for: hop, connectLimit: connectLimit, settings: settings)
    family = RequestFamily(hop, connectLimit: connectLimit, settings)
    return false
  }

  private func prepareAnew(
    for hop: Hop, connectLimit: Double, settings: TransferSettings
  ) throws(ImageError) {
    let configuration = settings.configuration
    reset()
    isReset = false
    try setErrorText()
    try setURL(hop.address)
    try setWebOnly()
    try setIfAvailable(CURLOPT_FOLLOWLOCATION, 0)  // `RedirectPolicy` decides about redirects
    try setIfAvailable(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try setIfAvailable(CURLOPT_NOSIGNAL, 1)
    // Without this option, a cancelled transfer would wait for its name lookup and block all others.
    try setIfAvailable(CURLOPT_QUICK_EXIT, 1)
    try setHeaders(of: hop, settings)
    try setProtocol(of: hop, speaksHTTP2: configuration.speaksHTTP2)
    let pins = try settings.pins.pins(for: hop.address.origin)
    if hop.address.origin.scheme == "https" {
      try setTrust(configuration.trust, pins: pins, of: hop.address.origin)
    }
    try setProxy(settings.proxies.proxy(for: hop.address.origin), trust: configuration.trust)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(connectLimit))
    try setIfAvailable(CURLOPT_MAXLIFETIME_CONN, 600)
    try setIfAvailable(CURLOPT_FRESH_CONNECT, hop.needsFreshConnection ? 1 : 0)
    setBufferSize()
  }

  /// Restricts libcurl to http and https. libcurl before 7.85 uses another option for this. libcurl with neither option
  /// is safe as well, because it only receives http and https URLs.
  private func setWebOnly() throws(ImageError) {
    guard try !setIfAvailable(CURLOPT_PROTOCOLS_STR, "http,https") else { return }
    let protocols = CURLoption(rawValue: 181)  // CURLOPT_PROTOCOLS, deprecated
    try setIfAvailable(protocols, 1 << 0 | 1 << 1)
  }

  /// Allows HTTP/2 only over TLS: libcurl 7.88 breaks when it reuses a connection that speaks HTTP/2 without TLS.
  /// Without TLS, or with libcurl built without HTTP/2, waiting for a connection to share would only delay transfers.
  private func setProtocol(of hop: Hop, speaksHTTP2: Bool) throws(ImageError) {
    var isShared = speaksHTTP2 && hop.address.origin.scheme == "https"
    if isShared { isShared = try setIfAvailable(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)) }
    if !isShared { try setIfAvailable(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
    try setIfAvailable(CURLOPT_PIPEWAIT, isShared ? 1 : 0)
  }

  /// Sets the requirements for the server's certificate. Throws if one of the required options is unavailable.
  private func setTrust(
    _ trust: CurlTransport.Trust, pins: String?, of origin: WebAddress.Origin
  ) throws(ImageError) {
    try set(CURLOPT_SSL_VERIFYPEER, trust.allowsInvalidCertificates ? 0 : 1)
    try set(CURLOPT_SSL_VERIFYHOST, trust.checksHostNames ? 2 : 0)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let pins, try !setIfAvailable(CURLOPT_PINNEDPUBLICKEY, pins) {
      throw .untrustedServer(
        host: origin.host, cause: .pinUnusable, message: "keys are pinned, and this libcurl compares none")
    }
    guard let authorities = trust.certificateAuthorities else { return }
    try set(CURLOPT_CAINFO, authorities)
    // libcurl without this option reads no directory of authorities.
    try setIfAvailable(CURLOPT_CAPATH, nil)
  }

  /// Sets the proxy and the requirements for the proxy's certificate, which `allowsInvalidCertificates` does not relax.
  /// Without a proxy, sets an empty proxy and an empty list of exceptions, which keep libcurl from reading the
  /// environment.
  private func setProxy(_ proxy: String?, trust: CurlTransport.Trust) throws(ImageError) {
    let address = try proxy.map { text throws(ImageError) in try ProxyAddress(text) }
    let hasProxies = try setIfAvailable(CURLOPT_PROXY, address?.text ?? "")
    try setIfAvailable(CURLOPT_NOPROXY, "")
    guard let address else { return }
    guard hasProxies else {
      throw .proxyFailed(status: nil, message: "this libcurl is built without proxies")
    }
    if let user = address.user { try set(CURLOPT_PROXYUSERNAME, user) }
    if let password = address.password { try set(CURLOPT_PROXYPASSWORD, password) }
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    guard address.secureHost != nil else { return }
    try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    guard let authorities = trust.certificateAuthorities else { return }
    try set(CURLOPT_PROXY_CAINFO, authorities)
    try setIfAvailable(CURLOPT_PROXY_CAPATH, nil)
  }

  /// Sets the header fields, the credential and the cookies of the request.
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

  /// Sets the host whose cookies of the jar are sent, and passes the request's own Cookie header to libcurl as a
  /// cookie.
  private func setCookies(of hop: Hop, _ headers: inout HTTPHeaders) throws(ImageError) {
    // libcurl 7.88 keeps a Host header that one request set as the cookie host of later requests on the same handle.
    // Setting the header for each request prevents that.
    if headers["Host"] == nil { headers["Host"] = hop.address.authority }
    guard let requestCookies = headers["Cookie"] else { return }
    // Otherwise the request would have two Cookie fields, where only one is allowed (RFC 6265, 5.4). Skipped for
    // libcurl without cookies.
    if try setIfAvailable(CURLOPT_COOKIE, HeaderLine.checked(value: requestCookies, of: "Cookie")) {
      headers["Cookie"] = nil
    }
  }

  /// Sets user and password. Throws for control characters: libcurl would cut a login off at NUL, and copy a line break
  /// into a digest field. Valid logins contain none (RFC 7617, 2).
  private func setLogin(_ user: String, _ password: String, _ method: Int) throws(ImageError) {
    guard !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw .transport(.invalidRequest, message: "a user or password cannot be sent")
    }
    try set(CURLOPT_HTTPAUTH, method)
    try set(CURLOPT_USERNAME, user)
    try set(CURLOPT_PASSWORD, password)
  }

  /// Returns the header lines in libcurl's format, with User-Agent and Accept-Encoding added if missing. Throws for a
  /// field that would break out of its line.
  private func headerLines(_ headers: HTTPHeaders, userAgent: String) throws(ImageError) -> [String] {
    var fields = headers.fields
    if headers["User-Agent"] == nil, !userAgent.isEmpty {
      fields.append(HTTPHeaders.Field(name: "User-Agent", value: userAgent))
    }
    // Without this field the server may choose any encoding (RFC 9110, 12.5.3).
    if headers["Accept-Encoding"] == nil {
      fields.append(HTTPHeaders.Field(name: "Accept-Encoding", value: "identity"))
    }
    var lines: [String] = []
    for field in fields { lines.append(try HeaderLine(field).text) }
    return lines
  }

  /// Converts seconds to milliseconds for libcurl. Values of 0 or less become 1 ms, because libcurl takes 0 for 300 s.
  /// NaN and values from 10⁶ seconds become `Int32.max` (24 days).
  static func milliseconds(_ seconds: Double) -> Int {
    seconds < 1e6 ? Int(max(1, seconds * 1000)) : Int(Int32.max)
  }
}
