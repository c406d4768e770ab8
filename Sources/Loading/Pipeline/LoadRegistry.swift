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
  var lookups = LookupLine()
  /// The number of seconds to wait for a server before a stale response is shown.
  var staleAfter = Double.infinity
  var copyDeadlines = CopyDeadlines()
  var copies = WaitingCopies()

  /// From 0 to 1.
  let random: @Sendable () -> Double
  /// Seconds from the first try to the last retry.
  let totalLimit: Double
  /// When `woken(at:)` is to be called.
  var nextWake: Int64?

  /// No download starts while more bytes than this wait to be decoded: a network that is faster than the
  /// decoders would fill the memory otherwise.
  let undecodedBytesLimit: Int
  var undecodedBytes = 0

  var lastNumber: UInt64
  var waiters = LoadTable<Waiter, Waiter>()
  var pictures = LoadTable<Picture, Picture>()
  var decodes = LoadTable<Decode, Decode>()
  var fetches = LoadTable<Fetch, Fetch>()
  var pictureIDs: [Branch<Decode, PictureKey>: PictureID] = [:]
  var decodeIDs: [Branch<Fetch, DecodeKey>: DecodeID] = [:]
  var fetchIDs: [FetchKey: FetchID] = [:]
  var actions: [LoadAction] = []
  /// See `takeDecodersLetGo()`.
  var decodersLetGo: [CountedDecoder] = []

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

  /// Returns the queue lane (server) of a fetch.
  func lane(of fetch: FetchID) -> DownloadQueue.Lane? { fetches[fetch]?.lane }

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
    isPaused: Bool = false, isProbe: Bool = false
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
      asksNoServer: request.cachePolicy == .cacheOnly, isProbe: isProbe,
      takesCopy: !isProbe && request.cachePolicy == .useCache)
    waiters[task] = waiter
    pictures[pictureID]?.waiters.insert(task)
    if picture != nil, request.cachePolicy.isAnew {
      pictures[pictureID]?.request.cachePolicy = request.cachePolicy
    }
    replaceDemand(of: pictureID, nil, with: waiter.demand)

    joinDisk(fetchID, request)
    if fetch == nil {
      enqueue(fetchID, request.priority)
    } else if decode == nil {
      beginDecode(decodeID)
    } else if picture == nil {
      beginPicture(pictureID)
    }
    if fetch != nil, waiter.takesCopy { limitWaiting(fetchID) }
    holdOrRelease(fetchID)
    return (task, admitted())
  }

  /// What is under way for these bytes and serves a request too.
  func fetchToJoin(_ identity: RequestIdentity, _ request: ImageRequest) -> FetchID? {
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
      var key = decode.key
      key.request = identity
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

  // MARK: Outputs

  /// Downloads that may start now, after whatever else there is to do.
  mutating func admitted() -> [LoadAction] {
    beginLookUps()
    while undecodedBytes < undecodedBytesLimit, let id = queue.startNext(at: now) {
      fetches[id]?.phase = .running
      fetches[id]?.attempts.begin(at: now)
      if let request = fetches[id]?.request { actions.append(.startFetch(id, request)) }
    }
    let next = [queue.nextChange(after: now), lookups.nextChange].compactMap { $0 }.min()
    if let time = next, time < nextWake ?? .max {
      nextWake = time
      actions.append(.wake(at: time))
    }
    return taken()
  }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func taken() -> [LoadAction] {
    defer { actions = [] }
    return actions
  }
}
