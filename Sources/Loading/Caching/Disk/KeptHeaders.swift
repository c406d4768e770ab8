/// The rule that decides which response headers are stored on disk: no headers that may hold a secret of the session,
/// and no connection headers (RFC 9111, 3.1).
enum KeptHeaders {
  /// Names of headers that are not stored, in lower case.
  private static let dropped: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "refresh", "clear-site-data",
  ]

  /// Substrings of header names that are not stored, in lower case, as in `Set-Cookie`, `Authentication-Info`,
  /// `WWW-Authenticate`, `X-Auth-Token`, `X-Amz-Security-Token`, `X-CSRF-Token`, `X-Session-Id`, `X-Api-Key`…
  private static let secret = [
    "cookie", "auth", "token", "secret", "session", "csrf", "xsrf", "api-key", "apikey", "password",
    "credential", "signature",
  ]

  static func isKept(_ name: String) -> Bool {
    let name = name.lowercased()
    return !dropped.contains(name) && !secret.contains { name.firstRange(of: $0) != nil }
  }

  /// Returns the headers that may be stored.
  static func of(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] { headers.fields.filter { isKept($0.name) } }
}
