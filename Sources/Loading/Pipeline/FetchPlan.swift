import VitrineConcurrency
import VitrineGraphics

/// The source of the bytes of each fetch: the disk or a server, and when. Makes decisions only.
///
/// `LookupLine` orders the disk lookups, `TransferPlan` the downloads, and `DiskPlan` has the rules for stored
/// responses. The next `Step` of a fetch that has bytes or fails is returned, because it concerns the callers.
struct FetchPlan {
  /// The next step of a fetch.
  enum Step {
    /// Nothing: the fetch waits or is running.
    case wait
    case decode(FetchedBytes)
    /// Decode the bytes, and ask the server whether the images have changed.
    case decodeAndRevalidate(FetchedBytes)
    /// Move the callers to the fetch that decodes the stored response, which the server has confirmed.
    case confirm(FetchID, FetchedBytes)
    case askServer
    /// Fail the cache-only callers with the error of the decode, and ask the server for other bytes.
    case replace(damage: ImageError)
    /// Let the callers wait for the server, because the stored response that they were to be shown was not read in time.
    case waitForServer
    case fail(ImageError)
  }

  /// The number of undecoded bytes at which no further download or lookup starts. A network that is faster than the
  /// decoders would otherwise fill the memory.
  private let undecodedBytesLimit: Int
  /// The moving average of the lengths of bodies from servers, of which each new one counts for a quarter; 0 before the
  /// first one.
  private(set) var usualBodyBytes = 0
  var transfers: TransferPlan
  private(set) var lookups: LookupLine
  var disk: DiskPlan
  private(set) var locks: FetchLocks
  private var backlog = DiskBacklog()
  /// The time at which `woken(at:)` is to be called.
  private var nextWake = NextWake()

  init(
    undecodedBytesLimit: Int, transfers: TransferPlan, lookups: LookupLine = LookupLine(), disk: DiskPlan,
    locks: FetchLocks = FetchLocks()
  ) {
    self.undecodedBytesLimit = undecodedBytesLimit
    self.transfers = transfers
    self.lookups = lookups
    self.disk = disk
    self.locks = locks
  }

  // MARK: Callers

  /// Notes a request that has joined a fetch. The first request that uses the disk also causes bytes to be
  /// stored that have already been decoded for other requests. A request that ignores the disk ends the wait for another
  /// process.
  mutating func join(_ id: FetchID, _ request: ImageRequest, isNew: Bool, in loads: inout Loads) {
    if isNew { transfers.add(id, of: request.url, at: loads.now) }
    guard !transfers.isLocal(id) else { return }
    let beginsToKeep = disk.join(id, request)
    if locks.isWaiting(id), !disk[id].mayWait {
      locks.leave(id)
      askServer(id, in: &loads)
    }
    guard beginsToKeep else { return }
    guard let decodes = loads.tree[id]?.decodes else { return }
    for decode in decodes.compactMap({ loads.tree[$0] }) {
      if case .decoded = decode.phase { disk.keep(decode, in: &loads) }
    }
  }

  /// Adds a new fetch to the queue of disk lookups, or to the queue of downloads if the disk is not asked.
  mutating func enqueue(_ id: FetchID, _ priority: ImageRequest.Priority, at now: Int64) {
    guard disk.beginsWithLookup(id) else { return transfers.enqueue(id, priority, at: now) }
    lookups.enqueue(id, priority: priority, arrival: transfers.arrive(id, at: now), at: now)
  }

  /// Moves a waiting lookup or download to the position of a new priority.
  mutating func setPriority(_ priority: ImageRequest.Priority, of id: FetchID, at now: Int64) {
    if lookups.isWaiting(id) {
      lookups.setPriority(priority, of: id, arrival: transfers.queue.nextArrival(at: now))
    }
    // The download may wait as well, if the network has gone ahead of a waiting lookup.
    transfers.setPriority(priority, of: id, at: now)
  }

