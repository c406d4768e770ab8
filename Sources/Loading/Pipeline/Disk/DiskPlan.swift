import VitrineConcurrency
import VitrineGraphics

/// The use of the disk cache by all fetches: what of a stored response is shown, kept in memory while the server is
/// asked, stored and replaced. Makes decisions only. Times are in nanoseconds.
///
/// Fetches of files and data URLs, and all fetches without a disk cache, are unknown here.
struct DiskPlan {
  /// True if there is a disk cache.
  let isEnabled: Bool
  /// The number of seconds to wait for a server before a stale response is shown.
  private let staleAfter: Double
  /// True if slots show a stale response without waiting for the server.
  private let showsStaleAtOnce: Bool
  private var stages = LoadTable<FetchKind, DiskStage>()
  private var copies: WaitingCopies
  private var deadlines = CopyDeadlines()

  /// - Parameters:
  ///   - isEnabled: True if there is a disk cache.
  ///   - staleAfter: The number of seconds to wait for a server before a stale response is shown.
  ///   - showsStaleAtOnce: True if slots show a stale response without waiting for the server.
  ///   - copyLimit: The number of bytes of stored responses in memory at which further lookups wait.
  init(
    isEnabled: Bool = false, staleAfter: Double = .infinity, showsStaleAtOnce: Bool = true,
    copyLimit: Int = .max
  ) {
    self.isEnabled = isEnabled
    self.showsStaleAtOnce = showsStaleAtOnce
    // Not a number counts as 0.
    self.staleAfter = staleAfter > 0 ? staleAfter : 0
    copies = WaitingCopies(limit: copyLimit)
  }

  subscript(id: FetchID) -> DiskStage { stages[id] ?? DiskStage() }

  // MARK: Fetches

  /// True if the response of a fetch is stored on disk.
  func isKept(_ id: FetchID) -> Bool { stages[id]?.isKept ?? false }

  /// Notes a request that has joined a fetch. Returns true if the fetch is stored on disk because of this request.
  mutating func join(_ id: FetchID, _ request: ImageRequest) -> Bool {
    guard isEnabled else { return false }
    var stage = self[id]
    stage.use = min(stage.use, DiskUse(request.cachePolicy))
    stage.keepsStoredResponse = stage.keepsStoredResponse || request.keepsStoredResponse
    let beginsToKeep = request.cache.usesDisk && !stage.isKept
    if beginsToKeep { stage.isKept = true }
    stages[id] = stage
    return beginsToKeep
  }

  /// Adds a fetch that serves a stored response.
  mutating func add(_ id: FetchID) { stages[id] = DiskStage() }

  /// Removes a fetch that has ended or was cancelled.
  mutating func remove(_ id: FetchID) {
    stages[id] = nil
    copies.set(nil, for: id)
  }

  /// Notes that a fetch has bytes, which are not stored yet.
  mutating func received(_ id: FetchID) { stages[id]?.isSettled = false }

  /// Notes that the disk cache is brought up to date with the bytes of a fetch. Returns false if that was done before,
  /// or if no request of the fetch uses the disk.
  mutating func settle(_ id: FetchID) -> Bool {
    guard let stage = stages[id], stage.isKept, !stage.isSettled else { return false }
    stages[id]?.isSettled = true
    return true
  }

  /// Stores the response on disk after a successful decode, or removes the stored response if storing is forbidden.
  /// Done once for the received bytes of a fetch.
  mutating func keep(_ decode: Decode, in loads: inout Loads) {
    guard isEnabled, var bytes = decode.bytes else { return }
    let isAnimated = if case .decoded(let image) = decode.phase { image.isAnimated } else { false }
    bytes.isBodyShared = isAnimated || loads.tree.sharesBody(of: decode.fetch)
    keep(bytes, of: decode.fetch, in: &loads)
  }

  /// Stores the response to which the bytes of a fetch belong; see `keep(_:in:)`.
  mutating func keep(_ bytes: FetchedBytes, of id: FetchID, in loads: inout Loads) {
    guard let identity = loads.tree[id]?.request.identity, settle(id) else { return }
    if bytes.storedResponse != nil {
      loads.actions.append(.keep(bytes, identity))
    } else if bytes.endsStorage || bytes.source == .network && bytes.response?.status == 200 {
      // The new response must not be stored.
      discard(id, in: &loads)
    }
  }

  /// Makes a fetch that decodes a stored response store the response as the server has confirmed it to `other`.
  mutating func takeOver(_ id: FetchID, from other: FetchID) {
    guard self[other].isKept else { return }
    stages[id]?.isKept = true
    stages[id]?.isSettled = false
  }

