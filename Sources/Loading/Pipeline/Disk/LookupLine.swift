import VitrineConcurrency
import VitrineGraphics

/// The queue of disk lookups that wait, run, or are so late that the network request has started. Makes decisions
/// only. Times are in nanoseconds.
///
/// A slow disk blocks the thread that reads it. Another lookup may then begin while the late one is still running. If
/// four are late, further lookups wait until one returns, and the network goes ahead at once. When all late lookups have
/// run for `limit`, the disk hangs: further lookups are misses at once until one returns.
struct LookupLine {
  /// The default of `init(deadline:)`, and the smallest deadline.
  static let deadline = 0.5
  /// The number of seconds after which a lookup that is running is given up.
  static let limit = 10.0
  /// The number of late lookups at which no further lookup begins.
  static let maximumLate = 4
  /// The maximum number of threads: those for lookups in time, and those blocked by late lookups.
  static let threads = DownloadQueue.maximumLocal + maximumLate

  private struct Running {
    let began: Int64
    var isLate = false
    /// True if the lookup was given up after `limit`.
    var isLost = false
  }

  private let deadline: Double
  /// The queue of waiting lookups, all in one lane.
  private var queue = DownloadQueue()
  private var waiting: Set<FetchID> = []
  private var patience = LookupPatience()
  private var running: [FetchID: Running] = [:]
  private var lateCount = 0

  /// - Parameter deadline: The number of seconds after the start at which a lookup is late; also the number of seconds for
  ///   which a lookup may wait for a slow disk before the network goes ahead. From 0.5 to 9.5: a lookup that is given up
  ///   has been late before.
  init(deadline: Double = Self.deadline) {
    self.deadline = min(Self.limit - Self.deadline, max(Self.deadline, deadline))
  }

  /// True if so many lookups are late that further ones wait.
  var isBlocked: Bool { lateCount >= Self.maximumLate }

  /// True if `isBlocked`, and all late lookups were given up, so that further ones are misses at once.
  var isHanging: Bool { isBlocked && running.values.allSatisfy { $0.isLost || !$0.isLate } }

  var hasLate: Bool { lateCount > 0 }

  /// True if only late lookups are running, which may never return.
  var isIdle: Bool { running.count == lateCount }

  // MARK: Inputs

  /// Adds a lookup. A lookup that waits already moves to this position, and is overdue after `deadline` at the latest.
  ///
  /// - Parameter arrival: The position among all downloads.
  mutating func enqueue(
    _ id: FetchID, priority: ImageRequest.Priority, arrival: DownloadQueue.Arrival, at now: Int64
  ) {
    waiting.insert(id)
    patience.add(id, at: now, limit: deadline)
    queue.enqueue(id, lane: .local, priority: priority, arrival: arrival)
  }

  /// Moves a waiting lookup to the end of the queue for another priority.
  ///
  /// - Parameter arrival: The position among all downloads.
  mutating func setPriority(
    _ priority: ImageRequest.Priority, of id: FetchID, arrival: DownloadQueue.Arrival
  ) {
    if isWaiting(id) { queue.enqueue(id, lane: .local, priority: priority, arrival: arrival) }
  }

  var hasWaiting: Bool { !waiting.isEmpty }

  func isWaiting(_ id: FetchID) -> Bool { waiting.contains(id) }

  /// True if a lookup runs, perhaps late.
  func isRunning(_ id: FetchID) -> Bool { running[id] != nil }

  /// True if the disk may still find something: the lookup waits, or runs and is not given up.
  func isPending(_ id: FetchID) -> Bool { waiting.contains(id) || running[id]?.isLost == false }

  /// Notes whether lookups wait for another reason than the disk: all downloads are suspended, or too many bytes wait
  /// to be decoded. That time does not count against the disk.
  mutating func setStopped(_ isStopped: Bool, at now: Int64) { patience.setStopped(isStopped, at: now) }

  /// Returns the next lookup, which counts as running unless the disk hangs; `nil` if none may begin.
  mutating func startNext(_ order: Prioritization, isSuspended: Bool, at now: Int64) -> FetchID? {
    guard !waiting.isEmpty, !isBlocked || isHanging else { return nil }
    queue.order = order
    queue.isSuspended = isSuspended
    guard let id = queue.startNext(at: now) else { return nil }
    waiting.remove(id)
    if isHanging { queue.ended(id) } else { running[id] = Running(began: now) }
    return id
  }

  /// Removes a lookup that is no longer needed. A running lookup keeps its place until it returns or is late.
  mutating func leave(_ id: FetchID) { if waiting.remove(id) != nil { queue.remove(id) } }

  /// Removes a lookup that has returned, or was withdrawn before its thread has begun.
  mutating func ended(_ id: FetchID) {
    guard let look = running.removeValue(forKey: id) else { return }
    if look.isLate { lateCount -= 1 } else { queue.ended(id) }
  }

