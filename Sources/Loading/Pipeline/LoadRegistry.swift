import VitrineGraphics

/// The life of every load, as decisions only: an input comes in, and what is to be done goes out.
///
/// Everything that runs can be joined, at each of three levels: bytes, decoded pixels, transformed picture.
/// Whoever leaves leaves the others untouched; the last to leave stops the work, level by level.
struct LoadRegistry {
  /// Bounds and order of the downloads. Call `admitted()` after a change.
  var queue = DownloadQueue()
  /// Nanoseconds; whoever calls sets it first.
  var now: Int64 = 0
  /// Which failures are tried again.
  var retries = RetryPolicy.none

  /// Whether there is a disk to ask.
  var hasDisk = false

  /// From 0 to 1.
  private let random: @Sendable () -> Double
  /// Seconds from the first try to the last retry.
  private let totalLimit: Double
  /// When `woken(at:)` is to be called.
  private var nextWake: Int64?

  /// No download starts while more bytes than this wait to be decoded: a network that is faster than the
  /// decoders would fill the memory otherwise.
  private let undecodedBytesLimit: Int
  private var undecodedBytes = 0

  private var lastNumber: UInt64
  var waiters: [TaskID: Waiter] = [:]
  private(set) var pictures: [PictureID: Picture] = [:]
  var decodes: [DecodeID: Decode] = [:]
  var fetches: [FetchID: Fetch] = [:]
  private var pictureIDs: [Branch<Decode, PictureKey>: PictureID] = [:]
  private var decodeIDs: [Branch<Fetch, DecodeKey>: DecodeID] = [:]
  private var fetchIDs: [FetchKey: FetchID] = [:]
  var actions: [LoadAction] = []

  /// - Parameters:
  ///   - firstNumber: what all numbers it gives out are above.
  ///   - totalLimit: seconds after its first start in which a download is tried again.
  ///   - random: from 0 to 1.
  init(
    firstNumber: UInt64 = 0, undecodedBytesLimit: Int = .max, totalLimit: Double = .infinity,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    lastNumber = firstNumber
    self.totalLimit = totalLimit
    self.random = random
    self.undecodedBytesLimit = undecodedBytesLimit
  }

  /// Callers who wait.
  var waiterCount: Int { waiters.count }
  var isEmpty: Bool { waiters.isEmpty && pictures.isEmpty && decodes.isEmpty && fetches.isEmpty }

  /// The fetch that a caller waits for.
  func fetch(of task: TaskID) -> FetchID? { stages(of: task)?.fetch }

  /// The stages that a caller waits for; nil for one who does not wait.
  func stages(of task: TaskID) -> (fetch: FetchID, decode: DecodeID, picture: PictureID)? {
    guard let picture = waiters[task]?.picture, let decode = pictures[picture]?.decode,
      let fetch = decodes[decode]?.fetch
    else { return nil }
    return (fetch, decode, picture)
  }

  /// Callers who wait for a fetch, in order of registration.
  func tasks(of fetch: FetchID) -> [TaskID] {
    let pictures = (fetches[fetch]?.decodes ?? []).flatMap { decodes[$0]?.pictures ?? [] }
    return pictures.flatMap { self.pictures[$0]?.waiters ?? [] }.sorted()
  }

  func isRunning(_ fetch: FetchID) -> Bool {
    if case .running = fetches[fetch]?.phase { true } else { false }
  }

  /// What a fetch that runs was asked for.
  func request(of fetch: FetchID) -> ImageRequest? { isRunning(fetch) ? fetches[fetch]?.request : nil }

  /// What the bytes of a decode that runs were asked for by, unless they are those of the disk: what becomes of them
  /// says nothing of the server.
  func requestToServer(of decode: DecodeID) -> ImageRequest? {
    guard let decode = decodes[decode], case .running = decode.phase, decode.bytes?.source != .disk else {
      return nil
    }
    return fetches[decode.fetch]?.request
  }

