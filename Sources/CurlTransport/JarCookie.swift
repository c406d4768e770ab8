/// A cookie of a jar, parsed from libcurl's list, with libcurl's rules for sending cookies (RFC 6265, 5.4).
struct JarCookie: Hashable {
  /// The attributes that identify a cookie within a jar.
  struct Key: Hashable {
    let domain: String
    let path: String
    let name: String
  }

  let name: String
  let value: String
  /// The domain in lower case, without a leading dot.
  let domain: String
  /// A cookie line that makes libcurl remove this cookie: an identical cookie that has expired.
  let removal: String
  private let includesSubdomains: Bool
  private let path: String
  private let isSecure: Bool
  /// The expiry time in seconds since 1970; 0 for a session cookie.
  private let expires: Int64

  /// Parses a line of seven tab-separated fields (the Netscape format). Returns `nil` for any other line.
  init?(_ line: String) {
    let prefix = "#HttpOnly_"
    let text = line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line[...]
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    guard fields.count == 7, let expires = Int64(fields[4]) else { return nil }
    domain = (fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]).lowercased()
    includesSubdomains = fields[1] == "TRUE"
    path = fields[2].count > 1 && fields[2].hasSuffix("/") ? String(fields[2].dropLast()) : fields[2]
    isSecure = fields[3] == "TRUE"
    self.expires = expires
    name = fields[5]
    value = fields[6]
    var expired = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    expired[4] = "1"
    removal = expired.joined(separator: "\t")
  }

  var key: Key { Key(domain: domain, path: path, name: name) }

  /// Returns true if libcurl sends the cookie with a request for `address`.
  func isSent(to address: WebAddress, at now: Int64) -> Bool {
    let host = address.origin.host.lowercased()
    guard !isExpired(at: now), matches(host: host), matches(path: address.path) else {
      return false
    }
    let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    return !isSecure || address.origin.scheme == "https" || isLocal
  }

  func isExpired(at now: Int64) -> Bool { expires != 0 && expires < now }

  private func matches(host: String) -> Bool {
    if host == domain || host == "[\(domain)]" { return true }
    let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    return includesSubdomains && !isAddress && host.hasSuffix(".\(domain)")
  }

  private func matches(path other: String) -> Bool {
    if path.isEmpty || path == "/" || other == path { return true }
    return other.hasPrefix(path + "/")
  }
}
