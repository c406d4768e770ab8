/// Which downloads run and which wait. Decides only; whoever asks does the work.
///
/// Only started downloads count against the bounds, so cancelling one that waits lets no further one start
/// (AF-D23). Files and data URLs wait in a line of their own: a slow network never holds them up. Times in
/// nanoseconds.
struct DownloadQueue {
  /// What shares a bound.
  enum Lane: Hashable {
    case local
    case host(scheme: String, name: String, port: Int?)
  }

  /// A place in the order.
  struct Arrival {
    let number: UInt64
    let batch: UInt64
  }

  /// Local reads at once: one is read while the next is handed over.
  static let maximumLocal = 2
  /// Transfers at once over one HTTP/2 connection.
  static let maximumStreams = 100

  /// What comes sooner after another is asked for at once with it: less than a frame, more than a screen takes.
  private static let batchGap: Int64 = 5_000_000

  /// A bound below 1 counts as 1.
  var maximumActive = 6
  /// Of a server that does not speak HTTP/2.
  var maximumPerHost = 4
  var order = Prioritization.fifo
  /// Whether nothing starts.
  var isSuspended = false
  /// nil for none.
  var rateLimit: RateLimit? {
    get { bucket?.limit }
    set {
      guard let newValue else { return bucket = nil }
      if bucket == nil { bucket = TokenBucket(newValue) } else { bucket?.limit = newValue }
    }
  }
  var backOff = HostBackOff()

  private var bucket: TokenBucket?
  private var waiting: [Lane: WaitingList<FetchID>] = [:]
  private var lanes = LoadTable<Fetch, Lane>()
  private var active: Set<FetchID> = []
  private var activeByLane: [Lane: Int] = [:]
  /// Servers that have spoken HTTP/2.
  private var streaming: Set<Lane> = []
  private var resting = RestingDownloads()
  private var lastNumber: UInt64 = 0
  private var lastBatch: UInt64 = 0
  private var lastArrival: Int64 = 0

  /// Downloads that have started, in all lanes.
  var activeCount: Int { active.count }
  var waitingCount: Int { lanes.count - active.count }

  /// - Parameters:
  ///   - earliest: it does not start before that, and stands in line from then on.
  ///   - arrival: the place of one that has stood in another line before; that of one that comes now if nil.
  /// - Returns: its place.
  @discardableResult
  mutating func enqueue(
    _ id: FetchID, lane: Lane, priority: ImageRequest.Priority, notBefore earliest: Int64 = .min,
    arrival: Arrival? = nil, at now: Int64 = 0
  ) -> Arrival? {
    lanes[id] = lane
    if earliest > .min {
      resting.insert(id, priority: priority, until: earliest)
      return nil
    }
    let arrival = arrival ?? nextArrival(at: now)
    waiting[lane, default: WaitingList()].append(
      id, priority: priority, number: arrival.number, batch: arrival.batch)
    return arrival
  }

  /// A place behind all that have come so far.
  mutating func nextArrival(at now: Int64) -> Arrival {
    lastNumber += 1
    if now.subtractingReportingOverflow(lastArrival).partialValue > Self.batchGap { lastBatch += 1 }
    lastArrival = now
    return Arrival(number: lastNumber, batch: lastBatch)
  }

  /// The download to start now, which counts as started from here on; nil if there is none or no room.
  ///
  /// O(hosts that wait).
  mutating func startNext(at now: Int64 = 0) -> FetchID? {
    wakeRested(at: now)
    guard !isSuspended else { return nil }
    let hasToken = bucket?.nextToken(at: now).map { $0 <= now } ?? (bucket == nil)
    var best: (lane: Lane, head: WaitingList<FetchID>.Head)?
    for lane in waiting.keys where hasRoom(lane) {
      guard lane == .local || hasToken && backOff.opening(of: lane, at: now).map({ $0 <= now }) ?? false,
        let head = waiting[lane]?.head(order)
      else { continue }
      if let known = best, !head.goes(before: known.head, in: order) { continue }
      best = (lane, head)
    }
    guard let best else { return nil }
    let id = best.head.item
    stopWaiting(id, lane: best.lane)
    active.insert(id)
    activeByLane[best.lane, default: 0] += 1
    if best.lane != .local { backOff.started(id, lane: best.lane) }
    return id
  }