  /// Whether somebody waits for a picture that is ready.
  func isStoring(_ id: PictureID) -> Bool {
    if case .storing = pictures[id]?.phase { true } else { false }
  }

  /// Whether `request` would join a download that is under way.
  func isFetching(_ identity: RequestIdentity) -> Bool {
    fetchIDs[FetchKey(request: identity, asksNoServer: false)] != nil
  }

  // MARK: Inputs of callers

  /// Someone wants a picture: joins what runs for it at the deepest level, and starts the rest.
  mutating func start(
    _ request: ImageRequest, additionalIdentifier: String? = nil, lane: DownloadQueue.Lane,
    isPaused: Bool = false
  ) -> (task: TaskID, actions: [LoadAction]) {
    let key = PictureKey(request, additionalIdentifier: additionalIdentifier)
    let fetch = fetchToJoin(key.picture.request, request)
    let decode = fetch.flatMap { decodeIDs[Branch(stage: $0, key: key.decode)] }
    let picture = decode.flatMap { pictureIDs[Branch(stage: $0, key: key)] }
    let fetchID = fetch ?? makeFetch(key.picture.request, request, lane)
    let decodeID = decode ?? makeDecode(key.decode, fetchID)
    let pictureID = picture ?? makePicture(key, decodeID, request, additionalIdentifier)
    let task = TaskID(number: nextNumber())
    let waiter = Waiter(
      picture: pictureID, priority: request.priority, progressive: request.progressive, isPaused: isPaused,
      asksNoServer: request.cachePolicy == .cacheOnly)
    waiters[task] = waiter
    pictures[pictureID]?.waiters.insert(task)
    replaceDemand(of: pictureID, nil, with: waiter.demand)

    joinDisk(fetchID, request)
    if fetch == nil {
      enqueue(fetchID, request.priority)
    } else if decode == nil {
      beginDecode(decodeID)
    } else if picture == nil {
      beginPicture(pictureID)
    }
    holdOrRelease(fetchID)
    return (task, admitted())
  }

  /// What is under way for these bytes and serves a request too.
  private func fetchToJoin(_ identity: RequestIdentity, _ request: ImageRequest) -> FetchID? {
    let id = fetchIDs[FetchKey(request: identity, asksNoServer: false)]
    if let id, mayJoin(id, request) { return id }
    return request.cachePolicy == .cacheOnly
      ? fetchIDs[FetchKey(request: identity, asksNoServer: true)] : nil
  }

  /// A caller does not want it any more, and hears so. Nothing happens for one who has been answered.
  mutating func cancel(_ task: TaskID) -> [LoadAction] {
    guard let fetch = fetch(of: task), let picture = forget(task) else { return [] }
    actions.append(.deliver([task], .failure(.cancelled)))
    removeIfUnwanted(picture)
    holdOrRelease(fetch)
    return admitted()
  }

  /// A caller leaves without an answer: it will ask for something else.
  mutating func leave(_ task: TaskID) -> [LoadAction] {
    guard let fetch = fetch(of: task), let picture = forget(task) else { return [] }
    removeIfUnwanted(picture)
    holdOrRelease(fetch)
    return admitted()
  }

  /// A fetch is known as another one's from now on, with all that is made of it; unless that is under way
  /// already.
  mutating func setIdentity(_ identity: RequestIdentity, of id: FetchID) {
    guard let fetch = fetches[id] else { return }
    let key = FetchKey(request: identity, asksNoServer: fetch.asksNoServer)
    guard fetchIDs[key] == nil else { return }
    forgetKey(of: fetch, id)
    fetchIDs[key] = id
    fetches[id]?.key = identity
    fetches[id]?.request.identity = identity
    for decodeID in fetch.decodes {
      guard let decode = decodes[decodeID] else { continue }
      let key = DecodeKey(request: identity, target: decode.key.target, limits: decode.key.limits)
      decodeIDs[Branch(stage: id, key: decode.key)] = nil
      decodeIDs[Branch(stage: id, key: key)] = decodeID
      decodes[decodeID]?.key = key
      for pictureID in decode.pictures {
        guard let picture = pictures[pictureID] else { continue }
        var request = picture.request
        request.identity = identity
        let key = PictureKey(request, additionalIdentifier: picture.additionalIdentifier)
        pictureIDs[Branch(stage: decodeID, key: picture.key)] = nil
        pictureIDs[Branch(stage: decodeID, key: key)] = pictureID
        pictures[pictureID]?.key = key
        pictures[pictureID]?.request = request
      }
    }
  }

