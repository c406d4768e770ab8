/// A stored response without its body, read without the body and without verifying the body.
public struct StoredHead: Sendable, Hashable {
  /// The response with an empty body.
  public var response: StoredResponse
  /// The number of bytes of the body.
  public let bodyLength: Int
  /// The digest of the body.
  public let body: BodyDigest

  /// Creates a head; `response` should have an empty body.
  public init(response: StoredResponse, bodyLength: Int, body: BodyDigest) {
    self.response = response
    self.bodyLength = bodyLength
    self.body = body
  }
}
