/// Which downloads run and which wait. Decides only; whoever asks does the work.
///
/// Only started downloads count against the bounds, so cancelling one that waits lets no further one start
/// (AF-D23). Files and data URLs each wait in a line of their own: neither a slow network nor a file that hangs
/// delays a data URL. Times in nanoseconds.
struct DownloadQueue {
  /// What shares a bound.
  enum Lane: Hashable {
    /// Files of this machine.
    case local
    /// Data URLs.
    case data
    case host(scheme: String, name: String, port: Int?)

    /// True if the downloads need no network.
    var isLocal: Bool { self == .local || self == .data }
  }

  /// A place in the order.
  struct Arrival {
    let number: UInt64
    let batch: UInt64
  }

  /// The downloads of one lane.
  private struct Host {
    var waiting = WaitingList<FetchID>()
    var active = 0
    /// Those that wait, run or rest.
    var count = 0
  }

  /// Local reads at once, of files and of data URLs each: one is read while the next is handed over.
  static let maximumLocal = 2
  /// Hosts that are kept although they have no downloads, as most programs ask few hosts again and again.
  static let keptHosts = 16
  /// Transfers at once over one HTTP/2 connection.
  static let maximumStreams = 100

  /// What comes sooner after another is asked for at once with it: less than a frame, more than a screen takes.
  private static let batchGap: Int64 = 5_000_000