  /// Holds a download if all callers have paused: removes it from the queue or stops the transfer. Enqueues a held
  /// download again if a caller needs the bytes now.
  mutating func holdOrRelease(_ id: FetchID, in loads: inout Loads) {
    guard let fetch = loads.tree[id] else { return }
    disk.noteChange()
    guard let priority = fetch.demand.priority else {
      switch fetch.phase {
      // The disk lookup takes place nevertheless.
      case .idle where disk[id].isLookedUp || transfers.isHeld(id) || locks.isWaiting(id): return
      case .idle:
        locks.leave(id)
        transfers.hold(id, isRunning: false, at: loads.now)
      case .running:
        locks.leave(id)
        loads.actions.append(.pauseFetch(id))
        loads.tree.setPhase(.idle, of: id)
        transfers.hold(id, isRunning: true, at: loads.now)
      case .lookingUp, .received: return
      }
      return
    }
    guard transfers.isHeld(id) else { return }
    transfers.release(id)
    // A late lookup that is still running finds the stored response again.
    if disk.takeIsReleased(id), !lookups.isRunning(id) { return enqueue(id, priority, at: loads.now) }
    transfers.enqueueAgain(id, priority, at: loads.now)
    disk.limitWaiting(id, in: &loads)
  }

  /// Removes a fetch without decodes, and stops its work.
  mutating func removeIfUnwanted(_ id: FetchID, in loads: inout Loads) {
    guard let phase = loads.tree.removeIfUnwanted(id) else { return }
    if case .running = phase { loads.actions.append(.cancelFetch(id)) }
    if lookups.isRunning(id) { loads.actions.append(.cancelLookup(id)) }
    lookups.leave(id)
    transfers.remove(id, at: loads.now)
    disk.remove(id)
    locks.leave(id)
  }

  // MARK: Downloads

  /// Called at the time of a `.wake`.
  mutating func woken(at time: Int64) { nextWake.take(at: time) }

  /// Notes whether the disk is slower than the network; see `DiskWrites.isBehind`.
  mutating func setDiskBehind(_ isBehind: Bool, at now: Int64) { backlog.setBehind(isBehind, at: now) }

  private mutating func noteLength(_ length: Int) {
    usualBodyBytes += usualBodyBytes == 0 ? length : (length - usualBodyBytes) / 4
  }

  /// True if no further download from a server may start beside those that are running, because together with the
  /// undecoded bodies they would exceed twice the limit. Each counts with the usual length of a body: fast servers send
  /// all of them before the next image is decoded.
  private func holdsServers(in tree: StageTree) -> Bool {
    let running = transfers.queue.activeNetworkCount
    guard tree.undecodedBytes > 0, running > 0 else { return false }
    let arriving = ByteCount.product(running + 1, usualBodyBytes)
    return ByteCount.sum(tree.undecodedBytes, arriving) > ByteCount.product(2, undecodedBytesLimit)
  }

  /// Starts the downloads that may begin now. Requests a call at the time of the next change.
  mutating func startDownloads(in loads: inout Loads) {
    var last: FetchID?
    let onlyLocal = backlog.holdsDownloads(at: loads.now)
    while loads.tree.undecodedBytes < undecodedBytesLimit,
      let id = transfers.startNext(at: loads.now, onlyLocal: onlyLocal || holdsServers(in: loads.tree))
    {
      loads.tree.setPhase(.running, of: id)
      start(id, in: &loads)
      last = id
    }
    if let last { askEarly(behind: last, in: &loads) }
    let changes = [
      transfers.queue.nextChange(after: loads.now), lookups.nextChange, locks.nextChange,
      backlog.nextChange(after: loads.now),
    ]
    let next = changes.compactMap { $0 }.min()
    if let time = next, nextWake.schedule(at: time) { loads.actions.append(.wake(at: time)) }
  }

  /// Starts the transfer of a fetch, or asks the disk cache first.
  private mutating func start(_ id: FetchID, in loads: inout Loads) {
    guard let request = loads.tree[id]?.request else { return }
    guard locks.isEnabled else { return loads.actions.append(.startFetch(id, request)) }
    let question = question(about: id, request)
    guard !locks.awaitsEarlyAnswer(id, isUseful: question.isUseful, at: loads.now) else { return }
    loads.actions.append(
      locks.asks(id, isUseful: question.isUseful, at: loads.now)
        ? .prepareFetches([question]) : .startFetch(id, request))
  }

