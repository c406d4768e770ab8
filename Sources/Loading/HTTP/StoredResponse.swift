/// A stored response of a server: the encoded image, and the data that is needed to decide whether the image is still
/// fresh (RFC 9111). The value that an `ImageDataCache` keeps.
public struct StoredResponse: Sendable, Hashable {
  /// The response: status 200, the headers as received or as changed by a later 304 response, and the URL without a
  /// login.
  public var response: TransportResponse
  /// The request headers that `Vary` named, in lower case. The stored response does not match a request for the same
  /// URL in which one of these headers differs.
  public var varying: [HTTPHeaders.Field]
  /// The time at which the request for the headers was sent, in seconds since 1970 by this machine's clock.
  public var requested: Double
  /// The time at which the headers arrived, in seconds since 1970 by this machine's clock.
  public var received: Double
  /// The complete body as received.
  public var body: [UInt8]
  /// The key used to digest the values of `varying`; nil if the values are stored as sent.
  package var varyingKey: DigestKey?

  /// Creates a stored response, by default one that does not vary with request headers.
  public init(
    response: TransportResponse, body: [UInt8], varying: [HTTPHeaders.Field] = [], requested: Double,
    received: Double
  ) {
    self.response = response
    self.body = body
    self.varying = varying
    self.requested = requested
    self.received = received
  }
}
