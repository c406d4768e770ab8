import CCurl
import FoundationEssentials

/// A URL parsed by libcurl's parser, so that the host that is checked is the host that libcurl connects to. A URL that
/// every parser reads alike is not parsed by libcurl; see `PlainURL`.
struct WebAddress: Hashable, Sendable {
  /// The scheme, host and port (RFC 6454, 4). Scheme and host are in lower case, and a Unicode host is in its ASCII
  /// form if there is one.
  struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: String
  }

  /// The parts, which copies share: a transfer copies its address several times.
  private final class Parts: Sendable {
    let origin: Origin
    let text: String
    let url: URL
    let target: PlainURL.Target?

    init(_ origin: Origin, _ text: String, _ url: URL, _ target: PlainURL.Target?) {
      self.origin = origin
      self.text = text
      self.url = url
      self.target = target
    }
  }

  private let parts: Parts

  var origin: Origin { parts.origin }
  /// The whole URL as passed to libcurl.
  var text: String { parts.text }
  /// The whole URL as passed to callers.
  var url: URL { parts.url }
  /// The path and the query of a URL that every parser reads alike; `nil` for other URLs. See `PlainURL`.
  var target: PlainURL.Target? { parts.target }

  /// Returns true if the URLs are equal, however they were parsed.
  static func == (a: WebAddress, b: WebAddress) -> Bool {
    a.parts === b.parts || a.text == b.text && a.url == b.url && a.origin == b.origin
  }

  /// Hashes the text, which nearly always differs if URLs differ.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Returns `nil` unless libcurl parses the URL and finds a scheme and a host.
  init?(_ url: URL) {
    if let plain = PlainURL(url.absoluteString) {
      self.init(plain, url: url)
    } else {
      self.init(parsing: url)
    }
  }

  /// Parses any URL with libcurl's parser.
  init?(parsing url: URL) {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, url.absoluteString) else { return nil }
    self.init(parts, url: url)
  }

  /// Resolves a Location header against this address (RFC 9110, 10.2.2). Returns `nil` if it is not a valid reference.
  ///
  /// User and password of this address are kept within its origin and dropped for another. User and password in the
  /// location are ignored.
  func resolving(_ location: String) -> WebAddress? {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text) else { return nil }
    let login = (user: parts.get(CURLUPART_USER), password: parts.get(CURLUPART_PASSWORD))
    guard parts.set(CURLUPART_URL, location, CURLU_URLENCODE), let origin = parts.origin else { return nil }
    let isSameOrigin = origin == self.origin
    guard parts.set(CURLUPART_USER, isSameOrigin ? login.user : nil),
      parts.set(CURLUPART_PASSWORD, isSameOrigin ? login.password : nil),
      let text = parts.get(CURLUPART_URL), let url = URL(string: text)
    else { return nil }
    return WebAddress(parts, url: url)
  }

  /// True if the URL contains a user or a password.
  var hasLogin: Bool {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text) else { return false }
    return parts.get(CURLUPART_USER) != nil || parts.get(CURLUPART_PASSWORD) != nil
  }

  /// The value of the Host header field: the host, and the port unless the scheme's default applies.
  var authority: String {
    let isDefault = origin.port == (origin.scheme == "https" ? "443" : "80")
    return isDefault ? origin.host : "\(origin.host):\(origin.port)"
  }

  /// The path, beginning with a slash.
  var path: String {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text) else { return "/" }
    return parts.get(CURLUPART_PATH) ?? "/"
  }

  /// The URL without user and password, for error messages.
  var textWithoutLogin: String {
    guard let parts = URLParts(), parts.set(CURLUPART_URL, text), parts.set(CURLUPART_USER, nil),
      parts.set(CURLUPART_PASSWORD, nil)
    else { return "" }
    return parts.get(CURLUPART_URL) ?? ""
  }

  /// Returns the scheme at the start of a text, in lower case; `nil` for a relative reference (RFC 3986, 3.1).
  static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    guard let first = scheme.utf8.first, (0x61...0x7A).contains(first) else { return nil }
    let isScheme = scheme.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
    return isScheme ? scheme : nil
  }

  private init(_ plain: PlainURL, url: URL) {
    parts = Parts(plain.origin, plain.text, url, plain.target)
  }

  private init?(_ parts: borrowing URLParts, url: URL) {
    guard let origin = parts.origin else { return nil }
    // libcurl would convert a Unicode host only if the thread's locale used UTF-8.
    if parts.get(CURLUPART_HOST)?.utf8.contains(where: { $0 >= 0x80 }) == true, let host = parts.asciiHost {
      guard parts.set(CURLUPART_HOST, host) else { return nil }
    }
    guard let text = parts.get(CURLUPART_URL) else { return nil }
    self.parts = Parts(origin, text, url, nil)
  }
}
