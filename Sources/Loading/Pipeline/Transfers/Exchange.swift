import FoundationEssentials

/// The request of one attempt: what is sent, and when.
struct Exchange: Sendable {
  let request: ImageRequest
  /// The identity of the URL and the headers as sent, without the key of a filter.
  var identity: RequestIdentity
  /// The resumable data of an earlier attempt, without the bytes.
  let resumable: ResumableData?
  /// The headers that make the request conditional; empty for most requests.
  let validators: HTTPHeaders
  /// The duration of earlier attempts in seconds.
  let spent: Double
  /// True from the start of the transport on; false while the request modifier runs.
  private(set) var hasBegun = false
  /// The requested URL, after the request modifier; `nil` until the request is sent, and without a disk cache.
  private var url: URL?
  /// The headers, after the request modifier; empty without a disk cache.
  private(set) var sent = HTTPHeaders()
  /// The time of the request, in seconds since 1970 by the clock of this machine.
  private(set) var requested = 0.0

  init(
    _ request: ImageRequest, resumable: ResumableData?, validators: HTTPHeaders = [:], spent: Double = 0
  ) {
    self.request = request
    identity = request.identity.asSent
    self.resumable = resumable?.withoutBytes
    self.validators = validators
    self.spent = spent
  }

  /// Returns the request for the transport, before the request modifier.
  func transportRequest(_ configuration: ImageDownloader.Configuration) -> TransportRequest {
    var headers = resumable?.adding(to: request.sentHeaders) ?? request.sentHeaders
    for field in validators.fields { headers[field.name] = field.value }
    var timeouts = configuration.timeouts
    timeouts.total -= spent
    // A response modifier may make any status acceptable.
    var statuses = [200...599]
    if configuration.responses.modifier == nil {
      statuses = configuration.responses.acceptance.statuses
      if resumable != nil { statuses.append(206...206) }
      if !validators.isEmpty { statuses.append(304...304) }
    }
    return TransportRequest(
      url: request.url, headers: headers,
      bodyLimit: max(0, max(0, configuration.responses.bodyLimit) - (resumable?.count ?? 0)),
      timeouts: timeouts, acceptableStatuses: statuses)
  }

  /// Notes that the transport starts.
  ///
  /// - Parameter sent: The request after the request modifier, and the time of the request in seconds since 1970; `nil`
  ///   without a disk cache, which alone needs both.
  mutating func begin(_ sent: (request: TransportRequest, time: Double)?) {
    hasBegun = true
    guard let sent else { return }
    (url, self.sent, requested) = (sent.request.url, sent.request.headers, sent.time)
  }

  /// Returns the response with the URL of the request, if only the request modifier has changed the URL. A modifier may
  /// sign each request differently, and the signature must not be stored.
  func unmodified(_ response: TransportResponse) -> TransportResponse {
    guard response.url == url else { return response }
    return TransportResponse(
      url: request.url, status: response.status, headers: response.headers,
      expectedLength: response.expectedLength, credentials: response.credentials)
  }

  /// Returns true if a response from `url` is that of the requested URL, without a redirect.
  func isOwn(_ url: URL) -> Bool { url == self.url || url.isSameResource(as: request.url) }

  /// Returns the time at which the head of the response arrived, if the transfer ended at `now`, in seconds since 1970.
  func received(_ now: Double, _ metrics: TransportMetrics?) -> Double {
    let body = metrics.map { max(0, $0.total - $0.firstByte) } ?? 0
    return max(requested, now - (body.isFinite ? body : 0))
  }

  /// Returns the request headers that a response varies with, as requested. Changes by a request modifier do not count,
  /// because they take no part in the identity of an image.
  func varying(_ received: HTTPHeaders) -> [HTTPHeaders.Field] {
    StoredResponse.varying(received, sent: identity.allHeaders, credentials: identity.credentials)
  }

  /// Returns the head to store on disk with resumable data; `nil` if the data are not worth storing or must not be
  /// stored.
  func storedHead(of resumable: ResumableData) -> StoredResponse? {
    let headers = resumable.storedHeaders
    let response = TransportResponse(
      url: request.url.withoutLogin, status: 200, headers: headers, expectedLength: resumable.length)
    guard resumable.mayBeStored, request.cache.usesDisk,
      resumable.bytes.count >= ResumableData.minimumStoredBytes, isOwn(resumable.url),
      StoredResponse.mayBeStored(response, sent: sent)
    else { return nil }
    return StoredResponse(
      response: response, body: [], varying: varying(headers), requested: 0, received: 0)
  }
}