  /// Asks the disk cache about the next downloads from the server of a download that has started.
  private mutating func askEarly(behind id: FetchID, in loads: inout Loads) {
    guard locks.isTimeToAskEarly else { return }
    // Most downloads have been asked about before, and preparing a question takes longer than this check.
    let questions = transfers.queue.waiting(behind: id, upTo: locks.earlySearchCount)
      .filter { locks.mayAskEarly($0) }
      .compactMap { id in loads.tree[id].map { question(about: id, $0.request, isEarly: true) } }
      .filter { locks.asksEarly($0.id, isUseful: $0.isUseful) }
    if !questions.isEmpty { loads.actions.append(.prepareFetches(questions)) }
  }

  private func question(
    about id: FetchID, _ request: ImageRequest, isEarly: Bool = false
  ) -> FetchQuestion {
    let mayPrepare = disk.mayPrepare(id) && request.headers["Range"] == nil
    return FetchQuestion(
      id: id, request: request, takesLock: mayPrepare && disk[id].mayWait,
      continues: mayPrepare && !transfers.hasRestarted(id), isEarly: isEarly)
  }

  /// Sends the request of a fetch that the disk does not serve.
  mutating func askServer(_ id: FetchID, in loads: inout Loads) {
    guard let fetch = loads.tree[id] else { return }
    // A download whose callers have all paused may take long to continue.
    if fetch.demand.priority == nil { locks.leave(id) }
    transfers.enqueueAfterLookup(id, fetch.demand.priority, at: loads.now)
    if fetch.demand.priority != nil, !transfers.isCutOff(id) { disk.limitWaiting(id, in: &loads) }
  }

  /// Handles the end of an attempt of a running fetch.
  mutating func ended(_ id: FetchID, _ end: FetchEnd, in loads: inout Loads) -> Step {
    guard loads.tree[id] != nil else { return .wait }
    transfers.ended(id, end, at: loads.now)
    loads.tree.setPhase(.idle, of: id)
    switch end.outcome {
    case .bytes(let bytes) where bytes.isEmpty:
      if let step = takeCopy(id, because: .emptyBody, in: loads.tree) { return step }
      return lookups.waits(for: id, because: .emptyBody, in: &loads, &disk) ? .wait : .fail(.emptyBody)
    case .bytes(let bytes):
      if !transfers.isLocal(id) { noteLength(bytes.body.count) }
      guard bytes.freshness == .revalidated, let stored = fetchOfCopy(serving: id, in: loads.tree) else {
        return .decode(bytes)
      }
      return .confirm(stored, bytes)
    // The request was not conditional.
    case .notModified: return .fail(.status(304))
    case .needsWhole:
      guard transfers.restart(id) else { return .fail(.status(416)) }
      transfers.retry(id, loads.tree[id]?.demand.priority, notBefore: loads.now)
      return .wait
    case .failed(let error):
      if let step = takeCopy(id, because: error, in: loads.tree) { return step }
      if !loads.tree.isProbe(id),
        let delay = transfers.retryDelay(id, after: error, retryAfter: end.retryAfter)
      {
        transfers.retry(
          id, loads.tree[id]?.demand.priority, notBefore: loads.now.advanced(bySeconds: delay))
        loads.actions.append(.announceRetry(loads.tree.tasks(of: id), after: delay, error))
        return .wait
      }
      if lookups.waits(for: id, because: error, in: &loads, &disk) { return .wait }
      disk.refused(id, because: error, in: &loads)
      noteFailure(id, error, in: &loads)
      return .fail(error)
    }
  }

  // MARK: Offline

  /// Keeps requests from leaving this machine, or allows them again. Stops running transfers.
  mutating func setOffline(_ isOffline: Bool, in loads: inout Loads) {
    for id in transfers.setOffline(isOffline, at: loads.now) {
      // The answer of the disk cache may still be to come.
      locks.leave(id)
      loads.actions.append(.pauseFetch(id))
      loads.tree.setPhase(.idle, of: id)
    }
  }