  /// Removes the stored response if the server has none any more, unless a request keeps it.
  func refused(_ id: FetchID, because error: ImageError, in loads: inout Loads) {
    if error.endsStorage, !self[id].keepsStoredResponse { discard(id, in: &loads) }
  }

  /// Removes the stored response, if a request of the fetch uses the disk cache.
  func discard(_ id: FetchID, in loads: inout Loads) {
    if let identity = loads.tree[id]?.request.identity, self[id].isKept {
      loads.actions.append(.discard(identity))
    }
  }

  /// Notes that the bytes of a fetch are out of date, so that they are not stored.
  mutating func outdate(_ id: FetchID) { stages[id]?.isKept = false }

  // MARK: Lookups

  /// Returns the reason why the disk is not looked up for a fetch; `nil` if it is looked up.
  func missReason(of id: FetchID) -> TraceEvent.Miss? {
    guard self[id].isKept else { return .noCache }
    return self[id].use == .none ? .bypassed : nil
  }

  /// Decides whether a fetch looks up the disk before the network. Call only while no lookup of the fetch runs.
  mutating func beginsWithLookup(_ id: FetchID) -> Bool {
    guard let stage = stages[id], stage.isKept, stage.use > .none else { return false }
    stages[id]?.isLookedUp = true
    stages[id]?.isLate = false
    return true
  }

  /// Notes that a lookup does not precede the network request any more: it has begun, or is late.
  mutating func leaveLookups(_ id: FetchID) { stages[id]?.isLookedUp = false }

  /// Notes that the network request is started before the lookup has ended.
  mutating func goAhead(_ id: FetchID) {
    stages[id]?.isLookedUp = false
    stages[id]?.isLate = true
    stages[id]?.awaitingBody = nil
  }

  /// Notes that the body of a response is to be read from disk, because some of its images must be decoded, or a caller
  /// receives the encoded bytes.
  mutating func awaitBody(of bytes: FetchedBytes, _ id: FetchID) {
    stages[id]?.awaitingBody = bytes
    stages[id]?.needsBody = true
    stages[id]?.isLookedUp = true
    stages[id]?.isLate = false
    // If the body cannot be read, the server is asked without a condition.
    setCopy(nil, of: id)
  }

  /// Notes that the body of the stored response of a fetch was not read in time.
  mutating func noteLateCopy(_ id: FetchID) { stages[id]?.isCopyLate = true }

  /// Notes that a fetch asks the server, because the stored response that it was to show is gone.
  mutating func loseCopy(_ id: FetchID, of request: ImageRequest) {
    _ = join(id, request)
    stages[id]?.asksServerInstead = true
  }

  /// Updates a response whose body is being read, because the server has responded meanwhile.
  mutating func updateAwaited(_ id: FetchID, by bytes: FetchedBytes) {
    guard let awaiting = stages[id]?.awaitingBody else { return }
    stages[id]?.awaitingBody = awaiting.updated(by: bytes)
  }

  /// Decides whether a fetch whose server has failed waits for its late lookup. Returns false if the stored response
  /// may not be shown after `error`.
  mutating func waitsForLookup(_ id: FetchID, because error: ImageError) -> Bool {
    guard let stage = stages[id], stage.isLate, stage.use > .none, error.isMissingResponse else {
      return false
    }
    stages[id]?.serverError = error
    return true
  }

  /// Removes and returns the error of the server after which a fetch waits for its late lookup.
  mutating func takeServerError(_ id: FetchID) -> ImageError? {
    defer { stages[id]?.serverError = nil }
    return stages[id]?.serverError
  }

  /// The decision after a lookup.
  enum Verdict: Equatable {
    case show(FetchedBytes)
    /// Show the response and ask the server whether the image has changed.
    case showAndRevalidate(FetchedBytes)
    /// Show the stored response if that is allowed after this error; otherwise fail.
    case showCopy(because: ImageError)
    case fail(ImageError)
    case askServer
  }