  /// Everyone hears `.cancelled`, in order of registration, and all work stops.
  mutating func cancelAll() -> [LoadAction] {
    let tasks = waiters.keys.sorted()
    if !tasks.isEmpty { actions.append(.deliver(tasks, .failure(.cancelled))) }
    // All of them first: what goes then finds nobody whom it has to tell.
    for picture in tasks.compactMap({ forget($0) }) { removeIfUnwanted(picture) }
    return taken()
  }

  mutating func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) -> [LoadAction] {
    guard let old = waiters[task], old.priority != priority else { return [] }
    waiters[task]?.priority = priority
    if !old.isPaused { replaceDemand(of: old.picture, old.priority, with: priority) }
    return taken()
  }

  /// A caller does not need it now, or does so again. A transfer that nobody needs now is stopped; what is here already
  /// is made into the picture all the same.
  mutating func setPaused(_ isPaused: Bool, _ task: TaskID) -> [LoadAction] {
    guard let waiter = waiters[task], waiter.isPaused != isPaused, let fetch = fetch(of: task) else {
      return []
    }
    waiters[task]?.isPaused = isPaused
    replaceDemand(of: waiter.picture, waiter.demand, with: isPaused ? nil : waiter.priority)
    holdOrRelease(fetch)
    return admitted()
  }

  /// The network is there again: what waits for a server or for its next try goes on now.
  mutating func networkReturned() -> [LoadAction] {
    queue.networkReturned()
    return admitted()
  }

  /// The time of a `.wake` has come.
  mutating func woken(at time: Int64) -> [LoadAction] {
    if nextWake == time { nextWake = nil }
    return admitted()
  }

  // MARK: Inputs of those who do the work

  mutating func fetchEnded(_ id: FetchID, _ end: FetchEnd) -> [LoadAction] {
    guard isRunning(id) else { return [] }
    fetches[id]?.attempts.end(at: now)
    guard let fetch = fetches[id] else { return [] }
    queue.ended(
      id, status: end.response?.status, retryAfter: end.retryAfter, speaksHTTP2: end.speaksHTTP2, at: now)
    fetches[id]?.phase = .idle
    switch end.outcome {
    case .bytes(let bytes) where bytes.body.isEmpty:
      if !showsCopy(id, because: .emptyBody) { fail(fetch.decodes, .emptyBody) }
    case .bytes(let bytes):
      received(bytes, id)
    case .notModified:
      // Nobody has asked.
      fail(fetch.decodes, .status(304))
    case .needsWhole where !fetch.attempts.hasRestarted:
      fetches[id]?.attempts.hasRestarted = true
      tryAgain(id, at: now)
    case .needsWhole:
      fail(fetch.decodes, .status(416))
    case .failed(let error):
      if showsCopy(id, because: error) { break }
      guard let delay = retryDelay(fetch, error, end.retryAfter) else {
        if [.status(404), .status(410)].contains(error) { discard(id) }
        fail(fetch.decodes, error)
        break
      }
      fetches[id]?.attempts.retries += 1
      tryAgain(id, at: now.advanced(bySeconds: delay))
      actions.append(.announce(tasks(of: id), .willRetry(after: delay, error)))
    }
    return admitted()
  }

  private func retryDelay(_ fetch: Fetch, _ error: ImageError, _ retryAfter: Double?) -> Double? {
    guard fetch.lane != .local else { return nil }
    let delay = retries.delay(
      beforeRetry: fetch.attempts.retries, of: error, retryAfter: retryAfter, random: random())
    return delay.flatMap { isInTime(fetch, after: $0) ? $0 : nil }
  }

  private func isInTime(_ fetch: Fetch, after delay: Double) -> Bool {
    fetch.attempts.spent + delay < totalLimit
  }

  /// What earlier tries took.
  func secondsSpent(on fetch: FetchID) -> Double { fetches[fetch]?.attempts.spent ?? 0 }

  /// Before its first try.
  func secondsQueued(_ fetch: FetchID) -> Double { fetches[fetch]?.attempts.secondsQueued ?? 0 }

  private mutating func tryAgain(_ id: FetchID, at time: Int64) {
    guard let fetch = fetches[id], let priority = fetch.demand.priority else { return }
    fetches[id]?.attempts.earliest = time
    queue.enqueue(id, lane: fetch.lane, priority: priority, notBefore: time)
  }

  /// Takes a download that nobody needs now out of the queue or off the network, or puts it back.
  private mutating func holdOrRelease(_ id: FetchID) {
    guard let fetch = fetches[id] else { return }
    guard let priority = fetch.demand.priority else {
      switch fetch.phase {
      // The disk is asked all the same.
      case .idle where fetch.disk.isLookedUp: return
      case .idle where !fetch.isHeld: queue.remove(id)
      case .running:
        actions.append(.pauseFetch(id))
        // Not in vain: it is wanted again, perhaps.
        queue.ended(id, at: now)
      case .idle, .lookingUp, .received: return
      }
      fetches[id]?.phase = .idle
      fetches[id]?.isHeld = true
      // It has all its time again when somebody wants it.
      fetches[id]?.attempts.began = nil
      fetches[id]?.attempts.spent = 0
      return
    }
    guard fetch.isHeld else { return }
    fetches[id]?.isHeld = false
    queue.enqueue(id, lane: fetch.lane, priority: priority, notBefore: fetch.attempts.earliest, at: now)
  }

  mutating func decodeEnded(_ id: DecodeID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard let decode = decodes[id], case .running = decode.phase else { return [] }
    finishDecoding(decode)
    decodes[id]?.phase = .idle
    switch result {
    case .success(let image):
      keep(decode)
      outdateOlder(than: decode.fetch)
      decodes[id]?.phase = .decoded(image)
      for picture in decode.pictures.sorted() { beginPicture(picture) }
      settleDamage(decode.fetch)
    case .failure(let error):
      if !findsOtherBytes(for: decode, after: error) { fail([id], error) }
    }
    return admitted()
  }

  mutating func transformEnded(_ id: PictureID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard let picture = pictures[id], case .transforming = picture.phase else { return [] }
    pictures[id]?.phase = .idle
    switch result {
    case .success(let image): beginStoring(id, image)
    case .failure(let error): finish([id], .failure(error))
    }
    return admitted()
  }

  /// The cache has been offered the picture: now whoever asks again is served by it, and those who joined
  /// until now are answered.
  mutating func storeEnded(_ id: PictureID) -> [LoadAction] {
    guard let picture = pictures[id], case .storing(let image) = picture.phase,
      let decode = decodes[picture.decode], let fetch = fetches[decode.fetch], let bytes = decode.bytes
    else { return [] }
    var response = ImageResponse(
      image: image, source: fetch.request.isLocal ? .file : bytes.source, http: bytes.response,
      metrics: bytes.metrics, freshness: bytes.freshness, data: bytes.body)
    if fetch.disk.isSettled { response.storing = bytes.storing }
    finish([id], .success(response))
    return admitted()
  }

  /// Downloads that may start now, after whatever else there is to do.
  mutating func admitted() -> [LoadAction] {
    while undecodedBytes < undecodedBytesLimit, let id = queue.startNext(at: now) {
      if beginsLookUp(id) { continue }
      fetches[id]?.phase = .running
      fetches[id]?.attempts.begin(at: now)
      if let request = fetches[id]?.request { actions.append(.startFetch(id, request)) }
    }
    if let time = queue.nextChange(after: now), time < nextWake ?? .max {
      nextWake = time
      actions.append(.wake(at: time))
    }
    return taken()
  }

  // MARK: Stages begin

  private mutating func makeFetch(
    _ key: RequestIdentity, _ request: ImageRequest, _ lane: DownloadQueue.Lane
  ) -> FetchID {
    let id = FetchID(number: nextNumber())
    var fetch = Fetch(key: key, request: request, lane: lane, attempts: Attempts(queued: now))
    let key = FetchKey(request: key, asksNoServer: fetch.asksNoServer)
    fetch.overtaken = fetchIDs[key]
    fetches[id] = fetch
    fetchIDs[key] = id
    return id
  }

  private mutating func makeDecode(_ key: DecodeKey, _ fetch: FetchID) -> DecodeID {
    let id = DecodeID(number: nextNumber())
    decodes[id] = Decode(key: key, fetch: fetch)
    decodeIDs[Branch(stage: fetch, key: key)] = id
    fetches[fetch]?.decodes.insert(id)
    return id
  }

  private mutating func makePicture(
    _ key: PictureKey, _ decode: DecodeID, _ request: ImageRequest, _ additionalIdentifier: String?
  ) -> PictureID {
    let id = PictureID(number: nextNumber())
    pictures[id] = Picture(
      key: key, decode: decode, request: request, additionalIdentifier: additionalIdentifier)
    pictureIDs[Branch(stage: decode, key: key)] = id
    decodes[decode]?.pictures.insert(id)
    return id
  }

  /// Starts once the bytes are here.
  mutating func beginDecode(_ id: DecodeID) {
    guard let decode = decodes[id], case .idle = decode.phase, let fetch = fetches[decode.fetch],
      case .received(let bytes) = fetch.phase
    else { return }
    decodes[id]?.phase = .running
    decodes[id]?.bytes = bytes
    decodes[id]?.parts = [:]
    fetches[decode.fetch]?.unfinishedDecodes += 1
    if fetch.unfinishedDecodes == 0 { undecodedBytes += bytes.body.count }
    actions.append(.decode(id, bytes.body, decode.key, decode.demand.priority ?? .normal))
  }

  /// Starts once the pixels are here.
  private mutating func beginPicture(_ id: PictureID) {
    guard let picture = pictures[id], case .decoded(let image) = decodes[picture.decode]?.phase else {
      return
    }
    guard !picture.request.transforms.isEmpty else { return beginStoring(id, image) }
    pictures[id]?.phase = .transforming
    actions.append(.transform(id, image, picture.request.transforms, picture.demand.priority ?? .normal))
  }

  private mutating func beginStoring(_ id: PictureID, _ image: Image) {
    guard let picture = pictures[id], let fetch = decodes[picture.decode]?.fetch else { return }
    pictures[id]?.phase = .storing(image)
    var request = picture.request
    if fetches[fetch]?.isOutdated == true { request.cache = .none }
    actions.append(.store(id, image, request, additionalIdentifier: picture.additionalIdentifier))
  }

  /// What a fetch has brought is newer than what those have that it has overtaken.
  private mutating func outdateOlder(than id: FetchID) {
    var next = fetches[id]?.overtaken
    while let id = next {
      fetches[id]?.isOutdated = true
      fetches[id]?.disk.isKept = false
      next = fetches[id]?.overtaken
    }
  }

  // MARK: Stages end

  mutating func fail(_ decodes: Set<DecodeID>, _ error: ImageError) {
    finish(decodes.reduce(into: []) { $0.formUnion(self.decodes[$1]?.pictures ?? []) }, .failure(error))
  }

  /// Answers everyone who waits for one of `ids`, in order of registration, and lets the pictures go.
  private mutating func finish(_ ids: Set<PictureID>, _ result: Result<ImageResponse, ImageError>) {
    let tasks = ids.flatMap { pictures[$0]?.waiters ?? [] }.sorted()
    actions.append(.deliver(tasks, result))
    for task in tasks { _ = forget(task) }
    for id in ids { removeIfUnwanted(id) }
  }

  /// Takes a caller out of the tree; what is left of it may be unwanted now.
  mutating func forget(_ task: TaskID) -> PictureID? {
    guard let waiter = waiters.removeValue(forKey: task) else { return nil }
    pictures[waiter.picture]?.waiters.remove(task)
    replaceDemand(of: waiter.picture, waiter.demand, with: nil)
    return waiter.picture
  }

  mutating func removeIfUnwanted(_ id: PictureID) {
    guard let picture = pictures[id], picture.waiters.isEmpty else { return }
    if case .transforming = picture.phase { actions.append(.cancelWork(number: id.number)) }
    pictures[id] = nil
    pictureIDs[Branch(stage: picture.decode, key: picture.key)] = nil
    decodes[picture.decode]?.pictures.remove(id)
    removeIfUnwanted(picture.decode)
  }

  private mutating func removeIfUnwanted(_ id: DecodeID) {
    guard let decode = decodes[id], decode.pictures.isEmpty else { return }
    if case .running = decode.phase {
      actions.append(.cancelWork(number: id.number))
      finishDecoding(decode)
    }
    decodes[id] = nil
    decodeIDs[Branch(stage: decode.fetch, key: decode.key)] = nil
    fetches[decode.fetch]?.decodes.remove(id)
    settleDamage(decode.fetch)
    removeIfUnwanted(decode.fetch)
  }

  private mutating func removeIfUnwanted(_ id: FetchID) {
    guard let fetch = fetches[id], fetch.decodes.isEmpty else { return }
    switch fetch.phase {
    case .running: actions.append(.cancelFetch(id))
    case .lookingUp: actions.append(.cancelLookUp(id))
    case .idle, .received: break
    }
    queue.remove(id, at: now)
    fetches[id] = nil
    forgetKey(of: fetch, id)
  }

  /// Another one may have it by now.
  private mutating func forgetKey(of fetch: Fetch, _ id: FetchID) {
    let key = FetchKey(request: fetch.key, asksNoServer: fetch.asksNoServer)
    if fetchIDs[key] == id { fetchIDs[key] = nil }
  }

  private mutating func finishDecoding(_ decode: Decode) {
    guard let fetch = fetches[decode.fetch], case .received(let bytes) = fetch.phase else { return }
    fetches[decode.fetch]?.unfinishedDecodes -= 1
    if fetch.unfinishedDecodes == 1 { undecodedBytes -= bytes.body.count }
  }

  // MARK: Demand

  /// Exchanges a caller's priority at all three levels; work that waits moves to its new place.
  private mutating func replaceDemand(
    of id: PictureID, _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) {
    guard let picture = pictures[id], let decode = decodes[picture.decode] else { return }
    if let priority = pictures[id]?.demand.replace(old, with: new) ?? nil, case .transforming = picture.phase
    {
      actions.append(.reprioritizeWork(number: id.number, priority))
    }
    if let priority = decodes[picture.decode]?.demand.replace(old, with: new) ?? nil,
      case .running = decode.phase
    {
      actions.append(.reprioritizeWork(number: picture.decode.number, priority))
    }
    if let priority = fetches[decode.fetch]?.demand.replace(old, with: new) ?? nil {
      queue.setPriority(priority, of: decode.fetch, at: now)
    }
  }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  private mutating func taken() -> [LoadAction] {
    defer { actions = [] }
    return actions
  }
}
