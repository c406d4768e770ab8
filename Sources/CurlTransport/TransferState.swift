import CCurl
import VitrineLoading

/// The state machine of a transfer: takes events of libcurl and returns actions. It has no side effects.
struct TransferState: Sendable {
  /// The limits in bytes and time for reading an unneeded body to the end, so that the connection can be reused.
  static let discardLimit = 16 << 10
  static let discardTime = Duration.seconds(1)

  /// The next step after a hop has ended.
  enum Next: Hashable {
    case request(Hop)
    case succeed
    case fail(ImageError)
    /// Wait for `resume`: the receiver has no room for the body, and the request will be sent again.
    case wait
  }

  /// The action after a line of the head.
  enum HeadAction: Hashable {
    case goOn
    /// Report the response. `body` is `nil` if the body is discarded.
    case report(TransportResponse, body: BodyRoom.Body?)
    case abort
  }

  /// The action after bytes of the body.
  enum BodyAction: Hashable {
    /// Pass the bytes to the receiver and call `delivered`, or call `pauseOrPostpone` if the receiver has no room.
    case deliver
    case discard
    case abort
  }

  struct HopEnd {
    /// The reason for the failure; `nil` if the response is complete.
    var failure: ImageError?
    /// True if the request was sent on a reused connection.
    var wasReused = false
  }

  private(set) var hop: Hop
  /// True if the hop has a connection and the request is being or has been sent.
  private(set) var isRequestSent = false
  /// The number of requests sent, including redirects. A request that was lost on a dead connection is not counted.
  private(set) var requestsSent = 0
  /// The room that the receiver needs for the body. A value of its own, because a copy of the whole state would take
  /// longer than the computation.
  private(set) var room: BodyRoom
  /// The number of leading body bytes to drop. The receiver has these bytes from the previous hop, which was aborted
  /// within the body for lack of memory.
  private(set) var bytesToSkip = 0
  /// The head that was reported to the receiver; `nil` before, and for a response that is discarded.
  private var reported: TransportResponse?
  private let acceptableStatuses: [ClosedRange<Int>]
  private let settings: TransferSettings
  private(set) var deadlines: Deadlines
  private var head = ResponseHead()
  /// The decision about the current hop, made when the head is complete or a limit is exceeded; later events do not
  /// change it.
  private var verdict: Next? {
    didSet {
      isUndecided = verdict == nil
      isWanted = verdict == .succeed
    }
  }
  /// True while there is no verdict. Read for each line of a head, where a copy of the verdict would take longer.
  private var isUndecided = true
  /// True if the body is delivered to the receiver.
  private var isWanted = false
  private var bytesDiscarded = 0
  private var hasRetried = false
  /// True if the hop was aborted because the receiver has no room. The request is sent again after `resume`.
  private var isPostponed = false
  /// True if the receiver had room again before libcurl finished the aborted hop.
  private var isResumedEarly = false
  private var challenge = Challenge()
  /// The cookies and credentials that the transport has added to requests so far.
  private var credentials = SentCredentials()
  /// The `Vary` fields of the redirects followed so far. The headers that they name decide where the redirects lead.
  private var redirectVary: [HTTPHeaders.Field] = []

  init(
    _ request: TransportRequest, hop: Hop, settings: TransferSettings = .init(),
    startedAt: TransferInstant
  ) {
    self.hop = hop
    self.settings = settings
    room = BodyRoom(limit: max(0, request.bodyLimit))
    acceptableStatuses = request.acceptableStatuses
    deadlines = Deadlines(request.timeouts, startedAt: startedAt)
  }

  /// The proxy of the current hop; `nil` for none.
  var proxy: String? { settings.proxies.proxy(for: hop.address.origin) }

  /// Returns the withheld 401 response to which libcurl has not replied, which then fails the transfer; `nil` if there
  /// is none. Called when the hop ends.
  mutating func takeWithheld() -> TransportResponse? {
    guard let response = challenge.takeWithheld() else { return nil }
    verdict = .fail(.status(401))
    return response
  }

  /// Called when the connection is established and the request is about to be sent. Returns false if the request must
  /// be aborted, because libcurl would reply endlessly to a server that calls each proof stale.
  mutating func requestWillBeSent(at now: TransferInstant) -> Bool {
    guard isUndecided else { return false }
    if challenge.reply() {
      head = ResponseHead()
      bytesDiscarded = 0
      deadlines.beginHop()
      requestsSent += 1
    }
    if settings.addsCredentials { credentials.add(hop, settings) }
    // libcurl calls this again when it repeats the request on another connection on its own.
    if !isRequestSent { requestsSent += 1 }
    isRequestSent = true
    deadlines.received(at: now)
    return true
  }