  /// Decides about a lookup that has ended in time.
  mutating func lookedUp(_ id: FetchID, _ find: DiskFind, isCacheOnly: Bool) -> Verdict {
    var error = takeServerError(id)
    if let awaiting = stages[id]?.awaitingBody {
      stages[id]?.awaitingBody = nil
      if let bytes = find.copy.flatMap({ awaiting.with($0) }) { return .show(bytes) }
      error = error ?? awaiting.failure
    }
    if isCacheOnly { return find.copy.map { .show($0.bytesAsTheyAre) } ?? .fail(error ?? .notCached) }
    switch self[id].use {
    case .none: return .askServer
    case .conditional:
      if error == nil, let copy = find.copy, self[id].isNewer(copy) {
        let isUnchanged = self[id].copy.map { copy.freshBytes.hasSameBody(as: $0.freshBytes) } ?? false
        return .show(isUnchanged ? copy.confirmedBytes : copy.freshBytes)
      }
      setCopy(find.copy, of: id)
      return error.map { .showCopy(because: $0) } ?? .askServer
    case .byFreshness:
      let failure = error ?? find.failure
      guard let copy = find.copy else { return failure.map { .fail($0) } ?? .askServer }
      switch copy.showing {
      case .immediately: return .show(copy.freshBytes)
      case .whileRevalidating:
        let bytes = copy.staleBytes(because: failure)
        return failure == nil ? .showAndRevalidate(bytes) : .show(bytes)
      case .afterRevalidation:
        setCopy(copy, of: id)
        return failure.map { .showCopy(because: $0) } ?? .askServer
      }
    }
  }

  /// Notes that a lookup has ended.
  mutating func noteLookup(_ id: FetchID, at now: Int64) { stages[id]?.lookedUp = now }

  /// Notes that another process fetches the response, or has fetched it since the lookup.
  mutating func beginWait(_ id: FetchID) {
    let received = stages[id]?.copy?.storedResponse.received
    stages[id]?.hasWaited = true
    stages[id]?.receivedBefore = received
  }

  /// Returns true if a fetch asks the disk cache before its transfer; see `FetchLocks`.
  func mayPrepare(_ id: FetchID) -> Bool { self[id].isKept && !self[id].isLate }

  /// Decides about a lookup that ends after the network request was started. Returns the stored response, and whether
  /// the response is shown instead of that of the server; `nil` if the lookup is of no use.
  mutating func foundLate(_ id: FetchID, _ find: DiskFind) -> (copy: StoredCopy, isFresh: Bool)? {
    guard let stage = stages[id], stage.isLate, let copy = find.copy, stage.use > .none else { return nil }
    stages[id]?.isLate = false
    let isFresh = if case .immediately = copy.showing { stage.use == .byFreshness } else { false }
    return (copy, isFresh)
  }

  // MARK: Stored responses in memory

  /// Keeps a stored response in memory while the server is asked; `nil` releases the earlier response.
  mutating func setCopy(_ copy: StoredCopy?, of id: FetchID) {
    guard stages[id] != nil else { return copies.set(nil, for: id) }
    stages[id]?.copy = copy
    copies.set(copy?.contents.byteCount, for: id)
  }

  /// Releases the body and the images of a stored response that waits for its server, and keeps the head. Returns false
  /// if the body could not be recognized when it is read again.
  @discardableResult
  mutating func shrinkCopy(of id: FetchID) -> Bool {
    guard let copy = self[id].copy, copy.contents.digest != nil else { return false }
    if copy.contents.byteCount > 0 { setCopy(copy.head, of: id) }
    return true
  }

  /// Removes and returns the stored response, to be shown because the server has failed. Returns `nil` if there is
  /// none, or if the rules do not allow showing it.
  mutating func takeCopy(of id: FetchID, because error: ImageError) -> StoredCopy? {
    guard let copy = self[id].copy, copy.mayShowOnError, error.isMissingResponse else { return nil }
    setCopy(nil, of: id)
    return copy
  }

  /// True if further lookups must wait, because the stored responses in memory have reached the limit.
  var isFull: Bool { copies.isFull }

  /// Notes that a stored response may have become unnecessary, because callers have left or paused.
  mutating func noteChange() { copies.noteChange() }

  /// Returns the fetches whose stored responses may be unnecessary; see `WaitingCopies.takeCandidates`.
  mutating func takeCandidates() -> [FetchID] { copies.takeCandidates() }

  /// Releases the stored response of a download that is held. The disk is asked again when the download goes on.
  mutating func releaseHeldCopy(of id: FetchID) {
    setCopy(nil, of: id)
    stages[id]?.isReleased = true
  }

  /// Returns true if the stored response was released, so that the disk must be asked again.
  mutating func takeIsReleased(_ id: FetchID) -> Bool {
    guard stages[id]?.isReleased == true else { return false }
    stages[id]?.isReleased = false
    return true
  }

  // MARK: Servers that do not respond in time

