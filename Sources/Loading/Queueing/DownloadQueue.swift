import FoundationEssentials
import VitrineConcurrency
import VitrineGraphics

/// Decides which downloads run and which wait. Starts and stops nothing itself.
///
/// Only started downloads count against the limits, so cancelling a waiting download starts no other. Files and data
/// URLs each have a lane of their own: neither a slow network nor a file that hangs delays a data URL. Times are in
/// nanoseconds.
struct DownloadQueue {
  /// A group of downloads that share a limit.
  enum Lane: Hashable {
    /// Files on this machine.
    case local
    /// Data URLs.
    case data
    case host(scheme: String, name: String, port: Int?)

    /// True if the downloads need no network.
    var isLocal: Bool { self == .local || self == .data }
  }

  /// The position of a download in the order of arrival.
  struct Arrival: Equatable {
    /// The difference between the numbers of two downloads that arrive one after the other. The numbers between them are
    /// for downloads that return to their positions: `WaitingList` takes no number twice.
    static let step: UInt64 = 256

    let number: UInt64
    let batch: UInt64

    /// The position of a download that has left the queue and returns to its place; nil after 255 times.
    var again: Arrival? {
      (number + 1).isMultiple(of: Self.step) ? nil : Arrival(number: number + 1, batch: batch)
    }
  }

  /// The downloads of one lane.
  private struct Host {
    var waiting = WaitingList<FetchID>()
    var active = 0
    /// The number of downloads that wait, run or are delayed before a retry.
    var count = 0
    /// True if the server is in `streaming`, where a lookup would hash its name.
    var speaksHTTP2 = false
  }

  /// A download that waits or has started.
  private struct Download {
    /// The number of its lane; negative for files and data URLs.
    let lane: Int
    /// True if the download has started.
    var isActive = false
  }

  /// The maximum number of concurrent reads, of files and of data URLs each: one is read while the next is handed over.
  static let maximumLocal = 2
  /// The number of hosts that are kept without downloads, because most programs ask few hosts again and again.
  static let maximumIdleHosts = 16
  /// The maximum number of concurrent transfers over one HTTP/2 connection.
  static let maximumStreams = 100

  /// The largest gap in nanoseconds between downloads of a batch: shorter than a frame, and longer than a screen needs
  /// between its requests.
  private static let batchGap: Int64 = 5_000_000

  /// The maximum number of started network downloads; below 1 counts as 1.
  var maximumActive = 6
  /// The maximum number of started downloads from a server that does not speak HTTP/2; below 1 counts as 1.
  var maximumPerHost = 4 { didSet { refreshAll() } }
  var order: Prioritization {
    get { ready.order }
    set {
      ready.order = newValue
      refreshAll()
    }
  }
  /// True to start no download.
  var isSuspended = false
  /// The rate limit for cancelled downloads; nil for none.
  var rateLimit: RateLimit? {
    get { bucket?.limit }
    set {
      guard let newValue else { return bucket = nil }
      if bucket == nil { bucket = TokenBucket(newValue) } else { bucket?.limit = newValue }
    }
  }
  var backOff = HostBackOff()

  private var bucket: TokenBucket?
  /// The numbers of the lanes of files and data URLs, in the order of `local`.
  private static let fileNumber = -1
  private static let dataNumber = -2
  /// The downloads of files and of data URLs.
  private var local = [Host(), Host()]
  /// Hosts with downloads, and up to `maximumIdleHosts` others.
  private var hosts = LaneTable(vacant: Host())
  /// Hosts that may start a download now.
  private var ready = LaneHeap(order: .fifo)
  /// Hosts that are backing off and could otherwise start a download.
  private var lanesWithBackOff: Set<Int> = []
  private var downloads = LoadTable<FetchKind, Download>()
  /// Servers that have spoken HTTP/2.
  private var streaming = RecentMap<Lane, Void>()
  private var delayed = DelayedDownloads()
  private var lastNumber: UInt64 = 0
  private var lastBatch: UInt64 = 0
  private var lastArrival: Int64 = 0

