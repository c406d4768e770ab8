/// Which downloads run and which wait. Decides only; whoever asks does the work.
///
/// Only started downloads count against the bounds, so cancelling one that waits lets no further one start
/// (AF-D23). Files and data URLs wait in a line of their own: a slow network never holds them up.
struct DownloadQueue {
  /// What shares a bound.
  enum Lane: Hashable {
    case local
    case host(scheme: String, name: String, port: Int?)
  }

  /// Local reads at once: one is read while the next is handed over.
  static let maximumLocal = 2

  /// A bound below 1 counts as 1.
  var maximumActive = 6
  var maximumPerHost = 4
  var order = Prioritization.fifo

  private var waiting: [Lane: WaitingList<FetchID>] = [:]
  private var lanes: [FetchID: Lane] = [:]
  private var active: Set<FetchID> = []
  private var activeByLane: [Lane: Int] = [:]
  private var lastNumber: UInt64 = 0

  /// Downloads that have started, in all lanes.
  var activeCount: Int { active.count }
  var waitingCount: Int { lanes.count - active.count }

  mutating func enqueue(_ id: FetchID, lane: Lane, priority: ImageRequest.Priority) {
    lastNumber += 1
    lanes[id] = lane
    waiting[lane, default: WaitingList()].append(id, priority: priority, number: lastNumber)
  }

  /// The download to start now, which counts as started from here on; nil if there is none or no room.
  ///
  /// O(hosts that wait).
  mutating func startNext() -> FetchID? {
    var best: (lane: Lane, head: WaitingList<FetchID>.Head)?
    for lane in waiting.keys where hasRoom(lane) {
      guard let head = waiting[lane]?.head(order) else { continue }
      if let known = best, !isBefore(head, known.head) { continue }
      best = (lane, head)
    }
    guard let best else { return nil }
    stopWaiting(best.head.item, lane: best.lane)
    active.insert(best.head.item)
    activeByLane[best.lane, default: 0] += 1
    return best.head.item
  }

  /// Forgets a download that has ended or is not wanted any more, started or not.
  mutating func remove(_ id: FetchID) {
    guard let lane = lanes.removeValue(forKey: id) else { return }
    if active.remove(id) != nil {
      let count = activeByLane[lane, default: 1] - 1
      activeByLane[lane] = count == 0 ? nil : count
    } else {
      stopWaiting(id, lane: lane)
    }
  }

  /// Moves a waiting download to the end of another priority's line; one that runs is left alone.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID) {
    guard let lane = lanes[id], !active.contains(id) else { return }
    enqueue(id, lane: lane, priority: priority)
  }

  private func hasRoom(_ lane: Lane) -> Bool {
    let local = activeByLane[.local, default: 0]
    guard lane != .local else { return local < Self.maximumLocal }
    return active.count - local < max(1, maximumActive)
      && activeByLane[lane, default: 0] < max(1, maximumPerHost)
  }

  private func isBefore(_ a: WaitingList<FetchID>.Head, _ b: WaitingList<FetchID>.Head) -> Bool {
    guard a.priority == b.priority else { return a.priority > b.priority }
    return order == .fifo ? a.number < b.number : a.number > b.number
  }

  private mutating func stopWaiting(_ id: FetchID, lane: Lane) {
    waiting[lane]?.remove(id)
    if waiting[lane]?.isEmpty == true { waiting[lane] = nil }
  }
}
