import FoundationEssentials
import VitrineGraphics

/// The rules for storing responses and for asking servers about stored responses.
struct StoredResponseRules: Sendable {
  private let freshness: FreshnessRules
  private let keyFilter: (@Sendable (URL) -> URL)?
  private let wallClock: @Sendable () -> Double

  init(_ configuration: ImageDownloader.Configuration) {
    freshness = configuration.freshness
    keyFilter = configuration.requests.keyFilter
    wallClock = configuration.environment.wallClock
  }

  /// Returns a stored response with its present age and freshness.
  func copy(
    _ storedResponse: StoredResponse, _ contents: StoredCopy.Contents, of request: ImageRequest,
    _ reservation: MemoryReservation
  ) -> StoredCopy {
    StoredCopy(
      storedResponse, contents, at: wallClock(), rules: freshness,
      isRedirected: !leadsTo(storedResponse.response.url, from: request.url), reservation: reservation)
  }

  /// The use of an image in memory.
  struct UseInMemory {
    /// The number of seconds for which loads are served without asking the server.
    let seconds: Double
    /// True if the image must not be shown after that time before the server has confirmed it (`must-revalidate` or
    /// `no-cache`; RFC 9111, 5.2.2).
    let requiresRevalidation: Bool
    /// The number of seconds since the server last sent or confirmed the response.
    let age: Double
  }

  /// Returns the use of an image in memory: until the end of the lifetime of its response, and for at least
  /// `FreshnessRules.staleInMemory`. Returns `nil`, for use without a limit, if the response must not be stored and its
  /// server need not be asked either.
  ///
  /// - Parameter age: The number of seconds since the server last sent or confirmed the response; `nil` if it has just
  ///   arrived.
  func useInMemory(_ response: TransportResponse, of request: ImageRequest, age: Double?) -> UseInMemory? {
    let control = CacheControl(response.headers)
    let requiresRevalidation = control.requiresRevalidation && !freshness.ignoresRevalidationOnError
    if control.forbidsStoring, !requiresRevalidation { return nil }
    let now = wallClock()
    let received = now - (age ?? 0)
    let stored = StoredResponse(response: response, body: [], requested: received, received: received)
    let age = age ?? stored.age(at: now) ?? 0
    let lifetime = stored.remainingLifetime(
      after: age, control, rules: freshness,
      isRedirected: !leadsTo(response.url, from: request.url))
    return UseInMemory(
      seconds: max(lifetime, freshness.staleInMemory > 0 ? freshness.staleInMemory : 0),
      requiresRevalidation: requiresRevalidation, age: age)
  }

  /// Returns the bytes together with the response to store on disk, if storing is allowed. The response is stored after
  /// the decode.
  func storable(_ bytes: FetchedBytes, of exchange: Exchange) -> FetchedBytes {
    guard let response = bytes.response,
      var storedResponse = StoredResponse(
        storing: exchange.unmodified(response), body: bytes.body, sent: exchange.sent,
        requested: exchange.requested, received: exchange.received(wallClock(), bytes.metrics))
    else { return bytes }
    storedResponse.varying = exchange.varying(storedResponse.response.headers)
    var bytes = bytes
    bytes.storedResponse = storedResponse
    bytes.storing = StoringSignal()
    return bytes
  }

  /// Returns the bytes of a stored response that a 304 has confirmed, with the updated headers. Returns `nil` if the
  /// 304 does not match the stored response.
  func revalidated(
    _ copy: StoredCopy, by response: TransportResponse, _ metrics: TransportMetrics, of exchange: Exchange
  ) -> FetchedBytes? {
    let now = wallClock()
    guard isSamePlace(exchange.unmodified(response).url, copy.storedResponse.response.url),
      var storedResponse = copy.storedResponse.merging(
        response, sent: exchange.sent, requested: exchange.requested,
        received: exchange.received(now, metrics))
    else { return nil }
    storedResponse.varying = exchange.varying(storedResponse.response.headers)
    var bytes = copy.bytes(revalidatedAs: storedResponse, metrics)
    if isWorthWriting(storedResponse, insteadOf: copy, at: now),
      StoredResponse.mayBeStored(storedResponse.response, sent: exchange.sent)
    {
      bytes.storedResponse = storedResponse
      bytes.storing = StoringSignal()
    }
    if !StoredResponse.mayBeStored(storedResponse.response, sent: [:]) {
      bytes.endsStorage = true
      bytes.storing = StoringSignal()
      bytes.storing?.finish(false)
    }
    return bytes
  }

  /// Returns true if a confirmed response is written again: because it is fresh, which saves the next request a
  /// revalidation, because the server has changed its rules, or because the stored time of confirmation is old.
  private func isWorthWriting(_ new: StoredResponse, insteadOf copy: StoredCopy, at now: Double) -> Bool {
    if case .fresh = new.standing(at: now, rules: freshness, isRedirected: copy.isRedirected) { return true }
    let old = copy.storedResponse
    let hasSameRules = Self.ruleNames.allSatisfy { old.response.headers[$0] == new.response.headers[$0] }
    return !hasSameRules || abs(now - old.received) >= Self.confirmationInterval
  }

  /// The headers that decide how long and to whom a stored response may be shown, and how it is confirmed.
  private static let ruleNames = ["Cache-Control", "Pragma", "Vary", "ETag", "Last-Modified"]

  /// The number of seconds between two writes of the time of confirmation of a response that is stale at once. The
  /// limits for stale images count from that time.
  private static let confirmationInterval = 3600.0

  /// Returns the headers of a conditional request. Empty if the stored response came from another server through a
  /// redirect: validators of one server are not sent to another, and do not follow the redirect.
  func validators(for request: ImageRequest, _ copy: StoredCopy?) -> HTTPHeaders {
    guard let storedResponse = copy?.storedResponse else { return [:] }
    let (known, url) = (storedResponse.response.url, request.url)
    let mayReceiveValidators = DownloadQueue.Lane(known) == DownloadQueue.Lane(url) || isSamePlace(url, known)
    return mayReceiveValidators ? storedResponse.validators : [:]
  }

  /// Returns true if a 304 from `url` can refer to a response from `known`. If a redirect leads elsewhere now, the
  /// server has compared another image (RFC 9110, 15.4).
  private func isSamePlace(_ url: URL, _ known: URL) -> Bool {
    // A stored URL has no login and no signature.
    if url == known || url.withoutSecrets.isSameResource(as: known.withoutSecrets) { return true }
    guard let keyFilter else { return false }
    return keyFilter(url).isSameResource(as: keyFilter(known))
  }

  /// Returns true if a response from `known` is the response of `url` itself, and not of a redirect that may lead
  /// elsewhere later. A redirect from http to https with an otherwise equal URL is taken as permanent.
  private func leadsTo(_ known: URL, from url: URL) -> Bool {
    if isSamePlace(url, known) { return true }
    guard url.scheme == "http", known.scheme == "https", url.port == nil, known.port == nil else {
      return false
    }
    return url.resource.dropFirst(4) == known.resource.dropFirst(5)
  }
}
