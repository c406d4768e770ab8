import VitrineGraphics

/// Look-ups on disk: which wait, which are under way, and which take so long that the network goes ahead beside them. Decides
/// only. Times in nanoseconds.
///
/// A disk that hangs holds up the thread that asks it, whoever waits for the answer. A look-up that is late gives its place
/// to the next one; when so many are late that no thread is left, all others are misses at once until one comes back.
struct LookupLine {
  /// Seconds after which a look-up is late.
  static let deadline = 0.5
  /// Seconds after which a request that asks no server is told that nothing is cached.
  static let limit = 10.0
  /// Look-ups that may be late at a time.
  static let maximumLate = 4
  /// Threads that are needed at most: those of the line, and those that are late.
  static let threads = DownloadQueue.maximumLocal + maximumLate

  private struct Running {
    let began: Int64
    var isLate = false
    /// Whether it is to be given up after `limit`.
    var isLost = false
  }

  /// A line for one kind of work that needs no server.
  private var queue = DownloadQueue()
  private var waiting: Set<FetchID> = []
  private var running: [FetchID: Running] = [:]
  private var lateCount = 0

  /// True if no thread is left, so that a look-up is a miss at once.
  var isBlocked: Bool { lateCount >= Self.maximumLate }

  var hasLate: Bool { lateCount > 0 }

  /// True if no look-up is under way but those that are late, which may never come back.
  var isIdle: Bool { running.count == lateCount }

  // MARK: Inputs

  /// - Parameter arrival: its place among all downloads.
  mutating func enqueue(
    _ id: FetchID, priority: ImageRequest.Priority, arrival: DownloadQueue.Arrival
  ) {
    waiting.insert(id)
    queue.enqueue(id, lane: .local, priority: priority, arrival: arrival)
  }

  func isWaiting(_ id: FetchID) -> Bool { waiting.contains(id) }

  /// The next look-up that may begin, which counts as under way unless the line is blocked; nil if there is none.
  mutating func startNext(_ order: Prioritization, isSuspended: Bool, at now: Int64) -> FetchID? {
    queue.order = order
    queue.isSuspended = isSuspended
    guard let id = queue.startNext(at: now) else { return nil }
    waiting.remove(id)
    if isBlocked { queue.ended(id) } else { running[id] = Running(began: now) }
    return id
  }

  /// A request does not want it any more. One that is under way keeps its place until it comes back or is late.
  mutating func leave(_ id: FetchID) {
    if waiting.remove(id) != nil { queue.remove(id) }
  }

  /// A look-up has come back, or has been withdrawn before it began.
  mutating func ended(_ id: FetchID) {
    guard let look = running.removeValue(forKey: id) else { return }
    if look.isLate { lateCount -= 1 } else { queue.ended(id) }
  }

  // MARK: Outputs

  /// The look-ups that have become late.
  mutating func takeLate(at now: Int64) -> [FetchID] {
    let late = running.filter { !$0.value.isLate && now >= $0.value.began.advanced(bySeconds: Self.deadline) }
    for id in late.keys {
      running[id]?.isLate = true
      lateCount += 1
      queue.ended(id)
    }
    return late.keys.sorted()
  }

  /// The look-ups that are late by so much that nobody is to wait for them any longer.
  mutating func takeLost(at now: Int64) -> [FetchID] {
    let lost = running.filter { !$0.value.isLost && now >= $0.value.began.advanced(bySeconds: Self.limit) }
    for id in lost.keys { running[id]?.isLost = true }
    return lost.keys.sorted()
  }

  /// When one of both may have more to say.
  var nextChange: Int64? {
    running.values.lazy.compactMap { look in
      if !look.isLate { return look.began.advanced(bySeconds: Self.deadline) }
      return look.isLost ? nil : look.began.advanced(bySeconds: Self.limit)
    }.min()
  }
}