  /// Returns the next steps of the fetches whose downloads may not start because the downloader is offline: the stored
  /// response is shown, or the fetch fails.
  mutating func refuseDownloads(in loads: inout Loads) -> [(fetch: FetchID, step: Step)] {
    transfers.takeRefused().compactMap { id in
      guard case .idle? = loads.tree[id]?.phase else { return nil }
      locks.leave(id)
      if let step = takeCopy(id, because: .offline, in: loads.tree) { return (id, step) }
      if lookups.waits(for: id, because: .offline, in: &loads, &disk) { return nil }
      noteFailure(id, .offline, in: &loads)
      return (id, .fail(.offline))
    }
  }

  // MARK: Lookups

  /// Starts the lookups that may begin now. Stops at a fetch that fails because the disk hangs, and returns this fetch;
  /// call again until the result is `nil`.
  mutating func startLookups(in loads: inout Loads) -> (fetch: FetchID, error: ImageError)? {
    let isSuspended = transfers.queue.isSuspended
    while lookups.hasWaiting, loads.tree.undecodedBytes < undecodedBytesLimit, fitsMoreCopies(in: loads.tree),
      let id = lookups.startNext(transfers.queue.order, isSuspended: isSuspended, at: loads.now)
    {
      if let error = lookups.begin(id, in: &loads, &disk) { return (id, error) }
    }
    lookups.setStopped(isSuspended || loads.tree.undecodedBytes >= undecodedBytesLimit, at: loads.now)
    return nil
  }

  mutating func giveUpLookups(in loads: inout Loads) -> [(fetch: FetchID, error: ImageError)] {
    lookups.giveUp(in: &loads, &disk)
  }

  /// Notes that the lookup of a removed fetch was withdrawn before its thread has begun.
  mutating func lookupWithdrawn(_ id: FetchID) { lookups.ended(id) }

  /// Handles the result of a disk lookup.
  mutating func lookedUp(_ id: FetchID, _ find: DiskFind, in loads: inout Loads) -> Step {
    lookups.ended(id)
    guard let fetch = loads.tree[id], case .lookingUp = fetch.phase else {
      return foundLate(id, find, in: &loads)
    }
    loads.tree.setPhase(.idle, of: id)
    var find = find
    if transfers.isCutOff(id) { find.failure = .offline }
    disk.noteLookup(id, at: loads.now)
    let isCacheOnly = fetch.isCacheOnly && !disk[id].asksServerInstead
    let verdict = disk.lookedUp(id, find, isCacheOnly: isCacheOnly)
    // The server has answered a condition or a range with an unusable response: the next request is for the whole body.
    if verdict == .askServer, transfers.hasRestarted(id) { disk.setCopy(nil, of: id) }
    // A lock that was taken before the lookup is not needed if the server is not asked.
    if verdict != .askServer { locks.leave(id) }
    return switch verdict {
    case .show(let bytes): .decode(bytes)
    case .showAndRevalidate(let bytes): .decodeAndRevalidate(bytes)
    case .showCopy(let error): takeCopy(id, because: error, in: loads.tree) ?? .fail(error)
    case .fail(let error): .fail(error)
    case .askServer: .askServer
    }
  }

  /// Handles a lookup that has not ended in time. Returns `nil` if the fetch does not wait for the disk.
  ///
  /// - Parameter failure: The remembered failure of an earlier request, if the server refused it a short time ago.
  mutating func lookupSkipped(_ id: FetchID, _ failure: ImageError?, in loads: inout Loads) -> Step? {
    guard let fetch = loads.tree[id], disk[id].serverError == nil else { return nil }
    switch fetch.phase {
    case .lookingUp: break
    case .idle where lookups.isWaiting(id) && !disk[id].isLate: break
    case .idle, .running, .received: return nil
    }
    loads.tree.setPhase(.idle, of: id)
    let shownBecause = disk[id].awaitingBody?.failure
    disk.goAhead(id)
    if showsCopy(id, in: loads.tree) { return .waitForServer }
    if fetch.isCacheOnly, !disk[id].asksServerInstead { return .fail(.notCached) }
    if transfers.isCutOff(id), lookups.waits(for: id, because: .offline, in: &loads, &disk) { return .wait }
    // The server has failed before the body was to be read.
    if let shownBecause, lookups.waits(for: id, because: shownBecause, in: &loads, &disk) { return .wait }
    if let failure, disk[id].use == .byFreshness {
      return lookups.waits(for: id, because: failure, in: &loads, &disk) ? .wait : .fail(failure)
    }
    return .askServer
  }

