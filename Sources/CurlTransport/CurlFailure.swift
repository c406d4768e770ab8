import CCurl
import VitrineLoading

/// How libcurl could not do what it was asked for, and what that is to a caller.
struct CurlFailure {
  let code: CURLcode
  /// What it said about it; nil for its words for the code.
  var message: String?
  /// The host of the request.
  var host = ""
  /// The host of a proxy that is reached over TLS; nil for any other proxy and for none.
  var secureProxyHost: String?
  /// The request goes through a proxy.
  var isProxied = false
  /// What the proxy answered to CONNECT; 0 for nothing.
  var proxyStatus = 0
  /// The connection was there, through the proxy too.
  var isConnected = false
  /// Seconds that a connection may take, which is the one limit of time that libcurl watches.
  var connectLimit = 0.0

  var error: ImageError {
    let text = message ?? String(cString: curl_easy_strerror(code))
    if code == CURLE_OPERATION_TIMEDOUT { return .timedOut(.connect(seconds: connectLimit)) }
    if let cause = TrustFailure(code, text) {
      return .untrustedServer(host: untrustedHost, cause: cause, message: text)
    }
    if isProxied, isProxys { return .proxyFailed(status: refusal, message: text) }
    return .transport(code: Int(code.rawValue), message: text)
  }

  private var refusal: Int? { proxyStatus == 0 || (200..<300).contains(proxyStatus) ? nil : proxyStatus }

  /// Until there is a connection it is the proxy alone that was spoken to, but for TLS.
  private var isProxys: Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: true
    case CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      !isConnected
    default: refusal != nil && !isConnected
    }
  }

  /// The host that failed to prove its identity. Until an https proxy has answered CONNECT, this is the proxy.
  private var untrustedHost: String {
    guard let secureProxyHost, !isConnected, proxyStatus == 0 else { return host }
    return secureProxyHost
  }
}