  /// Handles the next line of the response's head.
  mutating func receive(
    line: UnsafeRawBufferPointer, recent: RecentFields? = nil, at now: TransferInstant
  ) -> HeadAction {
    deadlines.received(at: now)
    guard isUndecided, !challenge.isWithholding else { return .goOn }
    switch head.append(line: line, recent: recent) {
    case .unfinished: return .goOn
    case .tooLarge:
      verdict = .fail(.transport(.malformedResponse, message: "the response head is too large"))
      return .abort
    case .finished: return judge(at: now)
    }
  }

  mutating func receive(bytes count: Int, at now: TransferInstant) -> BodyAction {
    deadlines.received(at: now)
    guard isWanted else {
      bytesDiscarded += count
      return bytesDiscarded > Self.discardLimit ? .abort : .discard
    }
    guard count <= room.limit - room.bytesReceived else {
      verdict = .fail(.tooLarge(.body(bytes: room.limit)))
      return .abort
    }
    return .deliver
  }

  /// Counts bytes of the body that the receiver has taken, after `skipped` bytes that it had already.
  mutating func delivered(_ count: Int, skipping skipped: Int = 0) {
    bytesToSkip -= skipped
    room.received(count)
  }

  /// Notes that the receiver has room for `count` more bytes of the body.
  mutating func grant(_ count: Int) { room.grant(count) }

  /// Notes that the head of the response is reported to the receiver.
  mutating func report(_ response: TransportResponse, _ body: BodyRoom.Body?) {
    guard let body else { return }
    reported = response
    room.body = body
  }

  /// Stops the deadlines because the receiver has no room for more of the body. Returns true to pause the hop; libcurl
  /// then delivers the bytes again after `resume`. Returns false to abort the hop, as `postpone` does.
  mutating func pauseOrPostpone(speaksHTTP2: Bool, at now: TransferInstant) -> Bool {
    deadlines.pause(at: now)
    guard speaksHTTP2, room.body?.isRepeatable == true else { return true }
    verdict = .wait
    return false
  }

  /// Stops the deadlines and aborts the hop, because the receiver has no room for the body. The head of the response
  /// has arrived and was not reported.
  mutating func postpone(at now: TransferInstant) {
    deadlines.pause(at: now)
    verdict = .wait
  }

  /// Restarts the deadlines because the receiver has room again. Returns the next step of a hop that was aborted; `nil`
  /// for a hop that continues.
  mutating func resume(at now: TransferInstant) -> Next? {
    deadlines.resume(at: now)
    guard isPostponed else {
      isResumedEarly = verdict == .wait
      return nil
    }
    isPostponed = false
    begin(hop)
    return .request(hop)
  }

  /// Limits the time to connect of this transfer, counted from `start`, unless it is connected. Called when another
  /// transfer to the same origin has timed out while connecting, on whose connection this transfer may have waited, and
  /// no transfer is connected to the origin.
  mutating func connectionWasNotMade(since start: TransferInstant) {
    if !isRequestSent { deadlines.limitConnecting(since: start) }
  }

  /// Notes that the request of the hop is passed to libcurl.
  mutating func beginConnecting(at now: TransferInstant) { deadlines.beginConnecting(at: now) }

  /// Returns true if libcurl must check the limit for connecting now.
  mutating func takeConnectCheck(at now: TransferInstant) -> Bool { deadlines.takeConnectCheck(at: now) }

  /// Ends the hop because the next deadline has passed. Returns the next step.
  mutating func expire() -> Next { end(HopEnd(failure: .timedOut(deadlines.limit))) }

  /// Ends the hop, with which libcurl has finished. Returns the next step.
  mutating func end(_ end: HopEnd) -> Next {
    switch verdict {
    case .request(let next):
      begin(next)
      return .request(next)
    case .fail(let error): return .fail(error)
    case .wait where !isResumedEarly:
      isPostponed = true
      return .wait
    case .wait:
      begin(hop)
      return .request(hop)
    case .succeed:
      if let failure = end.failure { return .fail(failure) }
      return bytesToSkip > 0 ? .fail(Self.hasChanged) : .succeed
    case nil:
      guard isWorthRetrying(end) else { return .fail(end.failure ?? .curl(CURLE_GOT_NOTHING)) }
      hasRetried = true
      if isRequestSent { requestsSent -= 1 }
      hop.needsFreshConnection = true
      begin(hop)
      return .request(hop)
    }
  }

