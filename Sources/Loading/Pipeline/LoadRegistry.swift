import VitrineGraphics

/// The state of all loads. Makes decisions only: each input returns the actions to perform.
///
/// Running work can be joined at three levels: bytes, decoded pixels, processed image. A caller that leaves does not
/// affect the other callers. The last caller to leave stops the work, level by level.
struct LoadRegistry {
  /// The limits and the order of downloads. Call `admitted()` after a change.
  var queue = DownloadQueue()
  /// The current time in nanoseconds. The engine sets this before each input.
  var now: Int64 = 0
  /// The policy for retrying failed downloads.
  var retries = RetryPolicy.none

  /// True if there is a disk cache.
  var hasDisk = false
  var lookups = LookupLine()
  /// The number of seconds to wait for a server before a stale response is shown.
  var staleAfter = Double.infinity
  var copyDeadlines = CopyDeadlines()
  var copies = WaitingCopies()

  /// Returns a random number from 0 to 1, for the delay of retries.
  let random: @Sendable () -> Double
  /// The time limit for all attempts of a download, in seconds. A retry is made only if the duration of the earlier
  /// attempts and the delay together are below this limit.
  let totalLimit: Double
  /// The time at which `woken(at:)` is to be called; `nil` if no call is scheduled.
  var nextWake: Int64?

  /// The number of undecoded bytes at which no further download or look-up starts. A network that is faster than the
  /// decoders would otherwise fill the memory.
  let undecodedBytesLimit: Int
  var undecodedBytes = 0

  var lastNumber: UInt64
  var waiters = LoadTable<Waiter, Waiter>()
  var processedImages = LoadTable<ProcessedImage, ProcessedImage>()
  var decodes = LoadTable<Decode, Decode>()
  var fetches = LoadTable<Fetch, Fetch>()
  var processedImageIDs: [Branch<Decode, ProcessedImageKey>: ProcessedImageID] = [:]
  var decodeIDs: [Branch<Fetch, DecodeKey>: DecodeID] = [:]
  var fetchIDs: [FetchKey: FetchID] = [:]
  var actions: [LoadAction] = []
  /// The preview decoders that are to be released; see `takeReleasedDecoders()`.
  var releasedDecoders: [ReservedDecoder] = []

  /// - Parameters:
  ///   - firstNumber: The number below all numbers that the registry assigns.
  ///   - totalLimit: The time limit for all attempts of a download, in seconds.
  ///   - random: Returns a random number from 0 to 1.
  init(
    firstNumber: UInt64 = 0, undecodedBytesLimit: Int = .max, totalLimit: Double = .infinity,
    random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    lastNumber = firstNumber
    self.totalLimit = totalLimit
    self.random = random
    self.undecodedBytesLimit = undecodedBytesLimit
  }

  /// The number of waiting callers.
  var waiterCount: Int { waiters.count }
  var isEmpty: Bool { waiters.isEmpty && processedImages.isEmpty && decodes.isEmpty && fetches.isEmpty }

  /// Returns the fetch that a caller waits for.
  func fetch(of task: TaskID) -> FetchID? { stages(of: task)?.fetch }

  /// Returns the stages that a caller waits for, or `nil` if the caller does not wait.
  func stages(of task: TaskID) -> (fetch: FetchID, decode: DecodeID, processedImage: ProcessedImageID)? {
    guard let processedImage = waiters[task]?.processedImage,
      let decode = processedImages[processedImage]?.decode,
      let fetch = decodes[decode]?.fetch
    else { return nil }
    return (fetch, decode, processedImage)
  }

  /// Returns the callers that wait for a fetch, in order of registration.
  func tasks(of fetch: FetchID) -> [TaskID] {
    let processedImages = (fetches[fetch]?.decodes ?? []).flatMap { decodes[$0]?.processedImages ?? [] }
    return processedImages.flatMap { self.processedImages[$0]?.waiters ?? [] }.sorted()
  }

  func isRunning(_ fetch: FetchID) -> Bool {
    if case .running = fetches[fetch]?.phase { true } else { false }
  }

  /// Returns the request of a running fetch, or `nil` if the fetch is not running.
  func request(of fetch: FetchID) -> ImageRequest? { isRunning(fetch) ? fetches[fetch]?.request : nil }

  /// Returns the queue lane (server) of a fetch.
  func lane(of fetch: FetchID) -> DownloadQueue.Lane? { fetches[fetch]?.lane }

  /// Returns the request of the bytes of a running decode. Returns `nil` for bytes from disk, because a decode of these
  /// says nothing about the server.
  func requestToServer(of decode: DecodeID) -> ImageRequest? {
    guard let decode = decodes[decode], case .running = decode.phase, decode.bytes?.source != .disk else {
      return nil
    }
    return fetches[decode.fetch]?.request
  }

  /// Returns true if an image is ready for the cache and a caller still waits for the image.
  func isStoring(_ id: ProcessedImageID) -> Bool {
    if case .storing = processedImages[id]?.phase { true } else { false }
  }

  /// Returns true if a fetch of `identity` that may ask the server is under way.
  func isFetching(_ identity: RequestIdentity) -> Bool {
    fetchIDs[FetchKey(request: identity, isCacheOnly: false)] != nil
  }

  // MARK: Inputs from callers

