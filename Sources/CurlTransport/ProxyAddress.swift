import CCurl
import VitrineLoading

/// A proxy's URL, and apart from it user and password: libcurl repeats the URL where it complains of it.
struct ProxyAddress: Hashable, Sendable {
  /// As libcurl wants it.
  let text: String
  let user: String?
  let password: String?
  /// The host of the proxy if the connection to the proxy uses TLS; nil otherwise.
  let secureHost: String?

  /// A text without a scheme is that of an http proxy. Throws without repeating a text that is no URL.
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
