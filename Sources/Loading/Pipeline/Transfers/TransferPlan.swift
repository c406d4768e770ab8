import FoundationEssentials

/// The downloads of all fetches: when each waits, runs, is retried, or is held because all callers have paused. Makes
/// decisions only. Times are in nanoseconds.
struct TransferPlan {
  private struct Transfer {
    let lane: DownloadQueue.Lane
    var attempts: Attempts
    /// True if the download was taken out of the queue because all callers have paused.
    var isHeld = false
    /// The position in the order of downloads, which the fetch keeps during a disk lookup and while it waits for another
    /// process. `nil` otherwise, as after an attempt, a pause or a time without a network: the download is then queued
    /// behind all others.
    var arrival: DownloadQueue.Arrival?
  }

  /// The limits and the order of downloads.
  var queue: DownloadQueue
  /// The policy for retrying failed downloads.
  private let retries: RetryPolicy
  /// The time limit for all attempts of a download, in seconds. A retry is made only if the duration of the earlier
  /// attempts and the delay together are below this limit.
  private let totalLimit: Double
  /// Returns a random number from 0 to 1, for the delay of retries and the pauses of servers.
  private let random: @Sendable () -> Double
  private var transfers = LoadTable<FetchKind, Transfer>()
  private var lastLane = LastLane()
  /// The switch of the network.
  private var network = NetworkAccess()

  init(
    _ queue: DownloadQueue = DownloadQueue(), retries: RetryPolicy = .none, totalLimit: Double = .infinity,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.queue = queue
    self.retries = retries
    self.totalLimit = totalLimit
    self.random = random
  }

  // MARK: Contents

  /// Returns the queue lane (server) of a fetch.
  func lane(of id: FetchID) -> DownloadQueue.Lane? { transfers[id]?.lane }

  /// True if a fetch reads from this machine: a file or a data URL.
  func isLocal(_ id: FetchID) -> Bool { transfers[id]?.lane.isLocal ?? false }

  /// True if a download waits until a caller needs the bytes again.
  func isHeld(_ id: FetchID) -> Bool { transfers[id]?.isHeld ?? false }

  /// Returns the duration of the earlier attempts in seconds.
  func secondsSpent(on id: FetchID) -> Double { transfers[id]?.attempts.spent ?? 0 }

  /// Returns the number of seconds between the request and the first attempt.
  func secondsQueued(_ id: FetchID) -> Double { transfers[id]?.attempts.secondsQueued ?? 0 }

  // MARK: Waiting

  /// Adds a fetch of a URL, which does not wait for a download yet.
  mutating func add(_ id: FetchID, of url: URL, at now: Int64) {
    add(id, lane: lastLane.lane(of: url), at: now)
  }

  /// Adds a fetch, which does not wait for a download yet.
  mutating func add(_ id: FetchID, lane: DownloadQueue.Lane, at now: Int64) {
    transfers[id] = Transfer(lane: lane, attempts: Attempts(queued: now))
  }

  /// Removes a fetch that has ended or was cancelled.
  mutating func remove(_ id: FetchID, at now: Int64) {
    queue.remove(id, at: now)
    transfers[id] = nil
  }

  /// Adds a download behind all others.
  mutating func enqueue(_ id: FetchID, _ priority: ImageRequest.Priority, at now: Int64) {
    guard let lane = lane(of: id), !network.refuses(id, lane) else { return }
    transfers[id]?.arrival = queue.enqueue(id, lane: lane, priority: priority, at: now)
  }

  /// Returns a position behind all downloads, for a fetch that looks up the disk first. The later download takes this
  /// position.
  mutating func arrive(_ id: FetchID, at now: Int64) -> DownloadQueue.Arrival {
    let arrival = queue.nextArrival(at: now)
    transfers[id]?.arrival = arrival
    return arrival
  }

  /// Returns the position of a fetch that looks up the disk once more: its last one, or a new one.
  mutating func arriveAgain(_ id: FetchID, at now: Int64) -> DownloadQueue.Arrival {
    transfers[id]?.arrival ?? arrive(id, at: now)
  }

  /// Adds the download of a fetch that the disk does not serve, at the position of the lookup.
  ///
  /// - Parameter priority: The priority; `nil` holds the download, because all callers have paused.
  mutating func enqueueAfterLookup(_ id: FetchID, _ priority: ImageRequest.Priority?, at now: Int64) {
    guard let transfer = transfers[id] else { return }
    guard let priority else {
      transfers[id]?.isHeld = true
      return
    }
    guard !network.refuses(id, transfer.lane) else { return }
    transfers[id]?.arrival = queue.enqueue(
      id, lane: transfer.lane, priority: priority, arrival: transfer.arrival, at: now)
  }