  /// The number of started downloads in all lanes.
  private(set) var activeCount = 0
  /// The number of running downloads from servers.
  var activeNetworkCount: Int { activeCount - local[0].active - local[1].active }
  var waitingCount: Int { downloads.count - activeCount }

  /// True if a download waits or has started.
  func contains(_ id: FetchID) -> Bool { downloads[id] != nil }

  /// True if a download has started.
  func isActive(_ id: FetchID) -> Bool { downloads[id]?.isActive == true }

  /// Adds a download.
  ///
  /// - Parameters:
  ///   - earliest: The time before which the download is delayed; it joins the order of arrival after that time.
  ///   - arrival: The position from an earlier queue; nil for a new position.
  /// - Returns: The position; nil for a download that is delayed.
  @discardableResult
  mutating func enqueue(
    _ id: FetchID, lane: Lane, priority: ImageRequest.Priority, notBefore earliest: Int64 = .min,
    arrival: Arrival? = nil, at now: Int64 = 0
  ) -> Arrival? {
    if downloads[id] != nil { forget(id) }
    let number = number(of: lane)
    if number < 0 { local[-1 - number].count += 1 } else { hosts[number].count += 1 }
    return enqueue(id, in: number, priority: priority, notBefore: earliest, arrival: arrival, at: now)
  }

  private mutating func enqueue(
    _ id: FetchID, in lane: Int, priority: ImageRequest.Priority, notBefore earliest: Int64 = .min,
    arrival: Arrival? = nil, at now: Int64
  ) -> Arrival? {
    downloads[id] = Download(lane: lane)
    if earliest > .min {
      delayed.insert(id, priority: priority, until: earliest)
      return nil
    }
    let arrival = arrival ?? nextArrival(at: now)
    change(lane) {
      $0.waiting.append(id, priority: priority.rawValue, number: arrival.number, batch: arrival.batch)
    }
    return arrival
  }

  /// Returns a new position behind all others.
  mutating func nextArrival(at now: Int64) -> Arrival {
    lastNumber += Arrival.step
    if now.subtractingReportingOverflow(lastArrival).partialValue > Self.batchGap { lastBatch += 1 }
    lastArrival = now
    return Arrival(number: lastNumber, batch: lastBatch)
  }

  /// Returns the download to start now, and counts the download as started; nil if none waits or a limit is reached.
  ///
  /// O(log n) for n hosts with waiting downloads, plus O(k) for the k of these hosts that are backing off.
  ///
  /// - Parameter onlyLocal: True to start no download from a server.
  mutating func startNext(at now: Int64 = 0, onlyLocal: Bool = false) -> FetchID? {
    enqueueElapsed(at: now)
    guard !isSuspended else { return nil }
    let order = order
    var best: (lane: Int, head: WaitingList<FetchID>.Head)?
    for index in local.indices where local[index].active < Self.maximumLocal {
      best = Self.first(best, local[index].waiting.head(order).map { (-1 - index, $0) }, order)
    }
    if !onlyLocal, hasFreeNetworkSlot, bucket?.nextToken(at: now).map({ $0 <= now }) ?? (bucket == nil) {
      best = Self.first(best, ready.first, order)
      for next in reopenedHeads(at: now) { best = Self.first(best, next, order) }
    }
    guard let best else { return nil }
    let id = best.head.item
    downloads[id]?.isActive = true
    activeCount += 1
    if best.lane >= 0 { backOff.started(id, lane: hosts.lane(best.lane)) }
    change(best.lane) {
      $0.waiting.remove(id)
      $0.active += 1
    }
    return id
  }

  /// Returns the download that goes first, or `best` if neither goes before the other; `nil` if there is neither.
  private static func first(
    _ best: (lane: Int, head: WaitingList<FetchID>.Head)?,
    _ next: (lane: Int, head: WaitingList<FetchID>.Head)?, _ order: Prioritization
  ) -> (lane: Int, head: WaitingList<FetchID>.Head)? {
    guard let best, let next else { return best ?? next }
    return next.head.goes(before: best.head, in: order) ? next : best
  }

