import CCurl
import VitrineLoading

/// The URL of a proxy, with user and password kept apart because libcurl quotes the URL in error messages.
struct ProxyAddress: Hashable, Sendable {
  /// The URL without user and password, in libcurl's format.
  let text: String
  let user: String?
  let password: String?
  /// The host of the proxy if the connection to the proxy uses TLS; `nil` otherwise.
  let secureHost: String?

  /// Parses the URL of a proxy; a text without a scheme is an http proxy. Throws `.proxyFailed` if the text is not a
  /// URL; the message does not quote the text, which may contain a password.
  init(_ text: String) throws(ImageError) {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text.contains("://") ? text : "http://" + text)
    else { throw .proxyFailed(status: nil, message: "what is set as the proxy is no URL of one") }
    user = parts.get(CURLUPART_USER, CURLU_URLDECODE)
    password = parts.get(CURLUPART_PASSWORD, CURLU_URLDECODE)
    secureHost = parts.get(CURLUPART_SCHEME)?.lowercased() == "https" ? parts.get(CURLUPART_HOST) : nil
    guard parts.set(CURLUPART_USER, nil), parts.set(CURLUPART_PASSWORD, nil),
      let bare = parts.get(CURLUPART_URL)
    else { throw .proxyFailed(status: nil, message: "what is set as the proxy is no URL of one") }
    self.text = bare
  }
}