  /// Handles a lookup that returns after the network request was started. A fresh response is shown if the server has
  /// not responded yet; a stale response is kept in case the server fails.
  private mutating func foundLate(_ id: FetchID, _ find: DiskFind, in loads: inout Loads) -> Step {
    guard let fetch = loads.tree[id], let (copy, isFresh) = disk.foundLate(id, find) else { return .wait }
    switch fetch.phase {
    case .idle where isFresh: transfers.leaveQueue(id)
    case .running where isFresh && !find.serverHasResponded:
      loads.actions.append(.cancelFetch(id))
      transfers.stopped(id, at: loads.now)
    case .idle, .running:
      disk.setCopy(disk[id].copy ?? copy, of: id)
      disk.limitWaiting(id, in: &loads)
      return .wait
    case .lookingUp, .received: return .wait
    }
    locks.leave(id)
    return .decode(copy.freshBytes)
  }

  /// Reads the body of a stored response of which only the head was read.
  mutating func readBody(of bytes: FetchedBytes, _ id: FetchID, in loads: inout Loads) {
    guard let fetch = loads.tree[id] else { return }
    loads.tree.setPhase(.idle, of: id)
    // A late lookup of the fetch still blocks its thread, so the disk does not respond.
    guard !lookups.isRunning(id) else {
      disk.setCopy(nil, of: id)
      return askServer(id, in: &loads)
    }
    disk.awaitBody(of: bytes, id)
    lookups.enqueue(
      id, priority: fetch.demand.priority ?? .normal, arrival: transfers.queue.nextArrival(at: loads.now),
      at: loads.now)
  }

  // MARK: Stored responses

  /// Shows the stored response, because the server has failed. Returns `nil` if there is none, or if the rules do not
  /// allow showing it.
  private mutating func takeCopy(_ id: FetchID, because error: ImageError, in tree: StageTree) -> Step? {
    guard disk[id].copy != nil, !tree.isProbe(id), let copy = disk.takeCopy(of: id, because: error) else {
      return nil
    }
    return .decode(copy.staleBytes(because: error))
  }

  /// Returns the fetch of `fetchOfCopy(of:in:)` if it can serve all callers of a fetch; `nil` if it has not read the
  /// body, and the pixel cache did not have all of their images.
  func fetchOfCopy(serving id: FetchID, in tree: StageTree) -> FetchID? {
    guard let stored = fetchOfCopy(of: id, in: tree) else { return nil }
    if case .received(let bytes) = tree[stored]?.phase, bytes.isBodyOnDisk,
      tree.needsBody(id, beside: bytes)
    {
      return nil
    }
    return stored
  }

  /// Returns the fetch that decodes the stored response about which the server of a fetch is asked, or reads its body;
  /// `nil` if there is none, or if its images have been delivered.
  func fetchOfCopy(of id: FetchID, in tree: StageTree) -> FetchID? {
    guard let copy = disk[id].copy, let identity = tree[id]?.request.identity else { return nil }
    let cacheOnly = tree.fetch(FetchKey(request: identity, isCacheOnly: true))
    return (tree.overtaken(by: id) + [cacheOnly].compactMap { $0 }).first { earlier in
      guard earlier != id, tree[earlier]?.isOutdated == false, let bytes = storedBytes(of: earlier, in: tree),
        bytes.source == .disk
      else { return false }
      // Another process may have replaced the body under an equal head.
      return bytes.response == copy.storedResponse.response && bytes.freshness != .revalidated
        && bytes.hasSameBody(as: copy.freshBytes)
    }
  }

