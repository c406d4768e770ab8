import Dispatch
import FoundationEssentials
import Synchronization
import VitrineConcurrency
import VitrineGraphics

// The disk cache: looked up before a download, and updated after a download.

extension LoadEngine {
  /// Returns true if a request that the memory cache cannot serve may be served from disk.
  func readsDisk(for request: ImageRequest) -> Bool {
    dataCache != nil && request.cache.usesDisk && !request.isLocal
      && DiskStage.Use(request.cachePolicy) == .byFreshness
  }

  func lookUp(_ id: FetchID, _ request: ImageRequest, _ priority: ImageRequest.Priority) {
    diskReaders.submit(id.number, priority: priority.rawValue) { [self] in
      trace.record(.lookupBegan(fetch: id.number))
      let reservation = MemoryReservation(0, in: ledger, as: .bodies)
      let storedResponse = storedResponse(for: request) { reservation.reserve($0) }
      var find = DiskFind()
      find.copy = storedResponse.flatMap { copy($0, for: request, reservation) }
      trace.record(.lookupEnded(fetch: id.number, isFound: find.copy != nil))
      perform { state in
        if DiskStage.Use(request.cachePolicy) == .byFreshness {
          find.failure = state.failures?.error(for: request.identity.asSent, at: state.registry.now)
        }
        find.serverHasResponded = state.transfers[id]?.receiver.hasResponse ?? false
        let moved = storedResponse.map { split(id, by: $0.response.headers, &state) } ?? []
        return moved + state.registry.lookedUp(id, find)
      }
      resume(state.withLock { $0.takeIdleWaiters() })
    }
  }

  /// False while late look-ups are under way.
  var isDiskResponding: Bool { state.withLock { !$0.registry.lookups.hasLate } }

  /// Withdraws a look-up that no load needs. A look-up that has begun runs to its end.
  func withdrawLookUp(_ id: FetchID) {
    guard diskReaders.cancel(id.number) else { return }
    perform { $0.registry.lookUpWithdrawn(id) }
    resume(state.withLock { $0.takeIdleWaiters() })
  }

  /// Continues without the disk, which has not answered in time.
  func skipLookUp(_ id: FetchID) {
    withdrawLookUp(id)
    perform { state in
      let failure = state.registry.fetches[id].flatMap {
        state.failures?.error(for: $0.request.identity.asSent, at: state.registry.now)
      }
      return state.registry.lookUpSkipped(id, failure)
    }
    resume(state.withLock { $0.takeIdleWaiters() })
  }

  /// Returns the identity under which the disk stores a response. Includes the trust settings of the transport.
  func onDisk(_ identity: RequestIdentity) -> RequestIdentity {
    identity.onDisk(trust: (try? transport(for: identity.fullURL))?.trust ?? "")
  }

  private func storedResponse(for request: ImageRequest, reserving reserve: (Int) -> Void) -> StoredResponse?
  {
    let identity = onDisk(request.identity)
    guard !state.withLock({ $0.writes.isRemoving(identity) }) else { return nil }
    return dataCache?.response(for: identity, reserving: reserve)
  }

  private func copy(
    _ storedResponse: StoredResponse, for request: ImageRequest, _ reservation: MemoryReservation
  )
    -> StoredCopy?
  {
    guard storedResponse.matches(request.sentHeaders, credentials: request.identity.credentials) else {
      return nil
    }
    reservation.reserve(storedResponse.body.count)
    var body = storedResponse.body
    if let modify = configuration.bodyModifier {
      // A stored body that the modifier rejects counts as a miss.
      guard let modified = try? modify(body, storedResponse.response) else { return nil }
      body = modified
    }
    return StoredCopy(
      storedResponse, body: body, at: configuration.wallClock(), rules: configuration.freshness,
      isRedirected: !leadsTo(storedResponse.response.url, from: request.url), reservation: reservation)
  }

  func keep(_ bytes: FetchedBytes, _ identity: RequestIdentity) {
    guard let storedResponse = bytes.storedResponse else { return }
    let identity = onDisk(identity)
    change(.store(identity, bytes: storedResponse.body.count)) { cache in
      // The bytes stay reserved until they are written.
      withExtendedLifetime(bytes.reservation) { cache.store(storedResponse, for: identity) }
    } completion: { [storing = bytes.storing] in
      storing?.finish($0)
    }
  }

  /// Notes that a stale image is in memory. The image is removed after `FreshnessRules.staleInMemory` seconds.
  func noteStale(
    _ image: Image, _ request: ImageRequest, _ additionalIdentifier: String?, because reason: ImageError?
  ) {
    let end = clock.now.advanced(bySeconds: max(0, configuration.freshness.staleInMemory))
    let wake = state.withLock { state in
      defer { staleCount.store(state.staleImages.count, ordering: .relaxed) }
      return state.staleImages.add(
        .init(
          image: image.number, request: request, additionalIdentifier: additionalIdentifier, end: end,
          reason: reason))
    }
    if let wake { wakeForStale(at: wake) }
  }

  private func wakeForStale(at time: Int64) {
    clock.wake(at: time) { [weak self] in
      guard let self else { return }
      let (due, next) = state.withLock { state in
        defer { self.staleCount.store(state.staleImages.count, ordering: .relaxed) }
        return state.staleImages.takeDue(at: self.clock.now)
      }
      forget(due)
      if let next { wakeForStale(at: next) }
    }
  }

