/// Which headers of a response are kept on disk: none that may hold a secret of the session, and none that is between two
/// machines only (RFC 9111, 3.1).
enum KeptHeaders {
  /// In lower case.
  private static let dropped: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "refresh", "clear-site-data",
  ]

  /// Parts of names, in lower case: `Set-Cookie`, `Authentication-Info`, `WWW-Authenticate`, `X-Auth-Token`,
  /// `X-Amz-Security-Token`, `X-CSRF-Token`, `X-Session-Id`, `X-Api-Key`…
  private static let secret = [
    "cookie", "auth", "token", "secret", "session", "csrf", "xsrf", "api-key", "apikey", "password",
    "credential", "signature",
  ]

  static func isKept(_ name: String) -> Bool {
    let name = name.lowercased()
    return !dropped.contains(name) && !secret.contains { name.firstRange(of: $0) != nil }
  }

  /// The headers that are kept.
  static func of(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] { headers.fields.filter { isKept($0.name) } }
}