  // MARK: Fetches

  /// Begins the lookup of a fetch, or reports a miss if the disk hangs. Returns the error with which the fetch fails, if
  /// the fetch cannot wait for the server either.
  mutating func begin(_ id: FetchID, in loads: inout Loads, _ disk: inout DiskPlan) -> ImageError? {
    guard let fetch = loads.tree[id] else {
      ended(id)
      return nil
    }
    disk.leaveLookups(id)
    if disk[id].isLate {
      // The download was queued without waiting for this lookup.
      switch fetch.phase {
      case .received:
        ended(id)
        return nil
      case .lookingUp where isHanging: return giveUp(id, in: &loads, &disk)
      case .idle, .running, .lookingUp: if isHanging { return nil }
      }
    } else {
      loads.tree.setPhase(.lookingUp, of: id)
    }
    loads.actions.append(
      isHanging ? .skipLookup(id) : .lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    return nil
  }

  /// Gives up the lookups that are late. Returns the fetches that fail, because they cannot wait for a server instead.
  mutating func giveUp(
    in loads: inout Loads, _ disk: inout DiskPlan
  ) -> [(fetch: FetchID, error: ImageError)] {
    for id in takeLate(at: loads.now) {
      guard case .lookingUp? = loads.tree[id]?.phase, !loads.tree.isCacheOnly(id),
        disk[id].serverError == nil
      else { continue }
      loads.actions.append(.skipLookup(id))
    }
    for id in takeOverdue(at: loads.now) where loads.tree[id] != nil && !loads.tree.isCacheOnly(id) {
      loads.actions.append(.skipLookup(id))
    }
    var failed: [(fetch: FetchID, error: ImageError)] = []
    for id in takeLost(at: loads.now) {
      guard case .lookingUp = loads.tree[id]?.phase, let error = giveUp(id, in: &loads, &disk) else {
        continue
      }
      failed.append((id, error))
    }
    return failed
  }

  /// Gives up a lookup that does not return. Returns the error with which the fetch fails; `nil` if the fetch can wait
  /// for the server instead.
  private func giveUp(_ id: FetchID, in loads: inout Loads, _ disk: inout DiskPlan) -> ImageError? {
    let isCacheOnly = loads.tree[id]?.isCacheOnly ?? false
    guard let error = disk.takeServerError(id) ?? (isCacheOnly ? .notCached : nil) else { return nil }
    loads.tree.setPhase(.idle, of: id)
    return error
  }

  /// Makes a fetch whose server has failed wait for the late lookup. Returns false if there is none, or if the stored
  /// response may not be shown instead.
  func waits(
    for id: FetchID, because error: ImageError, in loads: inout Loads, _ disk: inout DiskPlan
  ) -> Bool {
    guard isPending(id), !loads.tree.isProbe(id), disk.waitsForLookup(id, because: error) else {
      return false
    }
    loads.tree.setPhase(.lookingUp, of: id)
    return true
  }

  // MARK: Outputs

  /// Returns the lookups that have waited too long for the disk to begin, or, if `isBlocked`, have waited at all. The
  /// lookups stay in the queue.
  mutating func takeOverdue(at now: Int64) -> [FetchID] {
    patience.isEmpty ? [] : patience.takeOverdue(at: isBlocked ? .max : now) { waiting.contains($0) }
  }

  /// Returns the lookups that have become late.
  mutating func takeLate(at now: Int64) -> [FetchID] {
    guard !running.isEmpty else { return [] }
    let late = running.filter { !$0.value.isLate && now >= $0.value.began.advanced(bySeconds: deadline) }
    for id in late.keys {
      running[id]?.isLate = true
      lateCount += 1
      queue.ended(id)
    }
    return late.keys.sorted()
  }

  /// Returns the lookups that have passed `limit`; their callers stop waiting.
  mutating func takeLost(at now: Int64) -> [FetchID] {
    guard !running.isEmpty else { return [] }
    let lost = running.filter { !$0.value.isLost && now >= $0.value.began.advanced(bySeconds: Self.limit) }
    for id in lost.keys { running[id]?.isLost = true }
    return lost.keys.sorted()
  }

  /// The next time at which `takeLate`, `takeLost` or `takeOverdue` may return a lookup.
  var nextChange: Int64? {
    mutating get {
      guard !running.isEmpty || !patience.isEmpty else { return nil }
      let change = running.values.lazy.compactMap { [deadline] look in
        if !look.isLate { return look.began.advanced(bySeconds: deadline) }
        return look.isLost ? nil : look.began.advanced(bySeconds: Self.limit)
      }.min()
      guard let end = patience.next({ waiting.contains($0) }) else { return change }
      return min(change ?? .max, end)
    }
  }
}
