public import FoundationEssentials

/// Fetches bytes: libcurl in `CurlTransport`, files and data URLs in `LocalTransport`, a fake in tests.
///
/// Bring your own to load from elsewhere. A transport follows redirects itself and reports the last answer
/// only.
public protocol DataTransport: Sendable {
  /// Schemes that it serves, in lower case: `["http", "https"]`.
  var schemes: Set<String> { get }

  /// An identifier of the transport's trust settings; empty, the default, if it trusts the servers that the system
  /// trusts. Programs may share a cache folder on disk, where responses are kept apart by this identifier: an image
  /// that one program accepted without a valid certificate is not shown by a program that requires one.
  var trust: String { get }

  /// Starts a transfer and returns at once.
  ///
  /// The receiver hears on a thread of the transport's: at most one response, then bytes, then exactly one
  /// end, in this order and never two calls at a time. A transport that can pause calls `transportMayReceive` before it
  /// delivers bytes, so that bodies fit into memory. Cancelling ends the transfer with `.failure(.cancelled)`, unless
  /// it has ended already; cancelling twice does nothing more.
  func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable

  /// True if the transport adds cookies or credentials of its own to requests; false by default.
  var addsCredentials: Bool { get }
  /// Returns digests of the cookies and the credential that the transport would add to a request now. Empty by default.
  ///
  /// Called for each look-up if `addsCredentials` is true, on any thread, so it must return quickly. A response reports
  /// the digests of what was actually sent; see `TransportResponse.credentials`.
  func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests
}

extension DataTransport {
  /// The default: the transport adds no credentials.
  public var addsCredentials: Bool { false }

  /// Returns empty digests.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests { .init() }
}

/// Hears of one transfer, on the transport's thread; returns soon, since it holds up all other transfers.
public protocol TransportReceiver: AnyObject, Sendable {
  /// Status and headers have come. Called once at most, not for a transfer that fails before.
  func transportDidReceive(_ response: TransportResponse)
  /// Asks for room for up to `count` more bytes of the body before they are delivered. Returns true by default.
  ///
  /// `count` includes bytes that the server may send before it learns of a pause. May be called before the head is
  /// reported. If the result is false, the transport leaves the bytes in the socket or the file, stops its timeouts for
  /// stalls and for the whole transfer, and asks again after `resume` has been called. `resume` is called once, later
  /// and on any thread, unless the transfer ends before. A transport that cannot pause need not call this method. Its
  /// bytes are counted nevertheless, but the memory budget then holds only as far as other memory can be evicted.
  func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool
  /// The next bytes of the body; they must be copied, as they are gone after the call.
  func transportDidReceive(_ bytes: UnsafeRawBufferPointer)
  /// What a transfer took that is about to fail, or is cancelled; success brings its own figures. Once at most, before
  /// the end. Does nothing by default.
  func transportWillFail(_ metrics: TransportMetrics)
  /// The end, called exactly once. A status that is not acceptable is `.failure(.status)`; its head has been
  /// received before, its body is not.
  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>)
}

extension DataTransport {
  /// The default: the transport trusts the servers that the system trusts.
  public var trust: String { "" }
}

extension TransportReceiver {
  /// Nothing: what a failure took is of no interest to most.
  public func transportWillFail(_ metrics: TransportMetrics) {}

  /// Returns true: there is always room.
  public func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool { true }
}

/// Something under way that can be stopped. Stopping twice, or when it has ended, does nothing.
public protocol Cancellable: AnyObject, Sendable {
  /// Asks it to stop and returns at once, from any thread; whoever waits hears of the end later.
  func cancel()
}

