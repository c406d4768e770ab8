extension String {
  /// A URL's text without user and password, and these, which are secrets (RFC 3986, 3.2.1): what stands between `//` and
  /// the last `@` before the path; nil for one that has none.
  package var separatingLogin: (url: String, login: String?) {
    let start = hasPrefix("//") ? index(startIndex, offsetBy: 2) : firstRange(of: "://")?.upperBound
    guard let start else { return (self, nil) }
    let rest = self[start...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return (self, nil) }
    return (String(self[..<start] + rest[rest.index(after: at)...]), String(authority[..<at]))
  }

  /// A URL, or a text that was meant to be one, as it may be shown and logged: one line without user and password,
  /// without the values of queries that look like keys or signatures, and cut off after a hundred characters.
  package var withoutSecrets: String {
    let text = URLSecrets.withoutQueryValues(URLSecrets.withoutLogin(self))
    let line = String(
      text.prefix(101).map { $0.isNewline || $0.isASCII && $0.asciiValue ?? 0 < 32 ? " " : $0 })
    return line.count > 100 ? line.prefix(100) + "…" : line
  }
}

/// What of a URL is nobody else's business.
private enum URLSecrets {
  /// Parts of names of query items whose values are never shown.
  private static let names = [
    "token", "key", "secret", "sig", "pass", "pwd", "auth", "cred", "session", "jwt", "code", "policy",
    "login", "user",
  ]
  /// Characters of a value that says nothing to a reader.
  private static let longestValue = 32

  static func withoutLogin(_ text: String) -> String {
    let (url, login) = text.separatingLogin
    guard login == nil else { return url }
    // A text that is no URL may have a login all the same: `user:password@host`, `http:/user:password@host`, or one with
    // a slash in its password, which is taken for a port that is no number.
    let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
    let rest = text[start...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let at = rest.lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") else { return text }
    if start != text.startIndex {
      let port = authority.firstIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
      if port.allSatisfy(\.isNumber) { return text }
      return String(text[..<start] + rest[rest.index(after: at)...])
    }
    // Without `//`: `data:` and `mailto:` have no login, and what follows their colon is no password.
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
