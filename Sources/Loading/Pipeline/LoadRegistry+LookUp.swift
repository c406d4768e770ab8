import VitrineGraphics

// Disk look-ups: starting them, and handling those that are late.

extension LoadRegistry {
  /// Starts the look-ups that may begin now, and sends fetches with a late look-up to the network.
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
    while lookups.hasWaiting, undecodedBytes < undecodedBytesLimit, hasRoomForCopies(),
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

  /// Frees the thread of a look-up that was withdrawn before it began.
  mutating func lookUpWithdrawn(_ id: FetchID) -> [LoadAction] {
    lookups.ended(id)
    return admitted()
  }

  /// Sends a fetch to the network because the disk has not answered in time.
  ///
  /// - Parameter failure: The remembered failure of an earlier request, if the server refused it a short time ago.
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

  /// Handles a look-up that returns after the network request was started. A fresh response is shown if the server has
  /// not answered yet; a stale response is kept in case the server fails.
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
      setCopy(fetch.disk.copy ?? copy, of: id)
      limitWaiting(id)
      return
    case .lookingUp, .received: return
    }
    fetches[id]?.isHeld = false
    received(copy.freshBytes, id)
  }
}
