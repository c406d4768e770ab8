import VitrineGraphics

// Look-ups: how one begins, and what becomes of a fetch whose look-up is late.

extension LoadRegistry {
  /// Starts the look-ups that may begin now, and lets those go to the network that are late.
  mutating func beginLookUps() {
    for id in lookups.takeLate(at: now) {
      guard let fetch = fetches[id], case .lookingUp = fetch.phase, !fetch.asksNoServer else { continue }
      actions.append(.skipLookUp(id))
    }
    for id in lookups.takeLost(at: now) {
      guard let fetch = fetches[id], case .lookingUp = fetch.phase, fetch.asksNoServer else { continue }
      fetches[id]?.phase = .idle
      fail(fetch.decodes, .notCached)
    }
    while undecodedBytes < undecodedBytesLimit,
      let id = lookups.startNext(queue.order, isSuspended: queue.isSuspended, at: now)
    {
      guard let fetch = fetches[id] else {
        lookups.ended(id)
        continue
      }
      fetches[id]?.disk.isLookedUp = false
      fetches[id]?.phase = .lookingUp
      actions.append(
        lookups.isBlocked
          ? .skipLookUp(id) : .lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    }
  }

  /// A look-up was withdrawn before it began: its thread is free.
  mutating func lookUpWithdrawn(_ id: FetchID) -> [LoadAction] {
    lookups.ended(id)
    return admitted()
  }

  /// The disk does not answer in time: the network goes ahead.
  ///
  /// - Parameter failure: why the server refused it not long ago.
  mutating func lookUpSkipped(_ id: FetchID, _ failure: ImageError?) -> [LoadAction] {
    guard let fetch = fetches[id], case .lookingUp = fetch.phase else { return [] }
    fetches[id]?.phase = .idle
    fetches[id]?.disk.isLate = true
    if fetch.asksNoServer {
      fail(fetch.decodes, .notCached)
    } else if let failure, fetch.disk.use == .asServerSays {
      fail(fetch.decodes, failure)
    } else {
      goToServer(id)
    }
    return admitted()
  }

  /// A look-up comes back when the network has gone ahead: what is fresh is shown if the server has not answered yet, and
  /// what is not is there in case the server fails.
  mutating func foundLate(_ id: FetchID, _ find: DiskFind) {
    guard let fetch = fetches[id], fetch.disk.isLate, let copy = find.copy, fetch.disk.use > .none else {
      return
    }
    fetches[id]?.disk.isLate = false
    let isFresh = if case .asFresh = copy.showing { fetch.disk.use == .asServerSays } else { false }
    switch fetch.phase {
    case .idle where isFresh: queue.remove(id)
    case .running where isFresh && !find.serverHasAnswered:
      actions.append(.cancelFetch(id))
      queue.ended(id, at: now)
      fetches[id]?.attempts.end(at: now)
    case .idle, .running:
      fetches[id]?.disk.copy = fetch.disk.copy ?? copy
      limitWaiting(id)
      return
    case .lookingUp, .received: return
    }
    fetches[id]?.isHeld = false
    received(copy.freshBytes, id)
  }
}
