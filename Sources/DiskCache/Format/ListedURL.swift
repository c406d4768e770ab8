import VitrineGraphics
import VitrineLoading

/// The URL that a response file records for listings. Lookups do not use it: they compare keys.
///
/// The URL is stored as a header field that servers cannot set (`KeptHeaders` drops a field of this name), so that
/// programs without listings read the file as well.
enum ListedURL {
  static let fieldName = "Vitrine-Request-URL"
  /// The maximum length of a URL in bytes. A longer URL is not recorded.
  static let maximumBytes = 2 << 10

  /// Returns the URL to record for a request; nil if the URL holds a secret, the request sends a login or a cookie, or
  /// the URL is too long.
  static func of(_ identity: RequestIdentity) -> String? {
    let (url, login) = identity.url.separatingLogin
    guard login == nil, url.utf8.count <= maximumBytes,
      !identity.baseHeaders.contains(where: { ["authorization", "cookie"].contains($0.name.lowercased()) })
    else { return nil }
    guard url.utf8.contains(UInt8(ascii: "?")) else { return url }
    let shown = url.withoutSecrets(longest: maximumBytes)
    return shown == url ? url : nil
  }

  /// Returns the field that records the URL of a request; empty if the URL is not recorded.
  static func fields(of identity: RequestIdentity?) -> [HTTPHeaders.Field] {
    identity.flatMap(of).map { [HTTPHeaders.Field(name: fieldName, value: $0)] } ?? []
  }

  /// Removes the recorded URL from the headers of a response, and returns the URL; nil if there is none.
  static func remove(from fields: inout [HTTPHeaders.Field]) -> String? {
    guard let last = fields.lastIndex(where: { $0.name == fieldName }) else { return nil }
    let url = fields.remove(at: last).value
    fields.removeAll { $0.name == fieldName }
    return url
  }
}
