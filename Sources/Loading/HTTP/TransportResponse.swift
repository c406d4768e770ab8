public import FoundationEssentials

/// The head of a response, reported by a `DataTransport` and found in `ImageResponse.http`.
public struct TransportResponse: Hashable, Sendable {
  private struct Values: Hashable {
    let url: URL
    let status: Int?
    let headers: HTTPHeaders
    let expectedLength: Int?
    let credentials: CredentialDigests
  }

  /// The values, which copies share: a response is passed on many times between the transport and the caller.
  private let values: Boxed<Values>

  /// The URL of the response, after redirects.
  public var url: URL { values.value.url }
  /// The HTTP status; nil for a file or data URL.
  public var status: Int? { values.value.status }
  /// The headers as received, of the last response after redirects, and the `Vary` fields of the redirects.
  public var headers: HTTPHeaders { values.value.headers }
  /// The declared number of bytes of the body, from 0 to a quarter of `Int.max`; nil if the server has not declared it.
  /// Untrusted.
  public var expectedLength: Int? { values.value.expectedLength }
  /// Digests of the cookies and the credential that the transport itself has sent, in all requests that led to this
  /// response.
  public var credentials: CredentialDigests { values.value.credentials }

  /// Creates the head of a response; without a status for protocols other than HTTP. A negative length becomes nil, and
  /// a length above a quarter of `Int.max` is clamped.
  public init(
    url: URL, status: Int?, headers: HTTPHeaders = [:], expectedLength: Int? = nil,
    credentials: CredentialDigests = .init()
  ) {
    values = Boxed(
      Values(
        url: url, status: status, headers: headers, expectedLength: StatedNumber.bounded(expectedLength),
        credentials: credentials))
  }

  /// Returns true if all values are equal.
  public static func == (a: TransportResponse, b: TransportResponse) -> Bool {
    a.values === b.values || a.values.value == b.values.value
  }

  /// Hashes all values.
  public func hash(into hasher: inout Hasher) { hasher.combine(values.value) }
}
