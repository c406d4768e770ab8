/// What a gallery server has at a path: bytes with their type and headers.
public struct Resource: Sendable, Hashable {
  /// The body of the answer.
  public var body: [UInt8]

  /// The `Content-Type` of the answer.
  public var contentType: String

  /// Further headers of the answer, by name. An `ETag` or `Last-Modified` among them makes the server
  /// answer conditional requests with 304.
  public var headers: [String: String]

  /// Makes a resource.
  public init(
    body: [UInt8] = [], contentType: String = "application/octet-stream",
    headers: [String: String] = [:]
  ) {
    self.body = body
    self.contentType = contentType
    self.headers = headers
  }
}
