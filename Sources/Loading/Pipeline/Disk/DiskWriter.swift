import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// Changes the disk cache on a thread of its own, one change after the other, so that the last write wins.
///
/// Stores wait for the images that slots are loading; see `HeldStores`. Every other change of a response follows the
/// stores of this response that were called before it. A removal, or a further store that waits, replaces a store that
/// waits.
///
/// On a disk that hangs, callers stop waiting, stores are dropped, and removals are made when the disk responds again;
/// see `DiskWrites`. Without a disk cache, every operation fails at once.
final class DiskWriter: Sendable {
  /// A change of the cache, made on the writer thread. Returns true if it was made.
  private typealias Job = @Sendable () -> Bool

  private struct State {
    var writes: DiskWrites
    var held: HeldStores
    /// The next time at which the running change is checked.
    var nextWake = NextWake()
    var waitingForIdle: [@Sendable () -> Void] = []
    /// The number of changes that have ended and whose completion handlers are being called.
    var completing = 0
    /// Called each time `DiskWriter.isBehind` has changed.
    var backlogChanged: (@Sendable () -> Void)?

    /// True if no change and no completion handler is to be waited for.
    var isIdle: Bool { writes.isIdle && completing == 0 || writes.isHanging }

    init(heldBytesLimit: Int, keepsAll: Bool) {
      writes = DiskWrites(keepsAll: keepsAll)
      held = HeldStores(bytesLimit: heldBytesLimit)
    }

    /// Returns true if a change is a store that waits for slots.
    func holdsStore(_ kind: DiskWrites.Kind, at now: Int64) -> Bool {
      guard waitingForIdle.isEmpty, case .store(let identity, let bytes) = kind else { return false }
      return held.holdsStore(of: identity, bytes: bytes, at: now)
    }

    /// Publishes whether the disk is behind. If this has changed, returns the function to call without the lock,
    /// otherwise `nil`.
    func publishBacklog(to behind: borrowing Atomic<Bool>) -> (@Sendable () -> Void)? {
      let isBehind = writes.isBehind
      return behind.exchange(isBehind, ordering: .acquiringAndReleasing) == isBehind ? nil : backlogChanged
    }

    mutating func takeIdleWaiters() -> [@Sendable () -> Void] {
      guard isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }
  }

  private let cache: (any ImageDataCache)?
  private let pixels: (any ImagePixelCache)?
  private let transports: TransportTable
  private let clock: any LoadingClock
  private let ledger: MemoryLedger
  private let thread = WorkerPool(threads: 1)
  private let state: Mutex<State>
  /// The published value of `DiskWrites.isBehind`, which is read without the lock.
  private let behind = Atomic(false)

  /// - Parameters:
  ///   - pixels: The pixel cache, from which pixels are removed together with their responses; nil if there is none.
  ///   - transports: The transports, whose trust settings keep stored responses apart.
  ///   - ledger: The ledger that counts the bodies. Stores do not wait for slots while more than half of its budget is
  ///     used.
  ///   - keepsAll: True to refuse no store while the disk responds; see `DiskWrites`.
  init(
    _ cache: (any ImageDataCache)?, pixels: (any ImagePixelCache)? = nil, transports: TransportTable,
    ledger: MemoryLedger = MemoryLedger(), keepsAll: Bool = false, clock: any LoadingClock
  ) {
    self.cache = cache
    self.pixels = pixels
    self.transports = transports
    self.ledger = ledger
    self.clock = clock
    state = Mutex(State(heldBytesLimit: HeldStores.bytesLimit(budget: ledger.budget), keepsAll: keepsAll))
    ledger.register(self, as: .bodies)
  }

  // MARK: Operations