  /// A bound below 1 counts as 1.
  var maximumActive = 6
  /// Of a server that does not speak HTTP/2.
  var maximumPerHost = 4 {
    didSet { refreshAll() }
  }
  var order: Prioritization {
    get { ready.order }
    set {
      ready.order = newValue
      refreshAll()
    }
  }
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
  /// The numbers of the lanes that need no network, in the order of `local`.
  private static let fileNumber = -1
  private static let dataNumber = -2
  /// The downloads of files and of data URLs.
  private var local = [Host(), Host()]
  /// Hosts with downloads, and up to `keptHosts` others.
  private var hosts = LaneTable<Host>()
  /// Hosts that may start a download now.
  private var ready = LaneHeap(order: .fifo)
  /// Hosts that could start a download if they were not left alone.
  private var leftAlone: Set<Int> = []
  /// The number of each download's host; negative for those that need no network.
  private var lanes = LoadTable<Fetch, Int>()
  private var active: Set<FetchID> = []
  /// Servers that have spoken HTTP/2.
  private var streaming = RecentLanes()
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
    if lanes[id] != nil { forget(id) }
    let number = number(of: lane)
    if number < 0 { local[-1 - number].count += 1 } else { hosts[number].count += 1 }
    return enqueue(
      id, in: number, priority: priority, notBefore: earliest, arrival: arrival, at: now)
  }

  private mutating func enqueue(
    _ id: FetchID, in lane: Int, priority: ImageRequest.Priority, notBefore earliest: Int64 = .min,
    arrival: Arrival? = nil, at now: Int64
  ) -> Arrival? {
    lanes[id] = lane
    if earliest > .min {
      resting.insert(id, priority: priority, until: earliest)
      return nil
    }
    let arrival = arrival ?? nextArrival(at: now)
    change(lane) {
      $0.waiting.append(id, priority: priority, number: arrival.number, batch: arrival.batch)
    }
    return arrival
  }

  /// Returns the position behind all downloads added so far.
  mutating func nextArrival(at now: Int64) -> Arrival {
    lastNumber += 1
    if now.subtractingReportingOverflow(lastArrival).partialValue > Self.batchGap { lastBatch += 1 }
    lastArrival = now
    return Arrival(number: lastNumber, batch: lastBatch)
  }

  /// The download to start now, which counts as started from here on; nil if there is none or no room.
  ///
  /// O(log n) for n hosts with waiting downloads, plus O(k) for the k of them whose servers have asked for a pause.
  mutating func startNext(at now: Int64 = 0) -> FetchID? {
    wakeRested(at: now)
    guard !isSuspended else { return nil }
    var best: (lane: Int, head: WaitingList<FetchID>.Head)?
    func offer(_ next: (lane: Int, head: WaitingList<FetchID>.Head)) {
      if best.map({ next.head.goes(before: $0.head, in: order) }) ?? true { best = next }
    }
    let order = order
    for index in local.indices where local[index].active < Self.maximumLocal {
      local[index].waiting.head(order).map { offer((-1 - index, $0)) }
    }
    if hasRoomForNetwork, bucket?.nextToken(at: now).map({ $0 <= now }) ?? (bucket == nil) {
      ready.first.map(offer)
      openedAgain(at: now).forEach(offer)
    }
    guard let best else { return nil }
    let id = best.head.item
    active.insert(id)
    if best.lane >= 0 { backOff.started(id, lane: hosts.lane(best.lane)) }
    change(best.lane) {
      $0.waiting.remove(id)
      $0.active += 1
    }
    return id
  }

  /// Returns the next downloads of hosts whose pause is over.
  private mutating func openedAgain(at now: Int64) -> [(lane: Int, head: WaitingList<FetchID>.Head)] {
    guard !leftAlone.isEmpty else { return [] }
    return leftAlone.compactMap { lane in
      guard let opening = backOff.opening(of: hosts.lane(lane), at: now), opening <= now else { return nil }
      return head(of: lane).map { (lane, $0) }
    }
  }

  /// The next download of a host.
  private mutating func head(of lane: Int) -> WaitingList<FetchID>.Head? {
    let order = order
    return hosts[lane].waiting.head(order)
  }

  /// When `startNext` may find something that it does not find now, if nothing else happens until then; nil for never.
  mutating func nextChange(after now: Int64) -> Int64? {
    guard !isSuspended else { return nil }
    var next: Int64?
    func offer(_ time: Int64) {
      if time > now { next = min(next ?? time, time) }
    }
    resting.next.map(offer)
    if hasRoomForNetwork, let token = bucket == nil ? now : bucket?.nextToken(at: now) {
      if ready.first != nil { offer(token) }
      for lane in leftAlone { backOff.opening(of: hosts.lane(lane), at: now).map { offer(max($0, token)) } }
    }
    return next
  }

  /// Forgets a download that is not wanted any more, started or not. One that was has been started in vain.
  mutating func remove(_ id: FetchID, at now: Int64 = 0) {
    if active.contains(id), lanes[id].map({ $0 >= 0 }) == true { bucket?.take(at: now) }
    forget(id)
  }

  /// The number of HTTP/2 servers that are remembered while they have no running download.
  static let rememberedServers = 256

  private mutating func noteStreaming(_ lane: Lane) {
    streaming.insert(lane)
  }

  /// The number of hosts without a download for which something is remembered, for tests.
  var rememberedCount: Int { streaming.count + backOff.count }

  private mutating func forget(_ id: FetchID) {
    guard let lane = lanes.removeValue(forKey: id) else { return }
    if lane >= 0 { backOff.ended(id, lane: hosts.lane(lane)) }
    let wasActive = active.remove(id) != nil
    if !wasActive { resting.remove(id) }
    change(lane) {
      if wasActive { $0.active -= 1 } else { $0.waiting.remove(id) }
      $0.count -= 1
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
    guard let number = lanes[id], active.contains(id) else { return }
    if number >= 0 {
      let lane = hosts.lane(number)
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
    _ = enqueue(id, in: lane, priority: priority, at: now)
  }

  /// The network is another one: no server is left alone, and nothing rests any longer.
  mutating func networkReturned() {
    backOff.removeAll()
    for lane in leftAlone { refresh(lane) }
    wakeRested(at: .max)
  }

  private mutating func wakeRested(at now: Int64) {
    for (id, priority) in resting.takeRested(at: now) {
      guard let lane = lanes[id] else { continue }
      // Under the time of the last that came: it is not what was asked for last.
      _ = enqueue(id, in: lane, priority: priority, at: lastArrival)
    }
  }

  // MARK: Hosts

  /// True if the limit of network downloads allows another one to start.
  private var hasRoomForNetwork: Bool {
    active.count - local[0].active - local[1].active < max(1, maximumActive)
  }

  /// Returns the number of downloads from a host that may run at once.
  private func maximum(of lane: Lane) -> Int {
    streaming.contains(lane) ? Self.maximumStreams : max(1, maximumPerHost)
  }

  /// Returns the number of a lane, and inserts the lane if it is new.
  private mutating func number(of lane: Lane) -> Int {
    switch lane {
    case .local: return Self.fileNumber
    case .data: return Self.dataNumber
    case .host: break
    }
    return hosts.number(of: lane) ?? hosts.insert(lane, Host())
  }

  /// Changes the downloads of a lane.
  private mutating func change(_ lane: Int, _ change: (inout Host) -> Void) {
    guard lane >= 0 else { return change(&local[-1 - lane]) }
    change(&hosts[lane])
    refresh(lane)
  }

  private mutating func refreshAll() {
    for lane in hosts.all { refresh(lane) }
  }

  /// Moves a host to the hosts that may start a download, to the paused hosts, or to neither.
  private mutating func refresh(_ lane: Int) {
    let name = hosts.lane(lane)
    var head: WaitingList<FetchID>.Head?
    if hosts[lane].active < maximum(of: name) {
      let order = order
      head = hosts[lane].waiting.head(order)
    }
    let isLeftAlone = head != nil && backOff.isLeftAlone(name)
    ready.set(isLeftAlone ? nil : head, for: lane)
    if isLeftAlone {
      leftAlone.insert(lane)
    } else if !leftAlone.isEmpty {
      leftAlone.remove(lane)
      if leftAlone.isEmpty { leftAlone = [] }
    }
    if hosts[lane].count == 0, hosts.count > Self.keptHosts { hosts.remove(lane) }
  }

  /// The number of hosts for which something is remembered.
  var rememberedHosts: Int { hosts.count + streaming.count + backOff.count + leftAlone.count }
}