  /// Adds a caller that waits for an image. Joins running work at the deepest possible level, and starts the rest.
  mutating func start(
    _ request: ImageRequest, additionalIdentifier: String? = nil, lane: DownloadQueue.Lane,
    isPaused: Bool = false, isProbe: Bool = false
  ) -> (task: TaskID, actions: [LoadAction]) {
    let key = ProcessedImageKey(request, additionalIdentifier: additionalIdentifier)
    let fetch = fetchToJoin(key.processedImage.request, request)
    let decode = fetch.flatMap { decodeIDs[Branch(stage: $0, key: key.decode)] }
    let processedImage = decode.flatMap { processedImageIDs[Branch(stage: $0, key: key)] }
    let fetchID = fetch ?? makeFetch(key.processedImage.request, request, lane)
    let decodeID = decode ?? makeDecode(key.decode, fetchID)
    let processedImageID = processedImage ?? makeProcessedImage(key, decodeID, request, additionalIdentifier)
    let task = TaskID(number: nextNumber())
    let waiter = Waiter(
      processedImage: processedImageID, priority: request.priority, progressive: request.progressive,
      isPaused: isPaused,
      isCacheOnly: request.cachePolicy == .cacheOnly, isProbe: isProbe,
      takesCopy: !isProbe && request.cachePolicy == .useCache)
    waiters[task] = waiter
    processedImages[processedImageID]?.waiters.insert(task)
    if processedImage != nil, request.cachePolicy.bypassesCache {
      processedImages[processedImageID]?.request.cachePolicy = request.cachePolicy
    }
    replaceDemand(of: processedImageID, nil, with: waiter.demand)

    joinDisk(fetchID, request)
    if fetch == nil {
      enqueue(fetchID, request.priority)
    } else if decode == nil {
      beginDecode(decodeID)
    } else if processedImage == nil {
      beginProcessing(processedImageID)
    }
    if fetch != nil, waiter.takesCopy { limitWaiting(fetchID) }
    reserveOrRelease(fetchID)
    return (task, admitted())
  }

  /// Returns the running fetch of these bytes that also serves `request`, if there is one.
  func fetchToJoin(_ identity: RequestIdentity, _ request: ImageRequest) -> FetchID? {
    let id = fetchIDs[FetchKey(request: identity, isCacheOnly: false)]
    if let id, mayJoin(id, request) { return id }
    return request.cachePolicy == .cacheOnly
      ? fetchIDs[FetchKey(request: identity, isCacheOnly: true)] : nil
  }

  /// Removes a caller, which receives `.cancelled`. Does nothing if the caller has received a result.
  mutating func cancel(_ task: TaskID) -> [LoadAction] {
    guard let fetch = fetch(of: task), let processedImage = forget(task) else { return [] }
    actions.append(.deliver([task], .failure(.cancelled)))
    removeIfUnwanted(processedImage)
    reserveOrRelease(fetch)
    return admitted()
  }

  /// Removes a caller without a result, because the caller will send another request.
  mutating func leave(_ task: TaskID) -> [LoadAction] {
    guard let fetch = fetch(of: task), let processedImage = forget(task) else { return [] }
    removeIfUnwanted(processedImage)
    reserveOrRelease(fetch)
    return admitted()
  }

  /// Changes the identity of a fetch and of all stages that depend on the fetch. Does nothing if a fetch with this
  /// identity is under way.
  mutating func setIdentity(_ identity: RequestIdentity, of id: FetchID) {
    guard let fetch = fetches[id] else { return }
    let key = FetchKey(request: identity, isCacheOnly: fetch.isCacheOnly)
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
      for processedImageID in decode.processedImages {
        guard let processedImage = processedImages[processedImageID] else { continue }
        var request = processedImage.request
        request.identity = identity
        let key = ProcessedImageKey(request, additionalIdentifier: processedImage.additionalIdentifier)
        processedImageIDs[Branch(stage: decodeID, key: processedImage.key)] = nil
        processedImageIDs[Branch(stage: decodeID, key: key)] = processedImageID
        processedImages[processedImageID]?.key = key
        processedImages[processedImageID]?.request = request
      }
    }
  }

  /// Removes all callers, which receive `.cancelled` in order of registration, and stops all work.
  mutating func cancelAll() -> [LoadAction] {
    let tasks = waiters.keys.sorted()
    if !tasks.isEmpty { actions.append(.deliver(tasks, .failure(.cancelled))) }
    // All callers are removed before any stage, so that no stage has a caller to notify when it is removed.
    for processedImage in tasks.compactMap({ forget($0) }) { removeIfUnwanted(processedImage) }
    return taken()
  }

  mutating func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) -> [LoadAction] {
    guard let old = waiters[task], old.priority != priority else { return [] }
    waiters[task]?.priority = priority
    if !old.isPaused { replaceDemand(of: old.processedImage, old.priority, with: priority) }
    return taken()
  }

  /// Pauses or resumes a caller. A transfer is stopped when all callers have paused. Bytes that have been received are
  /// processed nevertheless.
  mutating func setPaused(_ isPaused: Bool, _ task: TaskID) -> [LoadAction] {
    guard let waiter = waiters[task], waiter.isPaused != isPaused, let fetch = fetch(of: task) else {
      return []
    }
    waiters[task]?.isPaused = isPaused
    replaceDemand(of: waiter.processedImage, waiter.demand, with: isPaused ? nil : waiter.priority)
    reserveOrRelease(fetch)
    return admitted()
  }

  /// Continues downloads that wait for a server or for the next attempt, because the network has returned.
  mutating func networkReturned() -> [LoadAction] {
    queue.networkReturned()
    return admitted()
  }

  /// Called at the time of a `.wake`.
  mutating func woken(at time: Int64) -> [LoadAction] {
    if nextWake == time { nextWake = nil }
    return admitted()
  }

  // MARK: Outputs

  /// Starts the look-ups and downloads that may begin now. Returns all pending actions.
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