  /// When `startNext` may find something that it does not find now, if nothing else happens until then; nil for never.
  mutating func nextChange(after now: Int64) -> Int64? {
    guard !isSuspended else { return nil }
    var times = [resting.next].compactMap { $0 }
    for lane in waiting.keys where lane != .local && hasRoom(lane) {
      guard let opening = backOff.opening(of: lane, at: now) else { continue }
      let token = bucket == nil ? now : bucket?.nextToken(at: now)
      if let token { times.append(max(opening, token)) }
    }
    return times.filter { $0 > now }.min()
  }

  /// Forgets a download that is not wanted any more, started or not. One that was has been started in vain.
  mutating func remove(_ id: FetchID, at now: Int64 = 0) {
    if active.contains(id), lanes[id] != .local { bucket?.take(at: now) }
    forget(id)
  }

  /// Servers that are remembered to speak HTTP/2, beyond those with a download under way.
  static let rememberedServers = 256

  private mutating func noteStreaming(_ lane: Lane) {
    if streaming.count >= Self.rememberedServers, !streaming.contains(lane) {
      streaming = streaming.filter { activeByLane[$0] != nil }
    }
    streaming.insert(lane)
  }

  /// Hosts of which something is kept that have no download, for tests.
  var rememberedCount: Int { streaming.count + backOff.count }

  private mutating func forget(_ id: FetchID) {
    guard let lane = lanes.removeValue(forKey: id) else { return }
    backOff.ended(id, lane: lane)
    if active.remove(id) != nil {
      let count = activeByLane[lane, default: 1] - 1
      activeByLane[lane] = count == 0 ? nil : count
    } else {
      stopWaiting(id, lane: lane)
      resting.remove(id)
    }
  }

  /// A download that was started has ended, and not because it was given up.
  ///
  /// - Parameters:
  ///   - status: of the answer, if there was one.
  ///   - retryAfter: seconds for which the server wants to be left alone.
  mutating func ended(
    _ id: FetchID, status: Int? = nil, retryAfter: Double? = nil, speaksHTTP2: Bool = false, at now: Int64 = 0
  ) {
    guard let lane = lanes[id], active.contains(id) else { return }
    if lane != .local {
      if status != nil {
        backOff.answered(id, lane: lane, status: status, retryAfter: retryAfter, at: now)
      }
      if speaksHTTP2 { noteStreaming(lane) }
    }
    forget(id)
  }

  /// Moves a waiting download to the end of another priority's line; one that runs is left alone.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID, at now: Int64 = 0) {
    guard let lane = lanes[id], !active.contains(id), !resting.setPriority(priority, of: id) else { return }
    enqueue(id, lane: lane, priority: priority, at: now)
  }

  /// The network is another one: no server is left alone, and nothing rests any longer.
  mutating func networkReturned() {
    backOff.removeAll()
    wakeRested(at: .max)
  }

  private mutating func wakeRested(at now: Int64) {
    for (id, priority) in resting.takeRested(at: now) {
      guard let lane = lanes[id] else { continue }
      // Under the time of the last that came: it is not what was asked for last.
      enqueue(id, lane: lane, priority: priority, at: lastArrival)
    }
  }

  private func hasRoom(_ lane: Lane) -> Bool {
    let local = activeByLane[.local, default: 0]
    guard lane != .local else { return local < Self.maximumLocal }
    let maximum = streaming.contains(lane) ? Self.maximumStreams : max(1, maximumPerHost)
    return active.count - local < max(1, maximumActive) && activeByLane[lane, default: 0] < maximum
  }

  private mutating func stopWaiting(_ id: FetchID, lane: Lane) {
    waiting[lane]?.remove(id)
    if waiting[lane]?.isEmpty == true { waiting[lane] = nil }
  }
}
