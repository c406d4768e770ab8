import VitrineConcurrency

/// The queue of disk changes that wait for the writer thread or are under way. Makes decisions only. Times are in
/// nanoseconds.
///
/// Changes are made one after the other, so that the last write wins. On a disk that hangs no change ends. Callers then
/// stop waiting, stores are dropped, and removals are made when the disk responds again.
struct DiskWrites {
  /// The maximum number of bytes of bodies that wait to be written. Further bodies are not stored. Bodies that wait for
  /// slots have a limit of their own; see `HeldStores`.
  static let unwrittenBytesLimit = 16 << 20
  /// The number of bytes of bodies above which the disk counts as behind. The rest of `unwrittenBytesLimit` is room for
  /// the downloads that are running at that time.
  static let backlogLimit = unwrittenBytesLimit / 4
  /// The number of seconds after which a change counts as hanging.
  static let limit = 10.0
  /// The number of seconds after which a change that visits all files counts as hanging: a removal of everything or a
  /// scan.
  static let longLimit = 60.0

  enum Kind {
    /// A store, which is dropped if the disk is too slow.
    case store(RequestIdentity, bytes: Int)
    /// The pixels of an image, which are dropped if the disk is too slow.
    case pixels(RequestIdentity, bytes: Int)
    /// An access to one response.
    case look(RequestIdentity)
    /// A scan of all files: a trim or a count.
    case scan
    /// A removal, which is made however late.
    case remove(RequestIdentity)
    case removeAll

    /// The same change, with a body that does not count towards `unwrittenBytesLimit`.
    var withoutBytes: Kind {
      if case .store(let identity, _) = self { .store(identity, bytes: 0) } else { self }
    }
  }

  enum Work: Equatable {
    case store(bytes: Int)
    case pixels(bytes: Int)
    case look
    case scan
    /// The removals of a batch.
    case removals
    case removeAll

    var bytes: Int {
      switch self {
      case .store(let bytes), .pixels(let bytes): bytes
      case .look, .scan, .removals, .removeAll: 0
      }
    }
    /// True if the change is made only while no other change waits.
    var isPostponed: Bool { if case .pixels = self { true } else { false } }
    /// True if the change is dropped when the disk hangs.
    var isDroppable: Bool { self != .removals && self != .removeAll }
    /// The number of seconds after which the change counts as hanging.
    var limit: Double { self == .scan || self == .removeAll ? DiskWrites.longLimit : DiskWrites.limit }
  }

  enum Admission {
    /// The change is new. `dropped` are the numbers of earlier changes that the new change replaces.
    case queued(number: UInt64, Work, dropped: [UInt64] = [])
    /// A waiting change includes this one.
    case joined
    /// `isFirst` is true if the previous store was admitted.
    case refused(isFirst: Bool)
  }

  /// A function that is called once with the result of a change.
  typealias Completion = @Sendable (Bool) -> Void

  private struct Change {
    let work: Work
    var completions: [Completion] = []
  }

  private var changes: [UInt64: Change] = [:]
  private var removals = DiskRemovals()
  private var running: (number: UInt64, end: Int64)?
  private var last: UInt64 = 0
  /// The number of bytes of bodies that wait to be written.
  private var unwrittenBytes = 0
  /// The number of bytes of pixels that wait to be written. Bodies and pixels have a limit each, because pixels are
  /// written only while no body waits.
  private var unwrittenPixelBytes = 0
  /// True to admit every change of a disk that responds, and to let each take `longLimit`.
  private let keepsAll: Bool
  private var isRefusing = false
  private var hasBacklog = false
  /// True while a change that was given up has not returned.
  private(set) var isHanging = false

  /// - Parameter keepsAll: True if the caller bounds the number of bytes that wait; see
  ///   `ImageDownloader.Configuration.Memory.keepsUnwritten`.
  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// True if no change is to be waited for.
  var isIdle: Bool { changes.isEmpty || isHanging }

  /// True if a response is being removed or will be, so that lookups must not find the response.
  func isRemoving(_ identity: RequestIdentity) -> Bool { removals.contain(identity) }

  /// True if the disk is slower than the network: from the time at which more than `backlogLimit` bytes of bodies wait
  /// until no more than half of `backlogLimit` are left. Always false if the disk hangs, and with `keepsAll`.
  var isBehind: Bool { hasBacklog && !isHanging }

  /// The number of changes that wait or are under way.
  var count: Int { changes.count }

  // MARK: Changes