  /// Returns the downloads that wait for the server of a download that has started, at most `count`, in the order of
  /// their starts; none for a file or a data URL. O(count), plus O(n) for n recent changes of the waiting downloads.
  func waiting(behind id: FetchID, upTo count: Int) -> [FetchID] {
    guard let lane = downloads[id]?.lane, lane >= 0, !isSuspended else { return [] }
    return hosts[lane].waiting.prefix(count, order)
  }

  /// Returns the next download of each host whose pause is over.
  private mutating func reopenedHeads(at now: Int64) -> [(lane: Int, head: WaitingList<FetchID>.Head)] {
    guard !lanesWithBackOff.isEmpty else { return [] }
    return lanesWithBackOff.compactMap { lane in
      guard let opening = backOff.opening(of: hosts.lane(lane), at: now), opening <= now else { return nil }
      return head(of: lane).map { (lane, $0) }
    }
  }

  /// Returns the next download of a host.
  private mutating func head(of lane: Int) -> WaitingList<FetchID>.Head? {
    let order = order
    return hosts[lane].waiting.head(order)
  }

  /// Returns the time at which `startNext` may find a download without any further input; nil for never.
  mutating func nextChange(after now: Int64) -> Int64? {
    guard !isSuspended else { return nil }
    var next: Int64?
    func offer(_ time: Int64) { if time > now { next = min(next ?? time, time) } }
    delayed.next.map(offer)
    if hasFreeNetworkSlot, let token = bucket == nil ? now : bucket?.nextToken(at: now) {
      if ready.first != nil { offer(token) }
      for lane in lanesWithBackOff {
        backOff.opening(of: hosts.lane(lane), at: now).map { offer(max($0, token)) }
      }
    }
    return next
  }

  /// Removes a cancelled download. A started network download counts against the rate limit.
  mutating func remove(_ id: FetchID, at now: Int64 = 0) {
    if let download = downloads[id], download.isActive, download.lane >= 0 { bucket?.take(at: now) }
    forget(id)
  }

  /// The maximum number of remembered HTTP/2 servers.
  static let rememberedServers = 256

  private mutating func noteStreaming(_ number: Int) {
    streaming.insert((), for: hosts.lane(number))
    hosts[number].speaksHTTP2 = true
    guard streaming.count > Self.rememberedServers, let oldest = streaming.oldest?.key else { return }
    streaming.removeOldest()
    if let number = hosts.number(of: oldest) { hosts[number].speaksHTTP2 = false }
  }

  /// The number of remembered HTTP/2 servers and hosts that are backing off, for tests.
  var rememberedCount: Int { streaming.count + backOff.count }

  private mutating func forget(_ id: FetchID) {
    guard let download = downloads.removeValue(forKey: id) else { return }
    let (lane, wasActive) = (download.lane, download.isActive)
    if lane >= 0 { backOff.ended(id, lane: hosts.lane(lane)) }
    if wasActive { activeCount -= 1 } else { delayed.remove(id) }
    change(lane) {
      if wasActive { $0.active -= 1 } else { $0.waiting.remove(id) }
      $0.count -= 1
    }
  }

  /// Records the end of a started download that was not cancelled.
  ///
  /// - Parameters:
  ///   - status: The status of the response; nil without a response.
  ///   - retryAfter: The number of seconds for which the server has asked for a pause.
  ///   - speaksHTTP2: True if the response came over HTTP/2.
  ///   - random: A random number from 0 to 1, for the length of a pause.
  mutating func ended(
    _ id: FetchID, status: Int? = nil, retryAfter: Double? = nil, speaksHTTP2: Bool = false,
    random: @autoclosure () -> Double = 0, at now: Int64 = 0
  ) {
    guard let download = downloads[id], download.isActive else { return }
    let number = download.lane
    if number >= 0 {
      let lane = hosts.lane(number)
      if status != nil {
        backOff.responded(
          id, lane: lane, status: status, retryAfter: retryAfter, random: random(), at: now)
      }
      if speaksHTTP2 { noteStreaming(number) }
    }
    forget(id)
  }

