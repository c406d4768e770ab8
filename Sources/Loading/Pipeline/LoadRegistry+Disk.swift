import VitrineGraphics

// What is on disk: asked before a server, shown in its place, and healed by it.

extension LoadRegistry {
  // MARK: Inputs

  /// The disk has been asked.
  mutating func lookedUp(_ id: FetchID, _ find: DiskFind) -> [LoadAction] {
    guard case .lookingUp = fetches[id]?.phase, let fetch = fetches[id] else { return [] }
    queue.ended(id, at: now)
    fetches[id]?.phase = .idle
    switch fetch.disk.use {
    case .asServerSays: if showsFind(id, find) { return admitted() }
    case .question: fetches[id]?.disk.copy = find.copy
    case .none: break
    }
    refuse(waitersWithoutServer(id), .notCached)
    goToServer(id)
    return admitted()
  }

  /// Whether what was found is all there is to it.
  private mutating func showsFind(_ id: FetchID, _ find: DiskFind) -> Bool {
    guard let copy = find.copy else {
      guard let failure = find.failure else { return false }
      refuse(waitersWithoutServer(id), .notCached)
      fail(fetches[id]?.decodes ?? [], failure)
      return true
    }
    switch copy.showing {
    case .asFresh: received(copy.freshBytes, id)
    case _ where waitersWithoutServer(id).count == tasks(of: id).count: received(copy.staleBytes(), id)
    case .whileAsking:
      received(copy.staleBytes(because: find.failure), id)
      if find.failure == nil, let request = fetches[id]?.request { actions.append(.revalidate(request)) }
    case .onceAsked:
      fetches[id]?.disk.copy = copy
      guard let failure = find.failure else { return false }
      if !showsCopy(id, because: failure) { fail(fetches[id]?.decodes ?? [], failure) }
    }
    return true
  }

  private func waitersWithoutServer(_ id: FetchID) -> [TaskID] {
    tasks(of: id).filter { waiters[$0]?.asksNoServer == true }
  }

  /// What the server is asked about.
  func copy(of fetch: FetchID) -> StoredCopy? { fetches[fetch]?.disk.copy }

  /// The server's word on it does not fit: it is asked for without a condition.
  mutating func dropCopy(of fetch: FetchID) { fetches[fetch]?.disk.copy = nil }

  /// Whether what a fetch brings is to be kept.
  func keeps(_ fetch: FetchID) -> Bool { fetches[fetch]?.disk.isKept ?? false }

  // MARK: Before the server

  /// Whether a request is served by what a fetch brings: not by what came from disk if it asks the server.
  func mayJoin(_ id: FetchID, _ request: ImageRequest) -> Bool {
    guard request.cachePolicy == .reload || request.cachePolicy == .refresh,
      case .received(let bytes) = fetches[id]?.phase, bytes.source == .disk
    else { return true }
    return bytes.freshness == .revalidated && request.cachePolicy == .refresh
  }

  mutating func joinDisk(_ id: FetchID, _ request: ImageRequest) {
    guard hasDisk, fetches[id]?.lane != .local else { return }
    let known = fetches[id]?.disk.use ?? .none
    fetches[id]?.disk.use = min(known, .init(request.cachePolicy))
    if request.cache.usesDisk { fetches[id]?.disk.isKept = true }
  }

  /// A fetch that has just been made: it waits for the disk first, in the line of what lies on this machine.
  mutating func enqueue(_ id: FetchID, _ priority: ImageRequest.Priority) {
    guard let fetch = fetches[id] else { return }
    let asksDisk = fetch.disk.isKept && fetch.disk.use > .none && fetch.lane != .local
    fetches[id]?.disk.isLookedUp = asksDisk
    let arrival = queue.enqueue(
      id, lane: asksDisk ? .local : fetch.lane, priority: priority, at: now)
    fetches[id]?.arrival = arrival
  }

