extension String {
  /// The URL without user and password, and the removed login: the text between `//` and the last `@` before the path
  /// (RFC 3986, 3.2.1), or `nil` if the URL has none.
  package var separatingLogin: (url: String, login: String?) {
    guard contains(byte: UInt8(ascii: "@")) else { return (self, nil) }
    let start = hasPrefix("//") ? index(startIndex, offsetBy: 2) : firstRange(of: "://")?.upperBound
    guard let start else { return (self, nil) }
    let remaining = self[start...]
    let authority = remaining.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return (self, nil) }
    return (String(self[..<start] + remaining[remaining.index(after: at)...]), String(authority[..<at]))
  }

  /// A URL, or a malformed URL, in a form that may be shown and logged: one line without user and password, without the
  /// values of query items that look like keys or signatures, truncated after a hundred characters.
  package var withoutSecrets: String { withoutSecrets(longest: 100) }

  /// Returns the URL in the form of `withoutSecrets`, truncated after `longest` characters.
  package func withoutSecrets(longest: Int) -> String {
    let text = URLSecrets.withoutQueryValues(URLSecrets.withoutLogin(self))
    let line = String(text.prefix(longest + 1).map { $0.isNewline || URLSecrets.isControl($0) ? " " : $0 })
    return line.count > longest ? line.prefix(longest) + "…" : line
  }

  /// True if the query item `name=value`, or its value alone, may be a key or a signature.
  package static func isSecretQueryItem(name: some StringProtocol, value: some StringProtocol) -> Bool {
    URLSecrets.isSecret(name: String(name), value: String(value))
  }
}

/// The rules for removing secrets from URLs.
private enum URLSecrets {
  /// Substrings of names of query items whose values are never shown.
  private static let names = [
    "token", "key", "secret", "sig", "pass", "pwd", "auth", "cred", "session", "jwt", "code", "policy",
    "login", "user", "hmac", "ticket", "nonce", "x-amz-", "x-goog-", "x-ms-", "accessid",
  ]
  /// Names of query items whose values are never shown, too short to be looked for in other names.
  private static let shortNames: Set<String> = ["sid", "pin", "otp", "hash"]
  /// The maximum length of a query value that is shown. Longer values may be secrets.
  private static let longestValue = 32

  /// True for a character that a terminal may take for a command, such as ESC and U+009B.
  static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  static func withoutLogin(_ text: String) -> String {
    let (url, login) = text.separatingLogin
    guard login == nil else { return url }
    // A malformed URL may contain a login too: `user:password@host`, `http:/user:password@host`, or a password that
    // contains a slash and is therefore parsed as a port.
    let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
    let remaining = text[start...]
    let authority = remaining.prefix { !"/?#".contains($0) }
    guard let at = remaining.lastIndex(of: "@"), let colon = remaining[..<at].firstIndex(of: ":") else {
      return text
    }
    if start != text.startIndex {
      let port = authority.firstIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
      if port.allSatisfy(\.isNumber) { return text }
      return String(text[..<start] + remaining[remaining.index(after: at)...])
    }
    // Without `//`, `data:` and `mailto:` have no login, and the text after their colon is no password.
    let scheme = remaining[..<colon]
    if ["data", "mailto", "file", "blob"].contains(scheme.lowercased()) { return text }
    return String(remaining[remaining.index(after: at)...])
  }

  /// Removes secret values from the query and from a fragment that is made of items like a query.
  static func withoutQueryValues(_ text: String) -> String {
    guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
    let parts = text[mark...].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let shown = parts.map { part in
      part.hasPrefix("?") ? "?" + withoutValues(part.dropFirst()) : withoutValues(part)
    }
    return text[..<mark] + shown.joined(separator: "#")
  }

  private static func withoutValues(_ items: Substring) -> String {
    var shown = ""
    var remaining = items
    while !remaining.isEmpty {
      let item = remaining.prefix { $0 != "&" && $0 != ";" }
      shown += withoutValue(item)
      remaining = remaining[item.endIndex...]
      if let separator = remaining.popFirst() { shown.append(separator) }
    }
    return shown
  }

  private static func withoutValue(_ item: Substring) -> String {
    guard let equals = item.firstIndex(of: "=") else {
      return isSecret(name: "", value: String(item)) ? "…" : String(item)
    }
    let (name, value) = (item[..<equals], item[item.index(after: equals)...])
    return isSecret(name: String(name), value: String(value)) ? "\(name)=…" : String(item)
  }

  static func isSecret(name: String, value: String) -> Bool {
    // The rest of a truncated value is unknown: it may have been long, and an item without a name may have had one.
    if value.count > longestValue || value.hasSuffix("…") { return true }
    let name = withoutEscapes(name).lowercased()
    if shortNames.contains(name) || names.contains(where: { name.contains($0) }) { return true }
    // Padded base64, or a URL with a query of its own.
    return withoutEscapes(value).contains("=")
  }

  /// The text with percent escapes decoded, as a server reads it.
  private static func withoutEscapes(_ text: String) -> String {
    guard text.contains(byte: UInt8(ascii: "%")) else { return text }
    return String(decoding: ArraySlice(text.utf8).percentDecoded, as: UTF8.self)
  }
}
