import CCurl
import VitrineLoading

extension EasyHandle {
  /// Sets every option for one request, from nothing: what is not set here is libcurl's default.
  func prepare(
    for hop: Hop, connectLimit: Double, configuration: CurlTransport.Configuration
  ) throws(ImageError) {
    reset()
    try setErrorText()
    try set(CURLOPT_URL, hop.address.text)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)  // `RedirectPolicy` does
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_NOSIGNAL, 1)
    // A cancelled transfer does not wait for its name look-up, which would hold up all others.
    try set(CURLOPT_QUICK_EXIT, 1)
    try setHeaderLines(headerLines(hop.headers, userAgent: configuration.userAgent))
    try setProtocol(of: hop)
    try setTrust(configuration)
    try setProxy(configuration)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(connectLimit))
    try set(CURLOPT_MAXLIFETIME_CONN, 600)
    try set(CURLOPT_FRESH_CONNECT, hop.needsFreshConnection ? 1 : 0)
    // Refused by a handle that shared a connection and still has its buffer, which is as good.
    try? set(CURLOPT_BUFFERSIZE, 64 << 10)
  }

  /// HTTP/2 only where TLS has agreed on it: libcurl 7.88 breaks when it reuses a connection that speaks
  /// HTTP/2 without TLS. Without TLS, waiting for a connection to share would hold transfers up for nothing.
  private func setProtocol(of hop: Hop) throws(ImageError) {
    let isEncrypted = hop.address.origin.scheme == "https"
    try set(
      CURLOPT_HTTP_VERSION, Int(isEncrypted ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_PIPEWAIT, isEncrypted ? 1 : 0)
  }

  private func setTrust(_ configuration: CurlTransport.Configuration) throws(ImageError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    guard let authorities = configuration.certificateAuthorities else { return }
    try set(CURLOPT_CAINFO, authorities)
    try set(CURLOPT_CAPATH, nil)
  }

  /// An empty proxy and a list of exceptions, each set, keep libcurl from asking the environment.
  private func setProxy(_ configuration: CurlTransport.Configuration) throws(ImageError) {
    try set(CURLOPT_PROXY, configuration.proxy ?? "")
    try set(CURLOPT_NOPROXY, "localhost,127.0.0.0/8,::1")
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
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