  /// Stores a response, up to a second later if slots are loading images (see `SlotHold`). `completion` is called once,
  /// with false if the response was not written, for example because the disk is slower than the network.
  ///
  /// - Parameters:
  ///   - isBodyShared: True if the body stays in memory for other purposes, so that it is not worth copying.
  ///   - reservation: The reservation of the body, kept until the body is written.
  ///   - storing: Receives the digest of the body, for the pixels that are made from it; `nil` if none are stored.
  func store(
    _ response: StoredResponse, for identity: RequestIdentity, isBodyShared: Bool = false,
    keeping reservation: MemoryReservation?, storing: StoringSignal? = nil,
    completion: @escaping DiskWrites.Completion
  ) {
    let identity = transports.onDisk(identity)
    let kind = DiskWrites.Kind.store(identity, bytes: response.body.count)
    // The body is copied without the lock.
    let held = isBodyShared || !mayHold(kind) ? HeldResponse(response) : HeldResponse(moving: response)
    change(
      kind, storing: held,
      { cache in
        withExtendedLifetime(reservation) {
          guard let response = held.response else {
            Self.report("an image that waited for the disk could not be read from memory; it is not stored")
            return false
          }
          guard cache.store(response, for: identity) else { return false }
          storing?.noteStoredBody(cache.digest(of: response.body))
          return true
        }
      },
      completion: completion)
  }

  /// Replaces the head of a stored response whose body has this digest. If the cache cannot do that, stores the
  /// response again, unless the body is not in memory or the cache has another body by now. `completion` is called
  /// once, with false if the response was not written.
  ///
  /// - Parameter reservation: The reservation of the body, kept until the response is written.
  func update(
    _ response: StoredResponse, of digest: BodyDigest, for identity: RequestIdentity,
    keeping reservation: MemoryReservation?, completion: @escaping DiskWrites.Completion
  ) {
    let identity = transports.onDisk(identity)
    var head = response
    head.body = []
    change(
      .store(identity, bytes: response.body.count),
      { [head] cache in
        if cache.update(head, of: digest, for: identity) { return true }
        guard !response.body.isEmpty, cache.head(for: identity).map({ $0.body == digest }) ?? true else {
          return false
        }
        return withExtendedLifetime(reservation) { cache.store(response, for: identity) }
      }, completion: completion)
  }

  /// The number of bytes of pixels that are read from the disk in a second; 0 without a pixel cache.
  var pixelReadSpeed: Double { pixels?.readSpeed ?? 0 }

  /// Stores pixels when no other change waits, if the response from which they were made is still on disk.
  /// `completion` is called once, with false if the pixels could not be written. Pixels whose response is no longer on
  /// disk are not needed.
  func storePixels(
    _ image: Image, _ entry: PixelWrites.Entry, completion: @escaping DiskWrites.Completion
  ) {
    guard let pixelCache = self.pixels else { return completion(false) }
    let key = PixelKey(identity: transports.onDisk(entry.identity), variant: entry.variant)
    change(
      .pixels(key.identity, bytes: image.cost),
      { cache in
        guard let digest = entry.storedBody(digest: { cache.digest(of: $0) }),
          cache.head(for: key.identity)?.body == digest
        else { return true }
        return pixelCache.store(image, isAnimated: image.isAnimated, for: key, of: digest)
      }, completion: completion)
  }

  /// Records the head of a stored response for later lookups; see `HeadRecords`.
  ///
  /// - Parameter identity: The identity on disk.
  func recordHead(of identity: RequestIdentity) {
    change(
      .look(identity),
      { cache in
        (cache as? any HeadRecords)?.recordHead(for: identity)
        return true
      }, completion: nil)
  }

  /// Stores an incomplete response, which is dropped if the disk is slower than the network.
  ///
  /// - Parameters:
  ///   - reservation: The reservation of the body, kept until the body is written.
  ///   - isAtEnd: True at the end of the program, when no further bytes arrive. The response then waits for the disk,
  ///     however many bytes wait already.
  func storeIncomplete(
    _ response: StoredResponse, for identity: RequestIdentity, keeping reservation: MemoryReservation?,
    isAtEnd: Bool = false
  ) {
    let identity = transports.onDisk(identity)
    change(
      .store(identity, bytes: isAtEnd ? 0 : response.body.count),
      { cache in withExtendedLifetime(reservation) { cache.storeIncomplete(response, for: identity) } },
      completion: nil)
  }