/// What a transport is asked for: a GET with headers and limits.
public struct TransportRequest: Sendable {
  /// Where to; of a scheme that the transport serves.
  public var url: URL
  /// Sent with it, as they are.
  public var headers: HTTPHeaders
  /// A body of more bytes than this ends with `.tooLarge(.body)`; counted as they come, whatever was
  /// declared.
  public var bodyLimit: Int
  /// How long it may take.
  public var timeouts: Timeouts
  /// Statuses whose body is wanted, 2xx by default. Any other ends with `.status`, after its head has been
  /// received. 301, 302, 303, 307 and 308 are redirects all the same. Without a meaning for what is not HTTP.
  public var acceptableStatuses: [ClosedRange<Int>]

  /// Seconds; how long a transfer may take.
  public struct Timeouts: Hashable, Sendable {
    /// Name look-up, connection and TLS together.
    public var connect: Double
    /// Without a byte in either direction.
    public var stall: Double
    /// From start to end, redirects included.
    public var total: Double

    /// 10 s to connect, 15 s without a byte, 60 s in all, unless said otherwise.
    public init(connect: Double = 10, stall: Double = 15, total: Double = 60) {
      self.connect = connect
      self.stall = stall
      self.total = total
    }
  }

  /// A GET; 64 MiB of body at most, 2xx accepted, unless said otherwise.
  public init(
    url: URL, headers: HTTPHeaders = [:], bodyLimit: Int = 64 << 20, timeouts: Timeouts = .init(),
    acceptableStatuses: [ClosedRange<Int>] = [200...299]
  ) {
    self.url = url
    self.headers = headers
    self.bodyLimit = bodyLimit
    self.timeouts = timeouts
    self.acceptableStatuses = acceptableStatuses
  }
}

/// The head of an answer.
public struct TransportResponse: Hashable, Sendable {
  /// Where the answer came from in the end, after redirects.
  public let url: URL
  /// The HTTP status; nil for a file or data URL.
  public let status: Int?
  /// As they were received; of the last answer, after redirects.
  public let headers: HTTPHeaders
  /// The declared number of bytes of the body, from 0 to a quarter of `Int.max`; nil if the server has not declared it.
  /// Untrusted.
  public let expectedLength: Int?
  /// Digests of the cookies and the credential that the transport itself has sent, in all requests that led to this
  /// response.
  public let credentials: CredentialDigests

  /// Creates the head of a response; without a status for other protocols than HTTP. A negative length becomes nil, and
  /// a length that is too large is clamped.
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

/// What a transfer took.
public struct TransportMetrics: Hashable, Sendable {
  /// Bytes of the body.
  public var bytesReceived: Int
  /// Bytes of status lines and headers in the last hop, a challenge's included.
  public var headBytesReceived: Int
  /// Bytes of the requests of the last hop; over HTTP/2 what they would be over HTTP/1.1.
  public var bytesSent: Int
  /// Requests sent: 1, and one more for each redirect and each answered challenge; 0 for a file or data URL,
  /// or if no connection came about.
  public var requests: Int
  /// Redirects followed.
  public var redirects: Int
  /// Connections opened for it; 0 when one was reused.
  public var connections: Int
  /// Whether the last request went over a connection that was there before.
  public var isReused: Bool
  /// What the last answer came in: `1.0`, `1.1` or `2`; nil without one.
  public var httpVersion: String?
  /// Numeric address that the last request was sent to, the proxy's if there is one; nil without a
  /// connection.
  public var serverAddress: String?
  /// Seconds for which a downloader had it wait for its turn before the first try; 0 from a transport by itself.
  public var queue: Double
  /// Seconds from the start of the last hop until the name was looked up. The other times count from the same
  /// instant, each includes those before it, or is 0 where there was nothing to do. Waiting for a free
  /// connection counts; waiting in a downloader's queue, and the hops before a redirect, do not.
  public var nameLookup: Double
  /// Seconds until the connection was there, to the proxy if there is one.
  public var connect: Double
  /// Seconds until TLS was agreed on.
  public var tls: Double
  /// Seconds until the first byte of the answer.
  public var firstByte: Double
  /// Seconds until the end.
  public var total: Double

  /// Nothing received, no time taken, unless said otherwise.
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