  /// Removes stale images from memory, except images that newer ones have replaced.
  func forget(_ stale: [StaleImages.Entry]) {
    for entry in stale {
      let cache = entry.request.cache(default: cache)
      if cache?.image(for: entry.request, additionalIdentifier: entry.additionalIdentifier)?.number
        == entry.image
      {
        cache?.removeImage(for: entry.request, additionalIdentifier: entry.additionalIdentifier)
      }
    }
  }

  /// Returns the bytes together with the response to store on disk, if storing is allowed. The response is stored after
  /// the decode.
  func storable(_ bytes: FetchedBytes, of receiver: FetchReceiver) -> FetchedBytes {
    guard let response = bytes.response else { return bytes }
    let (transfer, request) = state.withLock {
      ($0.transfers[receiver.id], $0.registry.request(of: receiver.id))
    }
    guard let transfer, let request,
      var storedResponse = StoredResponse(
        storing: transfer.exchange.unmodified(response, of: request), body: bytes.body,
        sent: transfer.exchange.sent, requested: transfer.exchange.requested,
        received: transfer.exchange.received(configuration.wallClock(), bytes.metrics))
    else { return bytes }
    storedResponse.varying = transfer.varying(storedResponse.response.headers)
    var bytes = bytes
    bytes.storedResponse = storedResponse
    bytes.storing = StoringSignal()
    return bytes
  }

  /// Returns the outcome of a 304: the stored response with the updated headers, or `.needsWhole` if the 304 does not
  /// match the stored response.
  func revalidated(
    _ receiver: FetchReceiver, _ response: TransportResponse, _ metrics: TransportMetrics
  ) -> FetchEnd.Outcome {
    let id = receiver.id
    let (copy, transfer, request) = state.withLock { state in
      (state.registry.copy(of: id), state.transfers[id], state.registry.request(of: id))
    }
    guard let transfer, let request, transfer.receiver === receiver else { return .failed(.status(304)) }
    // The stored response was released to make room.
    guard let copy else { return .needsWhole }
    let (exchange, now) = (transfer.exchange, configuration.wallClock())
    guard isSamePlace(exchange.unmodified(response, of: request).url, copy.storedResponse.response.url),
      var storedResponse = copy.storedResponse.merging(
        response, sent: exchange.sent, requested: exchange.requested,
        received: exchange.received(now, metrics))
    else {
      state.withLock { if $0.transfers[id]?.receiver === receiver { $0.registry.dropCopy(of: id) } }
      return .needsWhole
    }
    storedResponse.varying = transfer.varying(storedResponse.response.headers)
    var bytes = copy.bytes(revalidatedAs: storedResponse, metrics)
    // Written again only if this saves the next request a revalidation.
    let standing = storedResponse.standing(
      at: now, rules: configuration.freshness, isRedirected: copy.isRedirected)
    if case .fresh = standing, StoredResponse.mayBeStored(storedResponse.response, sent: exchange.sent) {
      bytes.storedResponse = storedResponse
      bytes.storing = StoringSignal()
    }
    if !StoredResponse.mayBeStored(storedResponse.response, sent: [:]) {
      bytes.endsStorage = true
      bytes.storing = StoringSignal()
      bytes.storing?.finish(false)
    }
    return .bytes(bytes)
  }

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
    guard let filter = configuration.keyFilter else { return false }
    return filter(url).isSameResource(as: filter(known))
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

  /// Asks the server whether an image that was shown has changed. No caller waits for the response, which serves later
  /// requests.
  func revalidate(_ request: ImageRequest, _ identifier: String?) {
    let task = revalidation(of: request, identifier)
    let lookup = LookupNotes(began: trace.now, memory: .bypassed)
    while !start(task, unlessStoredSince: storeCount, lookup: lookup) {}
  }
}

/// The URL, the headers and the time of a request that was sent.
struct Exchange: Sendable {
  /// The requested URL, after the request modifier; `nil` until the request is sent, and without a disk cache.
  var url: URL?
  var sent = HTTPHeaders()
  /// The time of the request, in seconds since 1970 by the clock of this machine.
  var requested = 0.0

  /// Returns the response with the URL of the request, if only the request modifier has changed the URL. A modifier may
  /// sign each request differently, and the signature must not be stored.
  func unmodified(_ response: TransportResponse, of request: ImageRequest) -> TransportResponse {
    guard response.url == url else { return response }
    return TransportResponse(
      url: request.url, status: response.status, headers: response.headers,
      expectedLength: response.expectedLength, credentials: response.credentials)
  }

  /// Returns the time at which the head of the response arrived, if the transfer ended at `now`, in seconds since 1970.
  func received(_ now: Double, _ metrics: TransportMetrics?) -> Double {
    let body = metrics.map { max(0, $0.total - $0.firstByte) } ?? 0
    return max(requested, now - (body.isFinite ? body : 0))
  }
}

extension MemoryReservation {
  /// Reserves `total` bytes in all, evicting cached memory first. Exceeds the budget if that does not suffice, because
  /// the image may be on disk alone. No lock may be held.
  fileprivate func reserve(_ total: Int) {
    let missing = total - bytes
    guard missing > 0 else { return resize(to: total) }
    if reserve(missing, force: false) { return }
    evict(toFit: missing)
    _ = reserve(missing, force: true)
  }
}