  /// Returns the bytes that a fetch has received, or whose body is being read.
  private func storedBytes(of id: FetchID, in tree: StageTree) -> FetchedBytes? {
    if case .received(let bytes) = tree[id]?.phase { bytes } else { disk[id].awaitingBody }
  }

  /// Updates the freshness of a stored response that is being decoded, because the server has responded meanwhile.
  mutating func update(_ stored: FetchID, by bytes: FetchedBytes, in loads: inout Loads) {
    loads.tree.update(stored, by: bytes)
    disk.updateAwaited(stored, by: bytes)
  }

  /// Adds the failure of a server to the stored response that is being decoded for callers that did not wait.
  private mutating func noteFailure(_ id: FetchID, _ error: ImageError, in loads: inout Loads) {
    guard let copy = disk[id].copy, let stored = fetchOfCopy(of: id, in: loads.tree),
      case .stale? = storedBytes(of: stored, in: loads.tree)?.freshness
    else { return }
    update(stored, by: copy.staleBytes(because: error), in: &loads)
  }

  /// Returns true if lookups may begin. If there is no room for more stored responses, those in memory shrink to their
  /// heads: first the responses that are not shown after `staleAfter`, then all others. The requests stay conditional,
  /// and the bodies are read again if they are needed.
  ///
  /// A response of a disk cache without digests cannot shrink. If such a response is not shown after `staleAfter`, it
  /// is released, and its server is asked without a condition. The others are shown after `staleAfter` at the latest
  /// and then make room, so that a lookup that waits here leaves no view without its image for long.
  private mutating func fitsMoreCopies(in tree: StageTree) -> Bool {
    let candidates = disk.takeCandidates()
    for id in candidates where disk.isFull {
      switch tree[id]?.phase {
      case .idle where transfers.isHeld(id): disk.releaseHeldCopy(of: id)
      case .idle, .running:
        if !disk.mayServeCopy(of: id, in: tree), !disk.shrinkCopy(of: id) { disk.setCopy(nil, of: id) }
      case .lookingUp, .received, nil: break
      }
    }
    for id in candidates where disk.isFull { disk.shrinkCopy(of: id) }
    return !disk.isFull
  }

  /// Replaces damaged bytes as soon as no decode reads the bytes any more.
  mutating func replaceDamage(_ id: FetchID, in loads: inout Loads) -> Step {
    guard disk.isDamaged(id), let fetch = loads.tree[id], fetch.unfinishedDecodes == 0,
      case .received(let bytes) = fetch.phase, let damage = disk.takeDamage(id)
    else { return .wait }
    loads.tree.setPhase(.idle, of: id)
    if bytes.source == .network, let step = takeCopy(id, because: damage, in: loads.tree) { return step }
    disk.heal(id)
    disk.discard(id, in: &loads)
    return .replace(damage: damage)
  }

  /// True if a fetch is to show a stored response to callers who would otherwise wait for the server.
  func showsCopy(_ id: FetchID, in tree: StageTree) -> Bool {
    tree[id]?.isCacheOnly == true && !tree.isCacheOnly(id) && !disk[id].asksServerInstead
  }

  /// Returns the fetch that asks the server about the stored response that `id` was to show; `nil` if there is none.
  ///
  /// - Parameter isLate: True if the body was not read in time: the returned fetch uses the stored response only if the
  ///   server fails. False if the body is no longer on disk: the fetch does not use the stored response any more.
  mutating func fetchAskingServer(
    insteadOf id: FetchID, isLate: Bool, in tree: StageTree
  ) -> FetchID? {
    guard let identity = tree[id]?.request.identity,
      let asking = tree.fetch(FetchKey(request: identity, isCacheOnly: false))
    else { return nil }
    switch tree[asking]?.phase {
    case .idle, .lookingUp, .running: break
    case .received, nil: return nil
    }
    if disk[asking].copy?.contents.isBodyOnDisk == true {
      if isLate { disk.noteLateCopy(asking) } else { disk.setCopy(nil, of: asking) }
    }
    return asking
  }

  /// Makes a fetch that was to show a stored response ask the server itself.
  mutating func askServer(insteadOfCopy id: FetchID, in loads: inout Loads) {
    guard let request = loads.tree[id]?.request else { return }
    disk.loseCopy(id, of: request)
    loads.tree.setPhase(.idle, of: id)
    askServer(id, in: &loads)
  }