  /// Moves a waiting download to the end of the line of another priority. A running download is unaffected.
  ///
  /// - Returns: The new position; nil for a download that does not wait, or is delayed.
  @discardableResult
  mutating func setPriority(
    _ priority: ImageRequest.Priority, of id: FetchID, at now: Int64 = 0
  ) -> Arrival? {
    guard let download = downloads[id], !download.isActive, !delayed.setPriority(priority, of: id) else {
      return nil
    }
    return enqueue(id, in: download.lane, priority: priority, at: now)
  }

  /// Ends all back-offs and delays, because the network has changed.
  mutating func networkReturned() {
    backOff.removeAll()
    for lane in lanesWithBackOff { refresh(lane) }
    enqueueElapsed(at: .max)
  }

  private mutating func enqueueElapsed(at now: Int64) {
    for (id, priority) in delayed.takeElapsed(at: now) {
      guard let lane = downloads[id]?.lane else { continue }
      // The time of the last arrival puts the download into the last batch instead of a new one.
      _ = enqueue(id, in: lane, priority: priority, at: lastArrival)
    }
  }

  // MARK: Hosts

  /// True if the limit of network downloads allows another one to start.
  private var hasFreeNetworkSlot: Bool { activeNetworkCount < max(1, maximumActive) }

  /// Returns the number of downloads from a host that may run at once.
  private func maximum(of lane: Int) -> Int {
    hosts[lane].speaksHTTP2 ? Self.maximumStreams : max(1, maximumPerHost)
  }

  /// Returns the number of a lane. Inserts the lane if it is unknown.
  private mutating func number(of lane: Lane) -> Int {
    switch lane {
    case .local: return Self.fileNumber
    case .data: return Self.dataNumber
    case .host: break
    }
    return hosts.number(of: lane) ?? hosts.insert(lane, Host(speaksHTTP2: streaming[lane] != nil))
  }

  private mutating func change(_ lane: Int, _ change: (inout Host) -> Void) {
    guard lane >= 0 else { return change(&local[-1 - lane]) }
    change(&hosts[lane])
    refresh(lane)
  }

  private mutating func refreshAll() { for lane in hosts.all { refresh(lane) } }

  /// Moves a host to the hosts that may start a download, to the hosts that are backing off, or to neither.
  private mutating func refresh(_ lane: Int) {
    var head: WaitingList<FetchID>.Head?
    if hosts[lane].active < maximum(of: lane) {
      let order = order
      head = hosts[lane].waiting.head(order)
    }
    let isBackingOff = head != nil && backOff.isBackingOff(hosts.lane(lane))
    ready.set(isBackingOff ? nil : head, for: lane)
    if isBackingOff {
      lanesWithBackOff.insert(lane)
    } else if !lanesWithBackOff.isEmpty {
      lanesWithBackOff.remove(lane)
      if lanesWithBackOff.isEmpty { lanesWithBackOff = [] }
    }
    if hosts[lane].count == 0, hosts.count > Self.maximumIdleHosts { hosts.remove(lane) }
  }

  /// The number of entries about hosts in all tables.
  var rememberedHosts: Int { hosts.count + streaming.count + backOff.count + lanesWithBackOff.count }
}

extension DownloadQueue.Lane {
  /// Creates the lane for downloads of `url`. Downloads from one server share a lane and its limit.
  init(_ url: URL) {
    self =
      url.isLocal
      ? url.isData ? .data : .local
      : .host(scheme: url.scheme ?? "", name: url.host()?.lowercased() ?? "", port: url.port)
  }
}

extension DownloadQueue {
  init(_ configuration: ImageDownloader.Configuration) {
    maximumActive = configuration.queue.maximumActiveDownloads
    maximumPerHost = configuration.queue.maximumActiveDownloadsPerHost
    order = configuration.queue.prioritization
    rateLimit = configuration.queue.rateLimit
    backOff.maximumPause = configuration.retries.maximumDelay
    backOff.maximumStatedPause = max(0, configuration.recovery.maximumRetryAfter)
  }
}
