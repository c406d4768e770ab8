import CCurl
import VitrineLoading

/// A failure reported by libcurl, with the facts that determine the resulting `ImageError`.
struct CurlFailure {
  let code: CURLcode
  /// libcurl's message about this failure; `nil` uses its general text for the code.
  var message: String?
  var host = ""
  /// The host of a proxy that is reached over TLS; `nil` for any other proxy and for none.
  var secureProxyHost: String?
  /// True if the request goes through a proxy.
  var isProxied = false
  /// The proxy's status in reply to CONNECT; 0 if there was none.
  var proxyStatus = 0
  /// True if the connection to the server was established, including the path through the proxy.
  var isConnected = false
  /// The time limit for connecting, in seconds. The only time limit that libcurl enforces itself.
  var connectLimit = 0.0

  var error: ImageError {
    let text = message ?? String(cString: curl_easy_strerror(code))
    if code == CURLE_OPERATION_TIMEDOUT { return .timedOut(.connect(seconds: connectLimit)) }
    if let cause = TrustFailure(code, text) {
      return .untrustedServer(host: untrustedHost, cause: cause, message: text)
    }
    if isProxied, isProxyFailure { return .proxyFailed(status: refusalStatus, message: text) }
    return .transport(TransportFailure(code), message: "\(text) (curl \(code.rawValue))")
  }

  private var refusalStatus: Int? {
    proxyStatus == 0 || (200..<300).contains(proxyStatus) ? nil : proxyStatus
  }

  /// True if the failure is the proxy's: before a connection is established, all traffic except TLS is with the proxy.
  private var isProxyFailure: Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: true
    case CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      !isConnected
    default: refusalStatus != nil && !isConnected
    }
  }

  /// The host with the untrusted certificate. Until an https proxy has replied to CONNECT, this is the proxy.
  private var untrustedHost: String {
    guard let secureProxyHost, !isConnected, proxyStatus == 0 else { return host }
    return secureProxyHost
  }
}
