public import FoundationEssentials
public import VitrineConcurrency

/// A source of bytes: libcurl in `CurlTransport`, files and data URLs in `LocalTransport`, a fake in tests.
///
/// Implement this protocol to load from elsewhere. A transport follows redirects itself and reports only the last
/// response, with the `Vary` fields of the redirects, because these fields tell which requests are redirected there.
public protocol DataTransport: Sendable {
  /// The URL schemes that the transport serves, in lower case: `["http", "https"]`.
  var schemes: Set<String> { get }

  /// An identifier of the transport's trust settings; empty, the default, if it trusts the servers that the system
  /// trusts. Programs may share a cache folder on disk, where responses are kept apart by this identifier: an image
  /// that one program accepted without a valid certificate is not shown by a program that requires one.
  var trust: String { get }

  /// Starts a transfer and returns at once.
  ///
  /// The transport calls the receiver on a thread of its own: at most one response, then bytes, then exactly one end,
  /// in this order and never two calls at a time. A transport that can pause calls `transportMayReceive` before it
  /// delivers bytes, so that bodies fit into memory. Cancelling ends the transfer with `.failure(.cancelled)`, unless
  /// the transfer has already ended; cancelling again has no effect.
  func start(_ request: TransportRequest, receiver: any TransportReceiver) -> any Cancellable

  /// True if the transport itself adds cookies or credentials to requests; false by default.
  var addsCredentials: Bool { get }
  /// Returns digests of the cookies and the credential that the transport would add to a request now. Empty by default.
  ///
  /// Called for each lookup if `addsCredentials` is true, on any thread, so it must return quickly. A response reports
  /// the digests of what was actually sent; see `TransportResponse.credentials`.
  func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests
}

extension DataTransport {
  /// False: the transport adds no credentials.
  public var addsCredentials: Bool { false }

  /// Returns empty digests.
  public func credentialDigests(for url: URL, headers: HTTPHeaders) -> CredentialDigests { .init() }
}

/// The receiver of one transfer. Called on the transport's thread, so each call must return quickly: it delays all
/// other transfers.
public protocol TransportReceiver: AnyObject, Sendable {
  /// Reports that status and headers have arrived. Called at most once, and not for a transfer that fails before.
  func transportDidReceive(_ response: TransportResponse)
  /// Asks for room for up to `count` more bytes of the body before they are delivered. Returns true by default.
  ///
  /// `count` includes bytes that the server may send before it learns of a pause. May be called before the head is
  /// reported. If the result is false, the transport leaves the bytes in the socket or the file, or aborts the response
  /// to request it again later. It stops its timeouts for stalls and for the whole transfer, and asks again after
  /// `resume` has been called. `resume` is called once, later and on any thread, unless the transfer ends before. A
  /// transport that cannot pause need not call this method. Its bytes are counted nevertheless, but the memory budget
  /// then holds only as far as other memory can be evicted.
  func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool
  /// Delivers the next bytes of the body, which are valid only during the call.
  func transportDidReceive(_ bytes: UnsafeRawBufferPointer)
  /// Reports the metrics of a transfer that is about to fail or is cancelled; a success reports its metrics at the end.
  /// Called at most once, before the end. Does nothing by default.
  func transportWillFail(_ metrics: TransportMetrics)
  /// Reports the end. Called exactly once. A status that is not acceptable ends with `.failure(.status)`, after the
  /// head was reported and without a body.
  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>)
}

extension DataTransport {
  /// Empty: the transport trusts the servers that the system trusts.
  public var trust: String { "" }
}

extension TransportReceiver {
  /// Does nothing, because most receivers do not need the metrics of a failure.
  public func transportWillFail(_ metrics: TransportMetrics) {}

  /// Returns true: there is always room.
  public func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool { true }
}

/// A request to a transport: a GET request with headers and limits.
public struct TransportRequest: Sendable {
  /// The URL to fetch; its scheme is one that the transport serves.
  public var url: URL
  /// The headers, which are sent unchanged.
  public var headers: HTTPHeaders
  /// The maximum number of bytes of the body. A larger body ends with `.tooLarge(.body)`; bytes are counted as they
  /// arrive, regardless of the declared length.
  public var bodyLimit: Int
  /// The time limits of the transfer.
  public var timeouts: Timeouts
  /// The statuses whose body is wanted; 2xx by default. Any other status ends with `.status`, after its head was
  /// reported. 301, 302, 303, 307 and 308 are redirects even if they are listed here. Ignored for protocols other than
  /// HTTP.
  public var acceptableStatuses: [ClosedRange<Int>]

  /// The time limits of a transfer, in seconds.
  public struct Timeouts: Hashable, Sendable {
    /// The limit for name lookup, connection and TLS together.
    public var connect: Double
    /// The limit for the time without a byte in either direction.
    public var stall: Double
    /// The limit from start to end, including redirects.
    public var total: Double

    /// Creates time limits; by default 10 s to connect, 15 s without a byte, and 60 s in total.
    public init(connect: Double = 10, stall: Double = 15, total: Double = 60) {
      self.connect = connect
      self.stall = stall
      self.total = total
    }
  }

  /// Creates a GET request; by default for at most 64 MiB of body and statuses 2xx.
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