  /// Adds a change. The completion handler is kept until the change ends. If the disk hangs (`isHanging`), the handler
  /// is dropped, and the caller does not wait.
  mutating func admit(_ kind: Kind, _ completion: Completion?) -> Admission {
    let completion = isHanging ? nil : completion
    switch kind {
    case .store(let identity, let bytes):
      guard !isHanging, hasRoom(forBytes: bytes, besides: unwrittenBytes) else {
        defer { isRefusing = true }
        return .refused(isFirst: !isRefusing && !isHanging)
      }
      isRefusing = false
      removals.noteStore(of: identity)
      return add(.store(bytes: bytes), completion)
    case .pixels(_, let bytes):
      guard !isHanging, hasRoom(forBytes: bytes, besides: unwrittenPixelBytes) else {
        return .refused(isFirst: false)
      }
      return add(.pixels(bytes: bytes), completion)
    case .look: return isHanging ? .refused(isFirst: false) : add(.look, completion)
    case .scan: return isHanging ? .refused(isFirst: false) : add(.scan, completion)
    case .remove(let identity): return admitRemoval(of: identity, completion)
    case .removeAll:
      removals.all += 1
      return add(.removeAll, completion)
    }
  }

  private func hasRoom(forBytes bytes: Int, besides waiting: Int) -> Bool {
    keepsAll || bytes == 0 || waiting == 0 || waiting + bytes <= Self.unwrittenBytesLimit
  }

  /// Notes that changes with earlier numbers follow the changes so far. Later removals then join none of these.
  mutating func noteDelayedChanges() { last += 1 }

  private mutating func add(_ work: Work, _ completion: Completion?) -> Admission {
    last += 1
    count(work.bytes, of: work)
    changes[last] = Change(work: work, completions: completion.map { [$0] } ?? [])
    return .queued(number: last, work)
  }

  private mutating func count(_ bytes: Int, of work: Work) {
    guard !work.isPostponed else {
      unwrittenPixelBytes += bytes
      return
    }
    unwrittenBytes += bytes
    hasBacklog = !keepsAll && unwrittenBytes > (hasBacklog ? Self.backlogLimit / 2 : Self.backlogLimit)
  }

  private mutating func admitRemoval(of identity: RequestIdentity, _ completion: Completion?) -> Admission {
    if changes[last]?.work == .removeAll, running?.number != last {
      if let completion { changes[last]?.completions.append(completion) }
      return .joined
    }
    if removals.join(identity, completion, last: last) { return .joined }
    guard removals.areFull(with: identity) else {
      let admission = add(.removals, nil)
      removals.add(identity, completion, to: last)
      return admission
    }
    // Too many removals wait for a disk that hangs. A removal that is forgotten would let a later run of the program
    // show an image that its server has withdrawn, so everything is removed instead.
    let (dropped, completions) = removals.dropWaiting()
    for number in dropped { changes[number] = nil }
    removals.all += 1
    _ = add(.removeAll, completion)
    changes[last]?.completions += completions
    return .queued(number: last, .removeAll, dropped: dropped)
  }

  /// Begins a change. Returns the time at which to call `takeOverdue`; `nil` for a change that was dropped.
  mutating func begin(_ number: UInt64, at now: Int64) -> Int64? {
    guard let change = changes[number] else { return nil }
    removals.begin(number)
    let end = now.advanced(bySeconds: keepsAll ? Self.longLimit : change.work.limit)
    running = (number, end)
    return end
  }

  /// Returns the next response that a batch removes, or `nil` at the end of the batch.
  mutating func nextRemoval(of number: UInt64) -> RequestIdentity? { removals.next(of: number) }

  /// Ends one removal of a batch. Returns the completion handlers, unless these have been called already.
  mutating func removed(_ identity: RequestIdentity, of number: UInt64, at now: Int64) -> [Completion] {
    // The time limit applies to each removal of a batch.
    if running?.number == number {
      running?.end = now.advanced(bySeconds: keepsAll ? Self.longLimit : Self.limit)
    }
    return removals.end(identity, of: number)
  }

  /// Ends a change. Returns the completion handlers, unless these have been called already.
  mutating func end(_ number: UInt64) -> [Completion] {
    guard let change = changes.removeValue(forKey: number) else { return [] }
    count(-change.work.bytes, of: change.work)
    if change.work == .removeAll { removals.all -= 1 }
    removals.endBatch(number)
    if running?.number == number {
      running = nil
      isHanging = false
    }
    return change.completions
  }

  /// The consequences of a change that takes too long.
  struct Overdue {
    var dropped: [UInt64] = []
    /// The completion handlers to call with false.
    var completions: [Completion] = []
    /// The time to check again; `nil` if the disk hangs or no change is under way.
    var next: Int64?
    /// True if the disk has begun to hang.
    var isNew = false
  }

  /// Gives up changes because the change under way takes too long.
  mutating func takeOverdue(at now: Int64) -> Overdue {
    guard let running, !isHanging else { return Overdue() }
    guard now >= running.end else { return Overdue(next: running.end) }
    isHanging = true
    var overdue = Overdue(isNew: true)
    for (number, change) in changes.sorted(by: { $0.key < $1.key }) {
      overdue.completions += change.completions
      changes[number]?.completions = []
      guard number != running.number, change.work.isDroppable else { continue }
      overdue.dropped.append(number)
      changes[number] = nil
      count(-change.work.bytes, of: change.work)
    }
    overdue.completions += removals.takeCompletions()
    return overdue
  }
}
