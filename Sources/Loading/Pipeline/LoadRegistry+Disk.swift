import VitrineGraphics

// Stored responses: looked up before a server is asked, shown when the server fails, and replaced if damaged.

extension LoadRegistry {
  // MARK: Inputs

  /// Handles the result of a disk look-up.
  mutating func lookedUp(_ id: FetchID, _ find: DiskFind) -> [LoadAction] {
    lookups.ended(id)
    guard case .lookingUp = fetches[id]?.phase, let fetch = fetches[id] else {
      foundLate(id, find)
      return admitted()
    }
    fetches[id]?.phase = .idle
    fetches[id]?.disk.serverError = nil
    var find = find
    let error = fetch.disk.serverError
    find.failure = error ?? find.failure
    switch fetch.disk.use {
    case _ where fetch.isCacheOnly:
      if let copy = find.copy { received(copy.bytesAsTheyAre, id) } else { fail(fetch.decodes, .notCached) }
      return admitted()
    case .byFreshness: if showsFind(id, find) { return admitted() }
    case .conditional:
      setCopy(find.copy, of: id)
      if let error {
        if !showsCopy(id, because: error) { fail(fetch.decodes, error) }
        return admitted()
      }
    case .none: break
    }
    goToServer(id)
    return admitted()
  }

  /// Handles the result of a look-up for requests that may be served from disk. Returns false if the server must be
  /// asked.
  private mutating func showsFind(_ id: FetchID, _ find: DiskFind) -> Bool {
    guard let copy = find.copy else {
      guard let failure = find.failure else { return false }
      fail(fetches[id]?.decodes ?? [], failure)
      return true
    }
    switch copy.showing {
    case .immediately: received(copy.freshBytes, id)
    case .whileRevalidating:
      received(copy.staleBytes(because: find.failure), id)
      if find.failure == nil { revalidate(id) }
    case .afterRevalidation:
      setCopy(copy, of: id)
      guard let failure = find.failure else { return false }
      if !showsCopy(id, because: failure) { fail(fetches[id]?.decodes ?? [], failure) }
    }
    return true
  }

  /// Requests a revalidation for every image of a fetch that shows a stale response. Requests that use the disk cache
  /// come first, because only these have the validators of the stored response.
  private mutating func revalidate(_ id: FetchID) {
    let shown = (fetches[id]?.decodes ?? []).flatMap { decodes[$0]?.processedImages ?? [] }.sorted()
      .compactMap {
        processedImages[$0]
      }
    for processedImage in shown.filter(\.request.cache.usesDisk)
      + shown.filter({ !$0.request.cache.usesDisk })
    {
      actions.append(
        .revalidate(processedImage.request, additionalIdentifier: processedImage.additionalIdentifier))
    }
  }

  private func waitersWithoutServer(_ id: FetchID) -> [TaskID] {
    tasks(of: id).filter { waiters[$0]?.isCacheOnly == true }
  }

  /// Returns the freshness of an image, or `nil` if no caller waits for the image any more. Always `.fresh` without a
  /// disk cache.
  func freshness(of processedImage: ProcessedImageID) -> ImageResponse.Freshness? {
    guard hasDisk else { return .fresh }
    return processedImages[processedImage].flatMap { decodes[$0.decode]?.bytes?.freshness }
  }

  /// Returns the stored response that the server is asked about.
  func copy(of fetch: FetchID) -> StoredCopy? { fetches[fetch]?.disk.copy }

  /// Drops the stored response, because the response of the server does not match. The request is then sent without a
  /// condition.
  mutating func dropCopy(of fetch: FetchID) { setCopy(nil, of: fetch) }

  // MARK: Before the server

  /// Returns true if a fetch can serve a request: a `.refresh` request only without stored bytes that were not
  /// revalidated, a `.reload` request only without any stored bytes, and a `.cacheOnly` request only with bytes that
  /// have been received.
  func mayJoin(_ id: FetchID, _ request: ImageRequest) -> Bool {
    guard let fetch = fetches[id] else { return false }
    let known: FetchedBytes? = if case .received(let bytes) = fetch.phase { bytes } else { nil }
    // Includes the bytes of decodes that succeeded before another decode found the bytes damaged.
    let fromDisk = ([known] + fetch.decodes.map { decodes[$0]?.bytes }).compactMap { $0 }.filter {
      $0.source == .disk
    }
    return switch request.cachePolicy {
    case .useCache: true
    case .cacheOnly: known != nil
    case .refresh: fromDisk.allSatisfy { $0.freshness == .revalidated }
    case .reload: fromDisk.isEmpty && fetch.disk.copy == nil
    }
  }