  /// True if callers wait for the server although the stored response may be shown.
  ///
  /// - Parameter atOnce: True to ask only for callers that need not wait until a deadline.
  func mayServeCopy(of id: FetchID, atOnce: Bool = false, in tree: StageTree) -> Bool {
    let stage = self[id]
    guard let copy = stage.copy, copy.mayShowOnError, showsStaleAtOnce || !atOnce,
      !(stage.isCopyLate && copy.contents.isBodyOnDisk)
    else { return false }
    return switch tree[id]?.phase {
    case .idle, .running: tree.hasCaller(of: id) { $0.takesCopy(atOnce: atOnce) }
    case .lookingUp, .received, nil: false
    }
  }

  /// Serves the callers of a fetch that show a stale response at once, and sets the deadline after which the other
  /// callers get the stored response, if that may be shown. The deadline also applies to a response that a late lookup
  /// finds afterwards.
  mutating func limitWaiting(_ id: FetchID, in loads: inout Loads) {
    if self[id].isLate { _ = setDeadline(of: id, at: loads.now) }
    guard mayServeCopy(of: id, in: loads.tree) else { return }
    let atOnce = showsStaleAtOnce
    let isAwaited = loads.tree.hasCaller(of: id) { $0.takesCopy && !(atOnce && $0.takesCopy(atOnce: true)) }
    if isAwaited, let wake = limitWaiting(id, at: loads.now) { loads.actions.append(.wake(at: wake)) }
    if mayServeCopy(of: id, atOnce: true, in: loads.tree) { loads.actions.append(.serveCopy(id)) }
  }

  /// Returns the fetches whose callers no longer wait for the server, and may get the stored response.
  mutating func takeOverdue(in loads: inout Loads) -> [FetchID] {
    let (due, next) = takeOverdue(at: loads.now)
    if let next { loads.actions.append(.wake(at: next)) }
    return due.filter { mayServeCopy(of: $0, in: loads.tree) }
  }

  /// Sets the deadline after which callers get the stored response. Returns the time at which to call `takeOverdue`,
  /// unless an earlier call is scheduled.
  mutating func limitWaiting(_ id: FetchID, at now: Int64) -> Int64? {
    guard let deadline = setDeadline(of: id, at: now) else { return nil }
    // A caller that joins or a lookup that ends after the deadline does not cause another full period.
    return deadlines.add(id, at: max(now, deadline))
  }

  /// Returns the deadline of a fetch, which counts from the first call; `nil` if `staleAfter` is infinite.
  private mutating func setDeadline(of id: FetchID, at now: Int64) -> Int64? {
    guard staleAfter < 1e9 else { return nil }
    let deadline = stages[id]?.copyDeadline ?? now.advanced(bySeconds: staleAfter)
    stages[id]?.copyDeadline = deadline
    return deadline
  }

  /// Returns the fetches whose deadline has passed, in the order of their start, and the time of the next call unless
  /// that call is scheduled already.
  mutating func takeOverdue(at now: Int64) -> (due: [FetchID], next: Int64?) { deadlines.takeDue(at: now) }

  // MARK: Damage

  /// Decides whether other bytes are decoded in place of the damaged bytes of a fetch.
  mutating func findsOtherBytes(for id: FetchID, after error: ImageError, in tree: StageTree) -> Bool {
    guard case .received(let bytes) = tree[id]?.phase else { return false }
    return findsOtherBytes(for: id, from: bytes.source, after: error, isProbe: tree.isProbe(id))
  }

  /// Decides whether other bytes are decoded in place of damaged ones: a damaged stored response is fetched again,
  /// once; in place of a damaged response from the server, the stored response is shown.
  ///
  /// - Parameter isProbe: True if only probes wait for the fetch, which are not served by the stored response.
  mutating func findsOtherBytes(
    for id: FetchID, from source: ImageResponse.Source, after error: ImageError,
    isProbe: @autoclosure () -> Bool
  ) -> Bool {
    let stage = self[id]
    guard error.isDamage,
      source == .disk ? !stage.wasHealed : stage.copy?.mayShowOnError == true && !isProbe()
    else { return false }
    stages[id]?.damage = error
    return true
  }

  /// True if a decode found the bytes of a fetch damaged, and they are to be replaced.
  func isDamaged(_ id: FetchID) -> Bool { stages[id]?.damage != nil }

  /// Removes and returns the error of a decode that found the bytes damaged.
  mutating func takeDamage(_ id: FetchID) -> ImageError? {
    defer { stages[id]?.damage = nil }
    return stages[id]?.damage
  }

  /// Notes that damaged bytes are fetched again from the server.
  mutating func heal(_ id: FetchID) {
    stages[id]?.wasHealed = true
    setCopy(nil, of: id)
  }
}
