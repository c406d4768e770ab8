import CCurl
import VitrineLoading

/// How libcurl could not do what it was asked for, and what that is to a caller.
struct CurlFailure {
  let code: CURLcode
  /// What it said about it; nil for its words for the code.
  var message: String?
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
    if isAboutTrust(text) { return .untrustedServer(message: text) }
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

  private func isAboutTrust(_ text: String) -> Bool {
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_OBSOLETE51:
      true
    // What OpenSSL says of a handshake that cannot succeed; a connection that broke meanwhile has the same
    // code, and the host in its text.
    case CURLE_SSL_CONNECT_ERROR where text.contains("SSL routines:"):
      ["certificate", "protocol", "too small", "too weak"].contains { text.contains($0) }
    default: false
    }
  }
}
