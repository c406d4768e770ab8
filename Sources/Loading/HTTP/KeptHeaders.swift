/// The rule that decides which response headers are stored on disk.
///
/// Only the headers in the list are stored: any other header may hold a secret, such as `X-Jwt`, or a signed URL in
/// `Content-Location` and `Link`, and no list of secret names is complete.
package enum KeptHeaders {
  /// The names of the headers that are stored: headers that decide whether the response may be shown and how it is
  /// revalidated (RFC 9111), headers that describe the body, and the application's own data.
  private static let kept = HTTPHeaders(
    [
      "cache-control", "pragma", "expires", "date", "age", "etag", "last-modified", "vary", "content-type",
      "content-length", "content-encoding", "content-range", "content-language", "content-disposition",
      HTTPHeaders.userDataName,
    ].map { HTTPHeaders.Field(name: $0, value: "") })

  static func isKept(_ name: String) -> Bool { kept[name] != nil }

  /// Returns the headers that may be stored.
  package static func of(_ headers: HTTPHeaders) -> [HTTPHeaders.Field] {
    headers.fields.filter { isKept($0.name) }
  }
}