  private mutating func begin(_ hop: Hop) {
    self.hop = hop
    isRequestSent = false
    head = ResponseHead()
    verdict = nil
    bytesToSkip = 0
    isResumedEarly = false
    bytesDiscarded = 0
    challenge = Challenge()
    deadlines.beginHop()
  }

  /// Decides about the response when the head is complete.
  private mutating func judge(at now: TransferInstant) -> HeadAction {
    let status = head.status ?? 0
    switch settings.redirects.decide(status: status, location: head.headers["Location"], at: hop) {
    case .follow(let next):
      keepRedirectVary()
      return discard(then: .request(next), at: now)
    case .refuse(let reason):
      verdict = .fail(.redirectRefused(reason))
      return .abort
    case .isNoRedirect: break
    }
    if let coding = head.unrequestedTransferCoding {
      verdict = .fail(
        .transport(.unexpectedEncoding, message: "a Transfer-Encoding that was not requested: \(coding)"))
      return .abort
    }
    let length = head.contentLength
    let response = TransportResponse(
      url: hop.address.url, status: status, headers: headersWithRedirectVary(status), expectedLength: length,
      credentials: credentials.digests)
    if challenge.withhold(response, knowing: settings.credential(for: hop)) {
      deadlines.limitDiscarding(to: Self.discardTime, from: now)
      return .goOn
    }
    if let reported { return continueBody(of: reported, with: response) }
    if acceptableStatuses.contains(where: { $0.contains(status) }) {
      if let coding = head.compression, hop.headers["Accept-Encoding"] == nil {
        verdict = .fail(
          .transport(.unexpectedEncoding, message: "a Content-Encoding that was not requested: \(coding)"))
        return .abort
      }
      guard length ?? 0 <= room.limit else {
        verdict = .fail(.tooLarge(.body(bytes: room.limit)))
        return .abort
      }
      verdict = .succeed
    } else {
      let isProxyRefusal = status == 407 && proxy != nil
      _ = discard(
        then: .fail(
          isProxyRefusal
            ? .proxyFailed(status: status, message: "it wants other credentials") : .status(status)),
        at: now)
    }
    return .report(response, body: isWanted ? BodyRoom.Body(response) : nil)
  }

  /// Keeps the `Vary` fields of a redirect, unless those of earlier redirects are so long that they count as `*`.
  private mutating func keepRedirectVary() {
    let bytes = redirectVary.reduce(0) { $0 + $1.value.utf8.count }
    guard bytes <= VaryingHeaders.maximumNameBytes else { return }
    redirectVary += head.headers.fields.filter { HTTPHeaders.isSame($0.name, "Vary") }
  }

  /// Returns the headers of the response with the `Vary` fields of the redirects that led to it: another user may be
  /// redirected elsewhere.
  private func headersWithRedirectVary(_ status: Int) -> HTTPHeaders {
    var headers = head.headers
    // A 304 response without `Vary` leaves the stored fields as they are, which include those of the redirects.
    guard status != 304 || headers["Vary"] != nil else { return headers }
    for field in redirectVary { headers.append(name: field.name, value: field.value) }
    return headers
  }

  /// Decides about the response to a request that was sent again in the middle of the body. The response is not
  /// reported.
  private mutating func continueBody(
    of reported: TransportResponse, with response: TransportResponse
  ) -> HeadAction {
    guard response.url == reported.url, response.status == reported.status,
      response.headers["ETag"] == reported.headers["ETag"]
    else {
      verdict = .fail(Self.hasChanged)
      return .abort
    }
    verdict = .succeed
    bytesToSkip = room.bytesReceived
    return .goOn
  }

  /// The error of a response that has changed while the transfer waited for room.
  private static let hasChanged = ImageError.transport(
    .connectionLost, message: "the response changed while it waited for memory")

  /// Discards the body: reads a short one to its end so that the connection can be reused, and aborts a long one.
  private mutating func discard(then next: Next, at now: TransferInstant) -> HeadAction {
    verdict = next
    deadlines.limitDiscarding(to: Self.discardTime, from: now)
    return head.contentLength ?? 0 > Self.discardLimit ? .abort : .goOn
  }

  /// Returns true if the hop failed on a reused connection before any byte arrived, and was not retried yet. A kept
  /// connection may be closed just as it is reused, and a GET may then be sent again (RFC 9110, 9.2.2). Over HTTP/1
  /// libcurl retries on its own, up to five dead connections.
  private func isWorthRetrying(_ end: HopEnd) -> Bool {
    guard case .transport(.connectionLost, _) = end.failure else { return false }
    return end.wasReused && head.bytes == 0 && !hasRetried
  }
}
