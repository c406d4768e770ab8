import FoundationEssentials

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
}

extension URL {
  /// Without user and password.
  var withoutLogin: URL {
    let (text, login) = absoluteString.separatingLogin
    return login == nil ? self : URL(string: text) ?? self
  }
}