  /// The turn of a fetch has come; whether it is one to ask the disk.
  mutating func beginsLookUp(_ id: FetchID) -> Bool {
    guard let fetch = fetches[id], fetch.disk.isLookedUp else { return false }
    fetches[id]?.disk.isLookedUp = false
    fetches[id]?.phase = .lookingUp
    actions.append(.lookUp(id, fetch.request, fetch.demand.priority ?? .normal))
    return true
  }

  /// Whether it waits for a server's answer.
  func isOnItsWay(_ id: FetchID) -> Bool {
    guard let fetch = fetches[id] else { return false }
    return switch fetch.phase {
    case .idle: !fetch.disk.isLookedUp
    case .running: true
    case .lookingUp, .received: false
    }
  }

  private mutating func goToServer(_ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    guard let priority = fetch.demand.priority else {
      fetches[id]?.isHeld = true
      return
    }
    queue.enqueue(id, lane: fetch.lane, priority: priority, arrival: fetch.arrival, at: now)
  }

  /// Answers some of those who wait for a fetch.
  mutating func refuse(_ tasks: [TaskID], _ error: ImageError) {
    guard !tasks.isEmpty else { return }
    actions.append(.deliver(tasks, .failure(error)))
    for task in tasks {
      if let picture = forget(task) { removeIfUnwanted(picture) }
    }
  }

  // MARK: After the server

  mutating func received(_ bytes: FetchedBytes, _ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    fetches[id]?.phase = .received(bytes)
    for decode in fetch.decodes.sorted() { beginDecode(decode) }
  }

  /// Shows what the disk has in place of an answer that did not come; whether it does.
  mutating func showsCopy(_ id: FetchID, because error: ImageError) -> Bool {
    guard let copy = fetches[id]?.disk.copy, copy.mayShowOnError, error.isNoAnswer else { return false }
    fetches[id]?.disk.copy = nil
    received(copy.staleBytes(because: error), id)
    return true
  }

  /// Bytes have turned out to be a picture.
  mutating func keep(_ decode: Decode) {
    guard let fetch = fetches[decode.fetch], fetch.disk.isKept, let bytes = decode.bytes else { return }
    if bytes.answer != nil {
      fetches[decode.fetch]?.disk.isKept = false
      actions.append(.keep(bytes, fetch.key))
    } else if bytes.source == .network {
      // It may not be kept any more.
      discard(decode.fetch)
    }
  }

  /// What the disk has is gone, or no picture.
  mutating func discard(_ id: FetchID) {
    if let fetch = fetches[id], fetch.disk.isKept { actions.append(.discard(fetch.key)) }
  }

  /// A decode has found that its bytes are no picture: what came from disk is fetched anew, once, and in place of what a
  /// server has sent that on disk is shown. Whether there is anything else to decode.
  mutating func findsOtherBytes(for decode: Decode, after error: ImageError) -> Bool {
    guard error.isDamage, case .received(let bytes) = fetches[decode.fetch]?.phase,
      let disk = fetches[decode.fetch]?.disk,
      bytes.source == .disk ? !disk.wasHealed : disk.copy?.mayShowOnError == true
    else { return false }
    fetches[decode.fetch]?.disk.damage = error
    settleDamage(decode.fetch)
    return true
  }

  /// Lets other bytes take the place of those that are no picture, as soon as nobody reads them any more.
  mutating func settleDamage(_ id: FetchID) {
    guard let fetch = fetches[id], fetch.unfinishedDecodes == 0, let damage = fetch.disk.damage,
      case .received(let bytes) = fetch.phase
    else { return }
    fetches[id]?.disk.damage = nil
    fetches[id]?.phase = .idle
    if bytes.source == .network, showsCopy(id, because: damage) { return }
    fetches[id]?.disk.wasHealed = true
    fetches[id]?.disk.copy = nil
    discard(id)
    // One who asks no server hears what is wrong with what is here.
    refuse(waitersWithoutServer(id), damage)
    goToServer(id)
  }
}