  mutating func joinDisk(_ id: FetchID, _ request: ImageRequest) {
    guard hasDisk, fetches[id]?.lane.isLocal == false else { return }
    let known = fetches[id]?.disk.use ?? .none
    fetches[id]?.disk.use = min(known, .init(request.cachePolicy))
    guard request.cache.usesDisk, fetches[id]?.disk.isKept == false else { return }
    fetches[id]?.disk.isKept = true
    // The bytes may have been decoded already.
    for decode in (fetches[id]?.decodes ?? []).compactMap({ decodes[$0] }) {
      if case .decoded = decode.phase { keep(decode) }
    }
  }

  /// Adds a new fetch to the queue of disk look-ups, or to the queue of downloads if the disk is not asked.
  mutating func enqueue(_ id: FetchID, _ priority: ImageRequest.Priority) {
    guard let fetch = fetches[id] else { return }
    guard fetch.disk.isKept, fetch.disk.use > .none, !fetch.lane.isLocal else {
      fetches[id]?.arrival = queue.enqueue(id, lane: fetch.lane, priority: priority, at: now)
      return
    }
    let arrival = queue.nextArrival(at: now)
    fetches[id]?.disk.isLookedUp = true
    fetches[id]?.arrival = arrival
    lookups.enqueue(id, priority: priority, arrival: arrival, at: now)
  }

  mutating func goToServer(_ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    guard let priority = fetch.demand.priority else {
      fetches[id]?.isHeld = true
      return
    }
    queue.enqueue(id, lane: fetch.lane, priority: priority, arrival: fetch.arrival, at: now)
    // A retry is queued behind all other downloads.
    fetches[id]?.arrival = nil
    limitWaiting(id)
  }

  /// Fails some of the callers that wait for a fetch.
  mutating func refuse(_ tasks: [TaskID], _ error: ImageError) {
    guard !tasks.isEmpty else { return }
    actions.append(.deliver(tasks, .failure(error)))
    for processedImage in tasks.compactMap({ forget($0) }) { removeIfUnwanted(processedImage) }
  }

  // MARK: After the server

  mutating func received(_ bytes: FetchedBytes, _ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    fetches[id]?.phase = .received(bytes)
    fetches[id]?.disk.isSettled = false
    for decode in fetch.decodes.sorted() { beginDecode(decode) }
  }

  /// Shows the stored response, because the server has failed. Returns false if there is none, or if the rules do not
  /// allow showing it.
  mutating func showsCopy(_ id: FetchID, because error: ImageError) -> Bool {
    guard let copy = fetches[id]?.disk.copy, copy.mayShowOnError, error.isMissingResponse, !isProbe(id) else {
      return false
    }
    setCopy(nil, of: id)
    received(copy.staleBytes(because: error), id)
    return true
  }

  /// Stores the response on disk after a successful decode, or removes the stored response if storing is forbidden.
  /// Done once for the received bytes of a fetch.
  mutating func keep(_ decode: Decode) {
    guard let fetch = fetches[decode.fetch], fetch.disk.isKept, !fetch.disk.isSettled,
      let bytes = decode.bytes
    else { return }
    fetches[decode.fetch]?.disk.isSettled = true
    if bytes.storedResponse != nil {
      actions.append(.keep(bytes, fetch.key))
    } else if bytes.endsStorage || bytes.source == .network && bytes.response?.status == 200 {
      // The new response must not be stored.
      discard(decode.fetch)
    }
  }

  /// Removes the stored response, if a request of the fetch uses the disk cache.
  mutating func discard(_ id: FetchID) {
    if let fetch = fetches[id], fetch.disk.isKept { actions.append(.discard(fetch.key)) }
  }

  /// Handles damaged bytes: a damaged stored response is fetched again, once; in place of a damaged response from the
  /// server, the stored response is shown. Returns true if other bytes will be decoded.
  mutating func findsOtherBytes(for decode: Decode, after error: ImageError) -> Bool {
    guard error.isDamage, case .received(let bytes) = fetches[decode.fetch]?.phase,
      let disk = fetches[decode.fetch]?.disk,
      bytes.source == .disk ? !disk.wasHealed : disk.copy?.mayShowOnError == true && !isProbe(decode.fetch)
    else { return false }
    fetches[decode.fetch]?.disk.damage = error
    settleDamage(decode.fetch)
    return true
  }

  /// Replaces damaged bytes as soon as no decode reads the bytes any more.
  mutating func settleDamage(_ id: FetchID) {
    guard let fetch = fetches[id], fetch.unfinishedDecodes == 0, let damage = fetch.disk.damage,
      case .received(let bytes) = fetch.phase
    else { return }
    fetches[id]?.disk.damage = nil
    fetches[id]?.phase = .idle
    if bytes.source == .network, showsCopy(id, because: damage) { return }
    fetches[id]?.disk.wasHealed = true
    setCopy(nil, of: id)
    discard(id)
    // Cache-only requests fail with the error of the decode.
    refuse(waitersWithoutServer(id), damage)
    goToServer(id)
  }
}