  /// Removes the stored response of `identity`. Lookups that begin after this call do not find the response.
  func remove(_ identity: RequestIdentity, completion: DiskWrites.Completion? = nil) {
    change(.remove(transports.onDisk(identity)), completion: completion)
  }

  /// Removes all stored responses. Lookups that begin after this call do not find the responses.
  ///
  /// - Parameter completion: Receives true if there was a response.
  func removeAll(completion: @escaping DiskWrites.Completion) { change(.removeAll, completion: completion) }

  /// Removes all stored responses and reports progress.
  ///
  /// - Parameter completion: Receives true if none of the responses is left.
  func removeAll(
    progress: @escaping @Sendable (_ removed: Int, _ total: Int) -> Void,
    completion: @escaping DiskWrites.Completion
  ) {
    change(
      .removeAll,
      { [pixels] in
        pixels?.removeAllPixels()
        return $0.removeAllResponses(progress: progress)
      }, completion: completion)
  }

  /// Returns true if there is a response, after all earlier operations on it; false if the disk hangs.
  func contains(_ identity: RequestIdentity) async -> Bool {
    let identity = transports.onDisk(identity)
    return await access(.look(identity)) { $0.containsResponse(for: identity) } ?? false
  }

  /// Runs `work` on the writer thread after all earlier operations on the same responses. `completion` is called once
  /// with the result; with `nil` if there is no disk cache, too many operations wait, or the disk hangs.
  func access<Value: Sendable>(
    _ kind: DiskWrites.Kind, _ work: @escaping @Sendable (any ImageDataCache) -> Value,
    completion: @escaping @Sendable (Value?) -> Void
  ) {
    let result = Shared<Value?>(nil)
    change(kind) { cache in
      let value = work(cache)
      result.withLock { $0 = value }
      return true
    } completion: { isDone in
      completion(isDone ? result.withLock { $0 } : nil)
    }
  }

