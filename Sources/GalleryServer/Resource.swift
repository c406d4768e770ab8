/// A resource of a gallery server: bytes with their type and headers.
package struct Resource: Sendable, Hashable {
  /// The body of the response.
  package var body: [UInt8]

  /// The `Content-Type` of the response.
  package var contentType: String

  /// Further headers of the response, by name. With an `ETag` or `Last-Modified` header, the server replies to matching
  /// conditional requests with 304.
  package var headers: [String: String]

  /// Creates a resource.
  package init(
    body: [UInt8] = [], contentType: String = "application/octet-stream", headers: [String: String] = [:]
  ) {
    self.body = body
    self.contentType = contentType
    self.headers = headers
  }
}
