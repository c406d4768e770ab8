public import FoundationEssentials

/// The head of a response, reported by a `DataTransport` and found in `ImageResponse.http`.
public struct TransportResponse: Hashable, Sendable {
  /// The URL of the response, after redirects.
  public let url: URL
  /// The HTTP status; nil for a file or data URL.
  public let status: Int?
  /// The headers as received, of the last response after redirects, and the `Vary` fields of the redirects.
  public let headers: HTTPHeaders
  /// The declared number of bytes of the body, from 0 to a quarter of `Int.max`; nil if the server has not declared it.
  /// Untrusted.
  public let expectedLength: Int?
  /// Digests of the cookies and the credential that the transport itself has sent, in all requests that led to this
  /// response.
  public let credentials: CredentialDigests

  /// Creates the head of a response; without a status for protocols other than HTTP. A negative length becomes nil, and
  /// a length above a quarter of `Int.max` is clamped.
  public init(
    url: URL, status: Int?, headers: HTTPHeaders = [:], expectedLength: Int? = nil,
    credentials: CredentialDigests = .init()
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.expectedLength = StatedNumber.bounded(expectedLength)
    self.credentials = credentials
  }
}