  /// Adds a fetch that decodes the stored response of a fetch whose server has not responded yet. Returns `nil` if the
  /// stored response may not be shown.
  mutating func addFetchOfCopy(
    of id: FetchID, in loads: inout Loads
  ) -> (fetch: FetchID, bytes: FetchedBytes)? {
    guard let copy = disk[id].copy, let lane = transfers.lane(of: id),
      let stored = loads.tree.addFetchOfCopy(of: id)
    else { return nil }
    transfers.add(stored, lane: lane, at: loads.now)
    disk.add(stored)
    disk.noteChange()
    return (stored, copy.staleBytes())
  }
}

/// Locks that processes with the same disk cache share; see `FetchLocks`.
extension FetchPlan {
  /// Removes and returns the answer of the disk cache for a transfer that starts.
  mutating func takePreparation(of id: FetchID) -> FetchPreparation? { locks.take(id) }

  /// Notes that the disk cache reads resumable data before it answers.
  mutating func readsResumableData(_ bytes: Int, for id: FetchID, at now: Int64) {
    locks.reads(bytes, for: id, at: now)
  }

  /// Handles the answer of the disk cache before a transfer.
  mutating func prepared(_ id: FetchID, _ preparation: FetchPreparation, in loads: inout Loads) {
    let step = locks.prepared(
      id, preparation, lookedUp: disk[id].lookedUp, mayWait: disk[id].mayWait, at: loads.now)
    switch step {
    case .none: break
    case .ask: start(id, in: &loads)
    case .start: if let request = loads.tree[id]?.request { loads.actions.append(.startFetch(id, request)) }
    case .lookUp:
      leaveQueueForLock(id, in: &loads)
      lookUpAgain(id, in: &loads)
    case .wait:
      leaveQueueForLock(id, in: &loads)
      // Callers get the stored response as if the server were slow.
      disk.limitWaiting(id, in: &loads)
    }
  }

  private mutating func leaveQueueForLock(_ id: FetchID, in loads: inout Loads) {
    loads.tree.setPhase(.idle, of: id)
    transfers.stopped(id, at: loads.now)
    disk.beginWait(id)
  }

  /// Handles the check of the fetches that wait for other processes.
  ///
  /// - Parameter progress: The progress of the other processes, for the locks that are still held.
  mutating func checkedLocks(_ progress: [FetchID: FetchLockProgress], in loads: inout Loads) {
    let released = locks.checked(progress, at: loads.now)
    for id in released.free { lookUpAgain(id, in: &loads) }
    for id in released.ahead { askServer(id, in: &loads) }
  }

  /// Starts transfers without the answer of a disk that does not respond, and checks the fetches that wait.
  mutating func proceedWithLocks(in loads: inout Loads) {
    guard locks.isEnabled else { return }
    locks.releaseEarly(at: loads.now)
    for id in locks.takeLate(at: loads.now) where loads.tree.isRunning(id) {
      if let request = loads.tree[id]?.request { loads.actions.append(.startFetch(id, request)) }
    }
    for id in locks.takeAbandoned(at: loads.now) { askServer(id, in: &loads) }
    let identities = locks.takeChecks(at: loads.now).map { ($0, loads.tree[$0]?.request.identity) }
    guard !identities.isEmpty else { return }
    loads.actions.append(
      .checkLocks(Dictionary(identities.compactMap { id, identity in identity.map { (id, $0) } }) { $1 }))
  }

  /// Looks up the disk once more, because another process has stored a response or has failed.
  private mutating func lookUpAgain(_ id: FetchID, in loads: inout Loads) {
    guard let fetch = loads.tree[id] else { return locks.leave(id) }
    guard !lookups.isRunning(id), disk.beginsWithLookup(id) else { return askServer(id, in: &loads) }
    lookups.enqueue(
      id, priority: fetch.demand.priority ?? .normal, arrival: transfers.arriveAgain(id, at: loads.now),
      at: loads.now)
  }
}
