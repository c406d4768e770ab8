import VitrineConcurrency
import VitrineGraphics

// Transfers: the end, retries, and holding while all callers have paused.

extension LoadRegistry {
  mutating func fetchEnded(_ id: FetchID, _ end: FetchEnd) -> [LoadAction] {
    guard isRunning(id) else { return [] }
    fetches[id]?.attempts.end(at: now, paused: end.secondsPaused)
    guard let fetch = fetches[id] else { return [] }
    queue.ended(
      id, status: end.response?.status, retryAfter: end.retryAfter, speaksHTTP2: end.speaksHTTP2, at: now)
    fetches[id]?.phase = .idle
    switch end.outcome {
    case .bytes(let bytes) where bytes.body.isEmpty:
      if !showsCopy(id, because: .emptyBody), !waitsForLookUp(id, because: .emptyBody) {
        fail(fetch.decodes, .emptyBody)
      }
    case .bytes(let bytes):
      received(bytes, id)
    case .notModified:
      // The request was not conditional.
      fail(fetch.decodes, .status(304))
    case .needsWhole where !fetch.attempts.hasRestarted:
      fetches[id]?.attempts.hasRestarted = true
      tryAgain(id, at: now)
    case .needsWhole:
      fail(fetch.decodes, .status(416))
    case .failed(let error):
      if showsCopy(id, because: error) { break }
      guard !isProbe(id), let delay = retryDelay(fetch, error, end.retryAfter) else {
        if waitsForLookUp(id, because: error) { break }
        if error.endsStorage { discard(id) }
        fail(fetch.decodes, error)
        break
      }
      fetches[id]?.attempts.retries += 1
      tryAgain(id, at: now.advanced(bySeconds: delay))
      actions.append(.announce(tasks(of: id), .willRetry(after: delay, error)))
    }
    return admitted()
  }

  func retryDelay(_ fetch: Fetch, _ error: ImageError, _ retryAfter: Double?) -> Double? {
    guard !fetch.lane.isLocal else { return nil }
    let delay = retries.delay(
      beforeRetry: fetch.attempts.retries, of: error, retryAfter: retryAfter, random: random())
    return delay.flatMap { isInTime(fetch, after: $0) ? $0 : nil }
  }

  func isInTime(_ fetch: Fetch, after delay: Double) -> Bool {
    fetch.attempts.spent + delay < totalLimit
  }

  /// Returns the duration of the earlier attempts of a fetch in seconds.
  func secondsSpent(on fetch: FetchID) -> Double { fetches[fetch]?.attempts.spent ?? 0 }

  /// Returns the number of seconds between the request and the first attempt of a fetch.
  func secondsQueued(_ fetch: FetchID) -> Double { fetches[fetch]?.attempts.secondsQueued ?? 0 }

  mutating func tryAgain(_ id: FetchID, at time: Int64) {
    guard let fetch = fetches[id] else { return }
    fetches[id]?.attempts.earliest = time
    guard let priority = fetch.demand.priority else {
      fetches[id]?.isHeld = true
      return
    }
    queue.enqueue(id, lane: fetch.lane, priority: priority, notBefore: time)
  }

  /// Holds a download if all callers have paused: removes it from the queue or stops the transfer. Enqueues a held
  /// download again if a caller needs the bytes now.
  mutating func reserveOrRelease(_ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    copies.noteChange()
    guard let priority = fetch.demand.priority else {
      switch fetch.phase {
      // The disk look-up takes place nevertheless.
      case .idle where fetch.disk.isLookedUp: return
      case .idle where !fetch.isHeld: queue.remove(id)
      case .running:
        actions.append(.pauseFetch(id))
        // The fetch may go on later, so the rate limit does not count the start as useless.
        queue.ended(id, at: now)
      case .idle, .lookingUp, .received: return
      }
      fetches[id]?.phase = .idle
      fetches[id]?.isHeld = true
      // After a resume, the whole time limit is available again.
      fetches[id]?.attempts.began = nil
      fetches[id]?.attempts.spent = 0
      return
    }
    guard fetch.isHeld else { return }
    fetches[id]?.isHeld = false
    if fetch.disk.isReleased {
      fetches[id]?.disk.isReleased = false
      return enqueue(id, priority)
    }
    queue.enqueue(id, lane: fetch.lane, priority: priority, notBefore: fetch.attempts.earliest, at: now)
    limitWaiting(id)
  }
}