  /// Runs `work` on the writer thread after all earlier operations on the same responses. Returns the result, or `nil` if
  /// there is no disk cache, too many operations wait, or the disk hangs.
  func access<Value: Sendable>(
    _ kind: DiskWrites.Kind, _ work: @escaping @Sendable (any ImageDataCache) -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      access(kind, work) { continuation.resume(returning: $0) }
    }
  }

  /// True if a response is being removed or will be, so that lookups must not find the response.
  ///
  /// - Parameter identity: The identity on disk.
  func isRemoving(_ identity: RequestIdentity) -> Bool {
    state.withLock { $0.writes.isRemoving(identity) }
  }

  /// True if no change is pending and all completion handlers have returned, or if the disk hangs.
  var isIdle: Bool { state.withLock { $0.isIdle } }

  /// True if a change is pending that does not wait for slots, or a completion handler is running.
  var isBusy: Bool { state.withLock { !$0.isIdle && $0.writes.count + $0.completing > $0.held.waitingCount } }

  /// Calls `body` once `isIdle` is true, which may be at once. Until then, stores do not wait for slots.
  func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      if !state.isIdle { state.waitingForIdle.append(body) }
      submitHeld(&state)
      return state.isIdle
    }
    if isIdle { body() }
  }

  // MARK: Backlog

  /// True if the disk is slower than the network; see `DiskWrites.isBehind`. Does not wait for a lock.
  var isBehind: Bool { behind.load(ordering: .acquiring) }

  /// Calls `body` without a lock each time `isBehind` has changed. Two calls may overlap, so `body` reads the current
  /// value of `isBehind`.
  func whenBacklogChanges(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.backlogChanged = body }
  }

  // MARK: Slots

  /// Notes that a slot is loading an image. To be followed by `slotsEnded`.
  func slotBegan() { state.withLock { $0.held.slotBegan() } }

  /// Notes that `count` slots have ended loading. Returns the number of bytes of the bodies that wait or are being
  /// written.
  @discardableResult
  func slotsEnded(_ count: Int) -> Int {
    let now = clock.now
    let (bytes, wake) = state.withLock { state in
      let bytes = state.held.bytes
      state.held.slotsEnded(count, at: now)
      submitDue(&state, at: now)
      return (bytes, state.held.takeWake(at: now))
    }
    if let wake { scheduleHold(at: wake) }
    return bytes
  }

  private func holdEnds(at time: Int64) {
    let now = clock.now
    let wake = state.withLock { state in
      state.held.woken(at: time)
      submitDue(&state, at: now)
      return state.held.takeWake(at: now)
    }
    if let wake { scheduleHold(at: wake) }
  }

  private func scheduleHold(at time: Int64) {
    clock.wake(at: time) { [weak self] in self?.holdEnds(at: time) }
  }

  /// Submits the held stores that need not wait any longer.
  private func submitDue(_ state: inout State, at now: Int64) { submit(state.held.takeDue(at: now), &state) }

  /// Submits all held stores.
  private func submitHeld(_ state: inout State) { submit(state.held.takeAll(), &state) }

  /// Submits held stores. Called with the lock held, so that no later change of another thread comes first.
  private func submit(_ stores: [HeldStores.Store], _ state: inout State) {
    guard !stores.isEmpty else { return }
    for store in stores { submit(store.number, store.write) }
    state.writes.noteDelayedChanges()
  }

  /// Returns the response of a store that waits for slots or is being written; `nil` if there is none. The disk may have
  /// an earlier response.
  ///
  /// - Parameter identity: The identity on disk.
  func heldResponse(for identity: RequestIdentity) -> HeldResponse? {
    state.withLock { $0.held.response(for: identity) }
  }

  /// Writes all responses now whose stores wait for slots.
  func writeHeldResponses() { state.withLock { submitHeld(&$0) } }

  /// Notes that another process is fetching an image that this process wants. That process may wait for images of this
  /// one as well, so responses are written at once for the next minute.
  func noteOtherProcess() {
    let now = clock.now
    state.withLock { state in
      state.held.noteOtherProcess(at: now)
      submitDue(&state, at: now)
    }
  }

  // MARK: Changes

  /// Makes a change on the writer thread after all earlier changes of the same response, unless too many wait already.
  ///
  /// - Parameters:
  ///   - response: The response of a store that may wait for the images that slots are loading; `nil` for other
  ///     changes.
  ///   - change: The work of a store or a lookup; `nil` removes everything. Not called for single removals.
  ///   - completion: Called once, with false if the change was not made, as on a disk that hangs. A removal that drops a
  ///     store that waits succeeds in any case.
  private func change(
    _ kind: DiskWrites.Kind, storing response: HeldResponse? = nil,
    _ change: (@Sendable (any ImageDataCache) -> Bool)? = nil,
    completion: DiskWrites.Completion?
  ) {
    guard let cache else {
      completion?(false)
      return
    }
    let now = clock.now
    let isMemoryScarce = self.isMemoryScarce
    let consequences = state.withLock { state in
      if isMemoryScarce { submitHeld(&state) }
      let held = !isMemoryScarce && state.holdsStore(kind, at: now) ? response : nil
      let isRemoved = change == nil && state.held.waits(for: kind)
      let completion = isRemoved ? { @Sendable _ in completion?(true) } : completion
      let admission = state.writes.admit(held == nil ? kind : kind.withoutBytes, completion)
      if case .refused = admission { return Consequences(admission) }
      let replaced = settleHeld(before: kind, isHeld: held != nil, &state)
      if case .queued(let number, let work, let dropped) = admission {
        for number in dropped { thread.cancel(number) }
        let job = job(number, work, kind, change, on: cache)
        if let held, case .store(let identity, _) = kind {
          state.held.add(
            HeldStores.Store(number: number, identity: identity, response: held, added: now, write: job))
        } else {
          submit(number, isPostponed: work.isPostponed, job)
        }
      }
      return Consequences(
        admission, isHanging: state.writes.isHanging, replaced: replaced, wake: state.held.takeWake(at: now),
        backlogChanged: state.publishBacklog(to: behind))
    }
    if let wake = consequences.wake { scheduleHold(at: wake) }
    let replaced = consequences.replaced.completions
    if !replaced.isEmpty { call(replaced, false) }
    if case .refused(let isFirst) = consequences.admission {
      if isFirst { Self.report("the disk is slower than the network; some images are not stored") }
      completion?(false)
      return
    }
    // On a disk that hangs, the change is made later, and the caller does not wait.
    if consequences.isHanging { completion?(false) }
    consequences.backlogChanged?()
  }

  /// True if bodies do not wait for slots, because the memory is needed.
  private var isMemoryScarce: Bool { ledger.isBodyWaiting || ledger.usage.total > ledger.budget / 2 }

  /// Returns true if a store would wait for slots if it were added now.
  private func mayHold(_ kind: DiskWrites.Kind) -> Bool {
    let now = clock.now
    return !isMemoryScarce && state.withLock { !$0.writes.isHanging && $0.holdsStore(kind, at: now) }
  }

  /// The consequences of a change, handled without the lock.
  private struct Consequences {
    let admission: DiskWrites.Admission
    let isHanging: Bool
    let replaced: Replaced
    /// The time at which to call `holdEnds`.
    let wake: Int64?
    let backlogChanged: (@Sendable () -> Void)?

    init(
      _ admission: DiskWrites.Admission, isHanging: Bool = false, replaced: Replaced = Replaced(),
      wake: Int64? = nil, backlogChanged: (@Sendable () -> Void)? = nil
    ) {
      self.admission = admission
      self.isHanging = isHanging
      self.replaced = replaced
      self.wake = wake
      self.backlogChanged = backlogChanged
    }
  }

  /// Held stores that a change has replaced. Released without the lock.
  private struct Replaced {
    var stores: [HeldStores.Store] = []
    /// The completion handlers of the stores, to be passed to `call` if there are any.
    var completions: [DiskWrites.Completion] = []
  }

  /// Submits the held stores that a change follows, and takes out those that it replaces.
  ///
  /// - Parameter isHeld: True if the change is a store that waits for slots.
  private func settleHeld(before kind: DiskWrites.Kind, isHeld: Bool, _ state: inout State) -> Replaced {
    var replaced = Replaced()
    switch kind {
    case .store(let identity, _) where isHeld: replaced.stores = state.held.drop(identity).map { [$0] } ?? []
    case .remove(let identity): replaced.stores = state.held.drop(identity).map { [$0] } ?? []
    case .removeAll: replaced.stores = state.held.dropAll()
    case .store(let identity, _), .pixels(let identity, _), .look(let identity):
      if let store = state.held.take(of: identity) { submit([store], &state) }
    case .scan: submitHeld(&state)
    }
    replaced.completions = replaced.stores.flatMap { state.writes.end($0.number) }
    if !replaced.completions.isEmpty { state.completing += 1 }
    return replaced
  }

  /// Returns the job of an admitted change for the writer thread.
  private func job(
    _ number: UInt64, _ work: DiskWrites.Work, _ kind: DiskWrites.Kind,
    _ change: (@Sendable (any ImageDataCache) -> Bool)?, on cache: any ImageDataCache
  ) -> Job {
    // Single removals that take too much memory are replaced by one removal of everything.
    let isReplaced = if case .remove = kind { work == .removeAll } else { false }
    return { [self] in
      if work == .removals { return removePending(number, from: cache) }
      if let change, !isReplaced { return change(cache) }
      pixels?.removeAllPixels()
      return cache.removeAllResponses()
    }
  }

  private func submit(_ number: UInt64, isPostponed: Bool = false, _ job: @escaping Job) {
    thread.submit(number, priority: isPostponed ? 0 : 1) { [self] in
      guard begin(number) else { return }
      let result = job()
      // The body of the store is released without the lock.
      let (completions, _, backlogChanged) = state.withLock { state in
        state.completing += 1
        return (state.writes.end(number), state.held.ended(number), state.publishBacklog(to: behind))
      }
      call(completions, result, then: backlogChanged)
    }
  }

  /// Calls the completion handlers of a change that has ended, after `completing` was increased.
  ///
  /// - Parameter backlogChanged: Called afterwards, so that the completion handlers do not wait while this starts
  ///   downloads. The writer counts as busy until this returns.
  private func call(
    _ completions: [DiskWrites.Completion], _ result: Bool, then backlogChanged: (@Sendable () -> Void)? = nil
  ) {
    Self.call(completions, result)
    backlogChanged?()
    let waiting = state.withLock { state in
      state.completing -= 1
      return state.takeIdleWaiters()
    }
    for body in waiting { body() }
  }

  /// Calls the completion handlers of equal changes, the first with the result: the others found nothing more to
  /// remove.
  private static func call(_ completions: [DiskWrites.Completion], _ result: Bool) {
    for (index, completion) in completions.enumerated() { completion(index == 0 && result) }
  }

  /// Makes the removals of a batch.
  private func removePending(_ number: UInt64, from cache: any ImageDataCache) -> Bool {
    while let identity = state.withLock({ $0.writes.nextRemoval(of: number) }) {
      let wasThere = cache.removeResponse(for: identity)
      pixels?.removePixels(of: identity)
      let now = clock.now
      Self.call(state.withLock { $0.writes.removed(identity, of: number, at: now) }, wasThere)
    }
    return true
  }

  /// Begins a change. Returns false for a change that was dropped.
  private func begin(_ number: UInt64) -> Bool {
    let now = clock.now
    let (isWanted, wake) = state.withLock { state -> (Bool, Int64?) in
      guard let end = state.writes.begin(number, at: now) else { return (false, nil) }
      // A check for an earlier change may be scheduled at a later time.
      return (true, state.nextWake.schedule(at: end) ? end : nil)
    }
    if let wake { schedule(at: wake) }
    return isWanted
  }

  private func schedule(at time: Int64) {
    clock.wake(at: time) { [weak self] in self?.giveUpOverdue(at: time) }
  }

  /// Gives up the changes of a disk that hangs. Does nothing if an earlier check has replaced the check at `time`.
  private func giveUpOverdue(at time: Int64) {
    let now = clock.now
    let changes = state.withLock {
      state -> (DiskWrites.Overdue, [@Sendable () -> Void], [HeldStores.Store], (@Sendable () -> Void)?)? in
      guard state.nextWake.take(at: time) else { return nil }
      let overdue = state.writes.takeOverdue(at: now)
      if let next = overdue.next { state.nextWake.schedule(at: next) }
      let waiting = overdue.isNew ? state.held.dropAll() : []
      let dropped = waiting + overdue.dropped.compactMap { state.held.ended($0) }
      return (overdue, state.takeIdleWaiters(), dropped, state.publishBacklog(to: behind))
    }
    // The held stores are among the dropped changes. Their bodies are released here, without the lock.
    guard let (overdue, waiting, _, backlogChanged) = changes else { return }
    if overdue.isNew { Self.report("the disk does not respond; nothing is stored until it does") }
    for number in overdue.dropped { thread.cancel(number) }
    for completion in overdue.completions { completion(false) }
    backlogChanged?()
    for body in waiting { body() }
    if let next = overdue.next { schedule(at: next) }
  }

  private static func report(_ text: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: text))
  }
}

extension DiskWriter: MemoryHolder {
  /// Counts nothing itself: each body is counted by its reservation until it is written.
  func count(against ledger: MemoryLedger) {}

  /// Writes the held bodies now.
  func release(bytes: Int) { writeHeldResponses() }

  func handlePressure(_ pressure: MemoryPressure) { release(bytes: .max) }
}