  /// Moves a waiting download to the end of the line of another priority.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID, at now: Int64) {
    if let arrival = queue.setPriority(priority, of: id, at: now) { transfers[id]?.arrival = arrival }
  }

  /// Adds the next attempt of a download, which does not start before `time`.
  ///
  /// - Parameter priority: The priority; `nil` holds the download, because all callers have paused.
  mutating func retry(_ id: FetchID, _ priority: ImageRequest.Priority?, notBefore time: Int64) {
    guard let lane = lane(of: id) else { return }
    transfers[id]?.attempts.earliest = time
    guard let priority else {
      transfers[id]?.isHeld = true
      return
    }
    guard !network.refuses(id, lane) else { return }
    queue.enqueue(id, lane: lane, priority: priority, notBefore: time)
  }

  /// Removes a waiting download from the queue, because the bytes have come from elsewhere.
  mutating func leaveQueue(_ id: FetchID) {
    queue.remove(id)
    transfers[id]?.isHeld = false
    transfers[id]?.arrival = nil
  }

  /// Holds a download, because all callers have paused. After `release`, the download has its whole time limit again.
  mutating func hold(_ id: FetchID, isRunning: Bool, at now: Int64) {
    // The download may go on later, so the rate limit does not count the start as useless.
    if isRunning { queue.ended(id, at: now) } else { queue.remove(id) }
    transfers[id]?.isHeld = true
    transfers[id]?.arrival = nil
    transfers[id]?.attempts.began = nil
    transfers[id]?.attempts.spent = 0
  }

  /// Ends the hold of a download. Call `enqueueAgain`, unless the disk is looked up first.
  mutating func release(_ id: FetchID) { transfers[id]?.isHeld = false }

  /// Adds a download that was held.
  mutating func enqueueAgain(_ id: FetchID, _ priority: ImageRequest.Priority, at now: Int64) {
    guard let transfer = transfers[id], !network.refuses(id, transfer.lane) else { return }
    transfers[id]?.arrival = queue.enqueue(
      id, lane: transfer.lane, priority: priority, notBefore: transfer.attempts.earliest, at: now)
  }

  // MARK: Offline

  /// True if no request may leave this machine.
  var isOffline: Bool { network.isOffline }

  /// True if the requests of a fetch may not leave this machine now.
  func isCutOff(_ id: FetchID) -> Bool { network.isOffline && !isLocal(id) }

  /// Keeps downloads from the network from starting, or allows them again. Returns the running downloads, which are to
  /// be stopped. Running and waiting downloads are refused.
  mutating func setOffline(_ isOffline: Bool, at now: Int64) -> [FetchID] {
    guard isOffline != network.isOffline else { return [] }
    network.isOffline = isOffline
    guard isOffline else { return [] }
    var stopped: [FetchID] = []
    for id in transfers.keys.sorted() {
      guard let lane = lane(of: id), !lane.isLocal, queue.contains(id) else { continue }
      if queue.isActive(id) {
        stopped.append(id)
        // The download may go on later, so the rate limit does not count the start as useless.
        queue.ended(id, at: now)
        transfers[id]?.attempts.end(at: now)
      } else {
        queue.remove(id, at: now)
      }
      transfers[id]?.arrival = nil
      _ = network.refuses(id, lane)
    }
    return stopped
  }

  /// Removes and returns the downloads that were refused because the downloader is offline and are still wanted.
  mutating func takeRefused() -> [FetchID] {
    network.takeRefused().filter { transfers[$0]?.isHeld == false && !queue.contains($0) }
  }

  // MARK: Attempts

  /// Returns the download to start now; `nil` if none waits or a limit is reached.
  ///
  /// - Parameter onlyLocal: True to start no download from a server.
  mutating func startNext(at now: Int64, onlyLocal: Bool = false) -> FetchID? {
    guard let id = queue.startNext(at: now, onlyLocal: onlyLocal) else { return nil }
    transfers[id]?.attempts.begin(at: now)
    return id
  }

  mutating func ended(_ id: FetchID, _ end: FetchEnd, at now: Int64) {
    transfers[id]?.attempts.end(at: now, paused: end.secondsPaused)
    transfers[id]?.arrival = nil
    queue.ended(
      id, status: end.response?.status, retryAfter: end.retryAfter, speaksHTTP2: end.speaksHTTP2,
      random: random(), at: now)
  }

  /// Ends an attempt that is given up, because the bytes have come from elsewhere or another process fetches them. The
  /// download may return to its position.
  mutating func stopped(_ id: FetchID, at now: Int64) {
    queue.ended(id, at: now)
    let arrival = transfers[id]?.arrival?.again
    transfers[id]?.arrival = arrival
    transfers[id]?.attempts.end(at: now)
    transfers[id]?.isHeld = false
  }

  /// Notes that a download starts again without a range or a condition, because the response to such a request was
  /// unusable. Returns false if the download has done so before.
  mutating func restart(_ id: FetchID) -> Bool {
    guard transfers[id]?.attempts.hasRestarted == false else { return false }
    transfers[id]?.attempts.hasRestarted = true
    return true
  }

  /// True if the response to a range or a condition was unusable, so that the whole body is requested.
  func hasRestarted(_ id: FetchID) -> Bool { transfers[id]?.attempts.hasRestarted ?? false }

  /// Decides whether a failed download is retried. Returns the delay in seconds, and counts the retry; `nil` for no
  /// retry.
  mutating func retryDelay(_ id: FetchID, after error: ImageError, retryAfter: Double?) -> Double? {
    guard let transfer = transfers[id], !transfer.lane.isLocal,
      let delay = retries.delay(
        beforeRetry: transfer.attempts.retries, of: error, retryAfter: retryAfter, random: random()),
      transfer.attempts.spent + delay < totalLimit
    else { return nil }
    transfers[id]?.attempts.retries += 1
    return delay
  }
}
