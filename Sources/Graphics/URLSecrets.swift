extension String {
  /// The text of a URL without user and password, and the login that was removed (RFC 3986, 3.2.1): the part between
  /// `//` and the last `@` before the path; nil for a URL without a login.
  package var separatingLogin: (url: String, login: String?) {
    // Each load asks for this. Looking for a byte is far cheaper than looking for characters.
    let at = UInt8(ascii: "@")
    guard utf8.withContiguousStorageIfAvailable({ $0.contains(at) }) ?? utf8.contains(at) else {
      return (self, nil)
    }
    let start = hasPrefix("//") ? index(startIndex, offsetBy: 2) : firstRange(of: "://")?.upperBound
    guard let start else { return (self, nil) }
    let rest = self[start...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return (self, nil) }
    return (String(self[..<start] + rest[rest.index(after: at)...]), String(authority[..<at]))
  }

  /// A URL, or a malformed URL, in a form that may be shown and logged: one line without user and password, without the
  /// values of query items that look like keys or signatures, truncated after a hundred characters.
  package var withoutSecrets: String {
    let text = URLSecrets.withoutQueryValues(URLSecrets.withoutLogin(self))
    let line = String(
      text.prefix(101).map { $0.isNewline || $0.isASCII && $0.asciiValue ?? 0 < 32 ? " " : $0 })
    return line.count > 100 ? line.prefix(100) + "…" : line
  }
}

/// The rules for removing secrets from URLs.
private enum URLSecrets {
  /// Substrings of names of query items whose values are never shown.
  private static let names = [
    "token", "key", "secret", "sig", "pass", "pwd", "auth", "cred", "session", "jwt", "code", "policy",
    "login", "user",
  ]
  /// The maximum length of a query value that is shown. Longer values may be secrets.
  private static let longestValue = 32

  static func withoutLogin(_ text: String) -> String {
    let (url, login) = text.separatingLogin
    guard login == nil else { return url }
    // A malformed URL may contain a login too: `user:password@host`, `http:/user:password@host`, or a password that
    // contains a slash and is therefore parsed as a port.
    let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
    let rest = text[start...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = rest.lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") else { return text }
    if start != text.startIndex {
      let port = authority.firstIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
      if port.allSatisfy(\.isNumber) { return text }
      return String(text[..<start] + rest[rest.index(after: at)...])
    }
    // Without `//`, `data:` and `mailto:` have no login, and the text after their colon is no password.
    let scheme = rest[..<colon]
    if ["data", "mailto", "file", "blob"].contains(scheme.lowercased()) { return text }
    return String(rest[rest.index(after: at)...])
  }

  static func withoutQueryValues(_ text: String) -> String {
    guard let mark = text.firstIndex(of: "?") else { return text }
    let query = text[text.index(after: mark)...].prefix { $0 != "#" }
    let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      guard let equals = item.firstIndex(of: "=") else {
        return item.count > longestValue ? "…" : String(item)
      }
      let (name, value) = (item[..<equals], item[item.index(after: equals)...])
      let isSecret = value.count > longestValue || names.contains { name.lowercased().contains($0) }
      return isSecret ? "\(name)=…" : String(item)
    }
    return text[...mark] + items.joined(separator: "&") + text[query.endIndex...]
  }
}
