/// The metrics of a transfer, reported by a `DataTransport` and found in `ImageResponse.metrics`.
public struct TransportMetrics: Hashable, Sendable {
  /// The number of bytes of the body.
  public var bytesReceived: Int
  /// The number of bytes of status lines and headers in the last hop, including challenges.
  public var headBytesReceived: Int
  /// The number of bytes of the requests in the last hop; over HTTP/2, the number that HTTP/1.1 would take.
  public var bytesSent: Int
  /// The number of requests sent: 1, plus one for each redirect and each authentication challenge; 0 for a file or data
  /// URL, and if no connection was established.
  public var requests: Int
  /// The number of redirects followed.
  public var redirects: Int
  /// The number of connections opened for the transfer; 0 if a connection was reused.
  public var connections: Int
  /// True if the last request was sent over an existing connection.
  public var isReused: Bool
  /// The HTTP version of the last response: `1.0`, `1.1` or `2`; nil without a response.
  public var httpVersion: String?
  /// The numeric address that the last request was sent to, that of the proxy if there is one; nil without a
  /// connection.
  public var serverAddress: String?
  /// The number of seconds for which a downloader kept the download waiting before the first attempt; 0 from a
  /// transport alone.
  public var queue: Double
  /// The number of seconds from the start of the last hop until the name was looked up.
  ///
  /// The other times start at the same instant. Each includes the times before it, and is 0 if there was nothing to do.
  /// They include waiting for a free connection, but neither waiting in a downloader's queue nor the hops before a
  /// redirect.
  public var nameLookup: Double
  /// The number of seconds until the connection was established, to the proxy if there is one.
  public var connect: Double
  /// The number of seconds until TLS was negotiated.
  public var tls: Double
  /// The number of seconds until the first byte of the response.
  public var firstByte: Double
  /// The number of seconds until the end.
  public var total: Double

  /// Creates metrics; by default, nothing was received and no time has passed.
  public init(
    bytesReceived: Int = 0, headBytesReceived: Int = 0, bytesSent: Int = 0, requests: Int = 0,
    redirects: Int = 0, connections: Int = 0, isReused: Bool = false, httpVersion: String? = nil,
    serverAddress: String? = nil, queue: Double = 0, nameLookup: Double = 0, connect: Double = 0,
    tls: Double = 0, firstByte: Double = 0, total: Double = 0
  ) {
    self.bytesReceived = bytesReceived
    self.headBytesReceived = headBytesReceived
    self.bytesSent = bytesSent
    self.requests = requests
    self.redirects = redirects
    self.connections = connections
    self.isReused = isReused
    self.httpVersion = httpVersion
    self.serverAddress = serverAddress
    self.queue = queue
    self.nameLookup = nameLookup
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
  }
}
