import VitrineGraphics

// Disk look-ups: starting them, and handling those that are late.

extension LoadRegistry {
  /// Starts the look-ups that may begin now, and sends fetches with a late look-up to the network.
  mutating func beginLookUps() {
    for id in lookups.takeLate(at: now) {
      guard let fetch = fetches[id], case .lookingUp = fetch.phase, !fetch.isCacheOnly,
        fetch.disk.serverError == nil
      else { continue }
      actions.append(.skipLookUp(id))
    }
    for id in lookups.takeOverdue(at: now) where fetches[id]?.isCacheOnly == false {
      actions.append(.skipLookUp(id))
    }
    for id in lookups.takeLost(at: now) {
      guard let fetch = fetches[id], case .lookingUp = fetch.phase else { continue }
      giveUpLookUp(id, fetch)
    }
    while lookups.hasWaiting, undecodedBytes < undecodedBytesLimit, fitsMoreCopies(),
      let id = lookups.startNext(queue.order, isSuspended: queue.isSuspended, at: now)
    {
      guard let fetch = fetches[id] else {
        lookups.ended(id)
        continue
      }
      fetches[id]?.disk.isLookedUp = false
      guard !fetch.disk.isLate else {
        beginLateLookUp(id, fetch)
        continue
      }
      fetches[id]?.phase = .lookingUp
      actions.append(
        lookups.isBlocked
          ? .skipLookUp(id) : .lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    }
    lookups.setStopped(queue.isSuspended || undecodedBytes >= undecodedBytesLimit, at: now)
  }

  /// Starts a look-up although the network has gone ahead, unless the response has been received.
  private mutating func beginLateLookUp(_ id: FetchID, _ fetch: Fetch) {
    switch fetch.phase {
    case .received: lookups.ended(id)
    case .lookingUp where lookups.isBlocked: giveUpLookUp(id, fetch)
    case .idle, .running, .lookingUp:
      guard !lookups.isBlocked else { return }
      actions.append(.lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    }
  }

  /// Fails a fetch whose disk look-up does not return, if the fetch cannot wait for the server instead.
  private mutating func giveUpLookUp(_ id: FetchID, _ fetch: Fetch) {
    guard let error = fetch.disk.serverError ?? (fetch.isCacheOnly ? .notCached : nil) else { return }
    fetches[id]?.phase = .idle
    fetches[id]?.disk.serverError = nil
    fail(fetch.decodes, error)
  }

  /// Makes a fetch whose server has failed wait for the late look-up. Returns false if there is none, or if the stored
  /// response may not be shown instead.
  mutating func waitsForLookUp(_ id: FetchID, because error: ImageError) -> Bool {
    guard let fetch = fetches[id], fetch.disk.isLate, fetch.disk.use > .none, error.isMissingResponse,
      !isProbe(id),
      lookups.isPending(id)
    else { return false }
    fetches[id]?.phase = .lookingUp
    fetches[id]?.disk.serverError = error
    return true
  }

  /// Ends a look-up that was withdrawn before the start.
  mutating func lookUpWithdrawn(_ id: FetchID) -> [LoadAction] {
    lookups.ended(id)
    // A fetch whose server has failed has nothing else to wait for.
    if let fetch = fetches[id], fetch.disk.serverError != nil { giveUpLookUp(id, fetch) }
    return admitted()
  }

  /// Sends a fetch to the network because the disk has not answered in time.
  ///
  /// - Parameter failure: The remembered failure of an earlier request, if the server refused it a short time ago.
  mutating func lookUpSkipped(_ id: FetchID, _ failure: ImageError?) -> [LoadAction] {
    guard let fetch = fetches[id], fetch.disk.serverError == nil else { return [] }
    switch fetch.phase {
    case .lookingUp: break
    case .idle where lookups.isWaiting(id) && !fetch.disk.isLate: break
    case .idle, .running, .received: return []
    }
    fetches[id]?.phase = .idle
    fetches[id]?.disk.isLookedUp = false
    fetches[id]?.disk.isLate = true
    if fetch.isCacheOnly {
      fail(fetch.decodes, .notCached)
    } else if let failure, fetch.disk.use == .byFreshness {
      fail(fetch.decodes, failure)
    } else {
      goToServer(id)
    }
    return admitted()
  }

  /// Handles a look-up that returns after the network request was started. A fresh response is shown if the server has
  /// not answered yet; a stale response is kept in case the server fails.
  mutating func foundLate(_ id: FetchID, _ find: DiskFind) {
    guard let fetch = fetches[id], fetch.disk.isLate, let copy = find.copy, fetch.disk.use > .none else {
      return
    }
    fetches[id]?.disk.isLate = false
    let isFresh = if case .immediately = copy.showing { fetch.disk.use == .byFreshness } else { false }
    switch fetch.phase {
    case .idle where isFresh: queue.remove(id)
    case .running where isFresh && !find.serverHasResponded:
      actions.append(.cancelFetch(id))
      queue.ended(id, at: now)
      fetches[id]?.attempts.end(at: now)
    case .idle, .running:
      setCopy(fetch.disk.copy ?? copy, of: id)
      limitWaiting(id)
      return
    case .lookingUp, .received: return
    }
    fetches[id]?.isHeld = false
    received(copy.freshBytes, id)
  }
}
