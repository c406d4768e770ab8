import VitrineGraphics

/// The running loads, as a tree: a fetch has decodes, a decode has processed images, and a processed image has waiting
/// callers.
///
/// Fetches, decodes and images are shared by all callers that need them, and are removed with the last of these
/// callers. The tree knows neither transfers nor the disk nor previews: each change returns its consequences for these.
/// Stages are removed from the leaves: after `leave`, call `removeIfUnwanted` for the image, the decode and the fetch.
struct StageTree {
  private var lastNumber: UInt64
  private var waiters = LoadTable<TaskKind, Waiter>()
  private var processedImages = LoadTable<ProcessedImageKind, ProcessedImage>()
  private var decodes = LoadTable<DecodeKind, Decode>()
  private var fetches = LoadTable<FetchKind, Fetch>()
  private var index = StageIndex()
  /// The number of bytes that have been received and are not decoded.
  private(set) var undecodedBytes = 0
  /// Objects of the application that removed stages have held: transforms, checks and caches. Empty for most requests.
  private var releasedObjects: [any Sendable] = []

  /// - Parameter firstNumber: The number below all numbers that the tree assigns.
  init(firstNumber: UInt64 = 0) { lastNumber = firstNumber }

  /// Returns a number that no stage and no caller has.
  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Contents

  /// The number of waiting callers.
  var waiterCount: Int { waiters.count }
  var isEmpty: Bool { waiters.isEmpty && processedImages.isEmpty && decodes.isEmpty && fetches.isEmpty }

  // Read in place, because a copy of a stage would cost dozens of reference counts.
  subscript(id: TaskID) -> Waiter? { _read { yield waiters[id] } }
  subscript(id: ProcessedImageID) -> ProcessedImage? { _read { yield processedImages[id] } }
  subscript(id: DecodeID) -> Decode? { _read { yield decodes[id] } }
  subscript(id: FetchID) -> Fetch? { _read { yield fetches[id] } }

  /// Returns the stages that a caller waits for, or `nil` if the caller does not wait.
  func stages(of task: TaskID) -> (fetch: FetchID, decode: DecodeID, processedImage: ProcessedImageID)? {
    guard let processedImage = waiters[task]?.processedImage,
      let decode = processedImages[processedImage]?.decode,
      let fetch = decodes[decode]?.fetch
    else { return nil }
    return (fetch, decode, processedImage)
  }

  /// Returns the fetch that a caller waits for.
  func fetch(of task: TaskID) -> FetchID? { stages(of: task)?.fetch }

  /// Returns the fetch that a processed image is made from.
  func fetch(of id: ProcessedImageID) -> FetchID? {
    processedImages[id].flatMap { decodes[$0.decode]?.fetch }
  }

  /// Returns the newest fetch with this key that is under way.
  func fetch(_ key: FetchKey) -> FetchID? { index[key] }

  /// Returns true if a fetch of `identity` that may ask the server is under way.
  func isFetching(_ identity: RequestIdentity) -> Bool {
    index[FetchKey(request: identity, isCacheOnly: false)] != nil
  }

  /// True if the transfer of a fetch is running.
  func isRunning(_ id: FetchID) -> Bool { if case .running = fetches[id]?.phase { true } else { false } }

  /// Returns the request of a running fetch, or `nil` if the fetch is not running.
  func runningRequest(of id: FetchID) -> ImageRequest? { isRunning(id) ? fetches[id]?.request : nil }

  /// Returns the images of a fetch with callers that may be served by a stale response while the server is asked; see
  /// `Waiter.takesCopy(atOnce:)`.
  func imagesTakingCopy(
    of id: FetchID, atOnce: Bool
  ) -> [(request: ImageRequest, additionalIdentifier: String?)] {
    images(of: id).sorted().filter { hasCaller(of: $0) { $0.takesCopy(atOnce: atOnce) } }
      .compactMap { processedImages[$0] }.map { ($0.request, $0.additionalIdentifier) }
  }

  /// Returns the earlier fetches with an equal key that a fetch has overtaken, the newest first.
  func overtaken(by id: FetchID) -> [FetchID] {
    var earlier: [FetchID] = []
    while let next = fetches[earlier.last ?? id]?.overtaken { earlier.append(next) }
    return earlier
  }

  /// Returns true if an image is ready for the cache and a caller still waits for the image.
  func isStoring(_ id: ProcessedImageID) -> Bool {
    if case .storing = processedImages[id]?.phase { true } else { false }
  }

  /// All waiting callers, in order of registration.
  var tasks: [TaskID] { waiters.keys.sorted() }

  /// Returns the callers that wait for a fetch, in order of registration.
  func tasks(of fetch: FetchID) -> [TaskID] {
    tasks(of: images(of: fetch))
  }

  /// Returns the callers that wait for images, in order of registration.
  func tasks(of images: [ProcessedImageID]) -> [TaskID] {
    if images.count == 1 { return processedImages[images[0]]?.waiters.map { $0 } ?? [] }
    return images.flatMap { processedImages[$0]?.waiters.map { $0 } ?? [] }.sorted()
  }

  /// Returns the images that are made from a fetch, in the order of their decodes.
  func images(of fetch: FetchID) -> [ProcessedImageID] {
    guard let ids = fetches[fetch]?.decodes else { return [] }
    var images: [ProcessedImageID] = []
    for id in ids { if let made = decodes[id]?.processedImages { images.append(contentsOf: made) } }
    return images
  }

  /// True if only probes wait for a fetch.
  func isProbe(_ id: FetchID) -> Bool {
    let tasks = tasks(of: id)
    return !tasks.isEmpty && tasks.allSatisfy { waiters[$0]?.isProbe == true }
  }

  /// True if a fetch and all of its callers may not ask the server.
  func isCacheOnly(_ id: FetchID) -> Bool {
    fetches[id]?.isCacheOnly == true && !hasCaller(of: id) { !$0.isCacheOnly }
  }

  /// Returns true if a caller of a fetch meets a condition.
  func hasCaller(of fetch: FetchID, where condition: (Waiter) -> Bool) -> Bool {
    images(of: fetch).contains { hasCaller(of: $0, where: condition) }
  }

  private func hasCaller(of image: ProcessedImageID, where condition: (Waiter) -> Bool) -> Bool {
    processedImages[image].map { hasWaiter($0, where: condition) } ?? false
  }

  private func hasWaiter(_ image: ProcessedImage, where condition: (Waiter) -> Bool) -> Bool {
    image.waiters.contains { waiters[$0].map(condition) ?? false }
  }

  /// Returns true if the screen is empty without an image that waits for a decode.
  func isAwaited(_ id: DecodeID) -> Bool {
    guard let images = decodes[id]?.processedImages else { return false }
    for image in images where processedImages[image]?.isIdle == true {
      guard let tasks = processedImages[image]?.waiters else { continue }
      for task in tasks where waiters[task]?.purpose == .awaitedSlot { return true }
    }
    return false
  }

  /// Returns the images of a fetch that wait for their pixels; empty if a caller needs the encoded bytes.
  func wantedImages(of fetch: FetchID) -> [WantedImage] {
    let waiting = images(of: fetch).sorted().compactMap { processedImages[$0] }.filter(\.isIdle)
    if waiting.contains(where: { keepsData($0) }) { return [] }
    return waiting.map {
      WantedImage(
        key: $0.key, request: $0.request, additionalIdentifier: $0.additionalIdentifier,
        isForSlot: hasWaiter($0) { $0.purpose.takesProvisionalImages },
        onlyFirstFrame: needsOnlyFirstFrame($0))
    }
  }

  /// Returns true if the encoded bytes of a fetch are needed: for an image that the pixel cache does not have, for the
  /// frames of an animation, or for a caller who receives the bytes.
  ///
  /// - Parameter bytes: A stored response whose body was not read.
  func needsBody(_ fetch: FetchID, beside bytes: FetchedBytes) -> Bool {
    images(of: fetch).compactMap { processedImages[$0] }.contains { image in
      image.isIdle && (storedImage(for: image, in: bytes) == nil || keepsData(image))
    }
  }

  /// Returns an image of the pixel cache that is the result for all callers of `image`; `nil` if there is none.
  ///
  /// The first frame of an animation is such a result only while the body has not been read: no caller who wants the
  /// animation can then join.
  func storedImage(for image: ProcessedImage, in bytes: FetchedBytes) -> Image? {
    bytes.images[image.key]
      ?? (bytes.isBodyOnDisk && needsOnlyFirstFrame(image) ? bytes.firstFrames[image.key] : nil)
  }

  /// Returns the callers that receive the first frame of an animation or a smaller variant until their image is decoded:
  /// the loads of slots, in order of registration.
  ///
  /// - Parameter bytes: The stored response that the image is decoded from.
  func takersOfProvisionalImages(
    of fetch: FetchID, in bytes: FetchedBytes
  ) -> [(tasks: [TaskID], image: Image)] {
    let provisional = bytes.provisionalImages
    guard !provisional.isEmpty else { return [] }
    return images(of: fetch).sorted().compactMap { id in
      guard let image = processedImages[id], image.isIdle, let shown = provisional[image.key] else {
        return nil
      }
      let takers = image.waiters.filter { waiters[$0]?.purpose.takesProvisionalImages == true }
      return (takers, shown)
    }
  }

  private func needsOnlyFirstFrame(_ image: ProcessedImage) -> Bool {
    !hasWaiter(image) { !$0.onlyFirstFrame }
  }

  /// Returns true if a caller of an image receives the encoded bytes.
  func keepsData(_ id: ProcessedImageID) -> Bool { processedImages[id].map { keepsData($0) } ?? false }

  /// Returns true if the body of a fetch stays in memory: it is being decoded, its images wait for their transforms, or
  /// a caller receives it.
  func sharesBody(of fetch: FetchID) -> Bool {
    fetches[fetch].map { $0.unfinishedDecodes > 0 } ?? false
      || images(of: fetch).contains { processedImages[$0]?.request.transforms.isEmpty == false }
      || hasCaller(of: fetch) { $0.keepsData }
  }

  private func keepsData(_ image: ProcessedImage) -> Bool {
    image.waiters.contains { waiters[$0]?.keepsData == true }
  }

  // MARK: Equal stages

  /// Returns the decode of a fetch with an equal key.
  private func decode(_ key: DecodeKey, of fetch: FetchID) -> DecodeID? {
    guard let ids = fetches[fetch]?.decodes else { return nil }
    if let decode = ids.inPlace, decodes[decode]?.key == key { return decode }
    return ids.hasOthers ? index[key, of: fetch] : nil
  }

  /// Returns the image of a decode with an equal key.
  private func processedImage(_ key: ProcessedImageKey, of decode: DecodeID) -> ProcessedImageID? {
    guard let ids = decodes[decode]?.processedImages else { return nil }
    if let image = ids.inPlace, processedImages[image]?.key == key { return image }
    return ids.hasOthers ? index[key, of: decode] : nil
  }

  // MARK: Callers

  /// Adds a caller, who joins a fetch and the stages of the fetch with equal keys. Adds the missing stages.
  ///
  /// - Parameters:
  ///   - fetch: The fetch to join; `nil` for a new fetch.
  ///   - task: The number of a caller who has left another fetch; `nil` for a new caller.
  mutating func join(_ caller: Caller, fetch: FetchID?, as task: TaskID? = nil) -> StagePlace {
    let request = caller.request
    let key = ProcessedImageKey(request, additionalIdentifier: caller.additionalIdentifier)
    let decode = fetch.flatMap { self.decode(key.decode, of: $0) }
    let processedImage = decode.flatMap { self.processedImage(key, of: $0) }
    let fetchID = fetch ?? addFetch(request)
    let decodeID = decode ?? addDecode(key.decode, fetchID)
    let processedImageID =
      processedImage ?? addProcessedImage(key, decodeID, request, caller.additionalIdentifier)
    if processedImage != nil, request.cachePolicy.bypassesCache {
      processedImages[processedImageID]?.request.cachePolicy = request.cachePolicy
    }
    optOutOfPixelCache(processedImageID, with: request)
    let task = task ?? TaskID(number: nextNumber())
    return StagePlace(
      task: task, fetch: fetchID, decode: decodeID, processedImage: processedImageID,
      isNewFetch: fetch == nil, isNewDecode: decode == nil, isNewProcessedImage: processedImage == nil,
      demand: add(task, Waiter(caller, processedImage: processedImageID)))
  }

  /// Keeps the pixels of an image off the disk if the request of one of its callers asks for that.
  private mutating func optOutOfPixelCache(_ id: ProcessedImageID, with request: ImageRequest) {
    guard !request.usesPixelCache, processedImages[id]?.request.usesPixelCache == true else { return }
    processedImages[id]?.request.usesPixelCache = false
  }

  private mutating func add(_ task: TaskID, _ waiter: Waiter) -> DemandChange {
    waiters[task] = waiter
    processedImages[waiter.processedImage]?.waiters.insert(task)
    return replaceDemand(of: waiter.processedImage, nil, with: waiter.demand)
  }

  /// Removes a caller. Returns the image for which the caller waited, which may now have no callers; `nil` if the
  /// caller does not wait.
  mutating func leave(_ task: TaskID) -> (processedImage: ProcessedImageID, demand: DemandChange)? {
    guard let waiter = waiters.removeValue(forKey: task) else { return nil }
    processedImages[waiter.processedImage]?.waiters.remove(task)
    return (waiter.processedImage, replaceDemand(of: waiter.processedImage, waiter.demand, with: nil))
  }

  /// Moves a caller to the corresponding image of another fetch. Returns the previous image, which may now have no
  /// callers.
  mutating func move(
    _ task: TaskID, to fetch: FetchID
  ) -> (from: ProcessedImageID, left: DemandChange, joined: DemandChange)? {
    guard var waiter = waiters[task], let old = processedImages[waiter.processedImage],
      let decode = decodes[old.decode]
    else { return nil }
    let newDecode = self.decode(decode.key, of: fetch) ?? addDecode(decode.key, fetch)
    let newProcessedImage =
      self.processedImage(old.key, of: newDecode)
      ?? addProcessedImage(old.key, newDecode, old.request, old.additionalIdentifier)
    optOutOfPixelCache(newProcessedImage, with: old.request)
    guard let (processedImage, left) = leave(task) else { return nil }
    waiter.processedImage = newProcessedImage
    return (processedImage, left, add(task, waiter))
  }

  /// Changes the priority of a caller. Returns `nil` if the caller does not wait or already has the priority.
  mutating func setPriority(_ priority: ImageRequest.Priority, of task: TaskID) -> DemandChange? {
    guard let old = waiters[task], old.priority != priority else { return nil }
    waiters[task]?.priority = priority
    return old.isPaused ? DemandChange() : replaceDemand(of: old.processedImage, old.priority, with: priority)
  }

  /// Pauses or resumes a caller. Returns `nil` if the caller does not wait or has the state already.
  mutating func setPaused(_ isPaused: Bool, _ task: TaskID) -> DemandChange? {
    guard let old = waiters[task], old.isPaused != isPaused else { return nil }
    waiters[task]?.isPaused = isPaused
    return replaceDemand(of: old.processedImage, old.demand, with: isPaused ? nil : old.priority)
  }

  /// Replaces the priority of a caller at all three levels.
  private mutating func replaceDemand(
    of id: ProcessedImageID, _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) -> DemandChange {
    var change = DemandChange()
    // Optional chains change stages in place. A copy of a stage would cost dozens of reference counts.
    guard let image = processedImages[id]?.replaceDemand(old, with: new) else { return change }
    if let priority = image.priority { change.transform = (id.number, priority) }
    guard let decode = decodes[image.decode]?.replaceDemand(old, with: new) else { return change }
    if let priority = decode.priority { change.decode = (image.decode.number, priority) }
    if let priority = fetches[decode.fetch]?.demand.replace(old, with: new) ?? nil {
      change.fetch = (decode.fetch, priority)
    }
    return change
  }

  /// Changes the identity of the request of a caller, because of the response to the shared fetch.
  mutating func setIdentity(_ identity: RequestIdentity, of task: TaskID) {
    waiters[task]?.identity = identity
  }

  // MARK: Adding stages

  private mutating func addFetch(_ request: ImageRequest) -> FetchID {
    let id = FetchID(number: nextNumber())
    var fetch = Fetch(request: request)
    fetch.overtaken = index.replace(fetch.key, with: id)
    fetches[id] = fetch
    return id
  }

  private mutating func addDecode(_ key: DecodeKey, _ fetch: FetchID) -> DecodeID {
    let id = DecodeID(number: nextNumber())
    decodes[id] = Decode(key: key, fetch: fetch)
    fetches[fetch]?.decodes.insert(id)
    if fetches[fetch]?.decodes.inPlace != id { index[key, of: fetch] = id }
    return id
  }

  private mutating func addProcessedImage(
    _ key: ProcessedImageKey, _ decode: DecodeID, _ request: ImageRequest, _ additionalIdentifier: String?
  ) -> ProcessedImageID {
    let id = ProcessedImageID(number: nextNumber())
    processedImages[id] = ProcessedImage(
      key: key, decode: decode, request: request, additionalIdentifier: additionalIdentifier)
    decodes[decode]?.processedImages.insert(id)
    if decodes[decode]?.processedImages.inPlace != id { index[key, of: decode] = id }
    return id
  }

  /// Adds a cache-only fetch for the stored response of a fetch whose server is late. The response of the server is
  /// newer than the stored one, even if it is decoded earlier.
  mutating func addFetchOfCopy(of id: FetchID) -> FetchID? {
    guard let fetch = fetches[id] else { return nil }
    var request = fetch.request
    request.cachePolicy = .cacheOnly
    let stored = addFetch(request)
    fetches[stored]?.overtaken = fetch.overtaken
    fetches[id]?.overtaken = stored
    return stored
  }

  /// Changes the identity of a fetch and of all stages that depend on the fetch. Does nothing if a fetch with this
  /// identity is under way.
  mutating func setIdentity(_ identity: RequestIdentity, of id: FetchID) {
    guard let fetch = fetches[id] else { return }
    let key = FetchKey(request: identity, isCacheOnly: fetch.isCacheOnly)
    guard index[key] == nil else { return }
    index.remove(fetch.key, of: id)
    index.replace(key, with: id)
    fetches[id]?.request.identity = identity
    for decodeID in fetch.decodes {
      guard let decode = decodes[decodeID] else { continue }
      var key = decode.key
      key.request = identity
      if fetch.decodes.inPlace != decodeID {
        index[decode.key, of: id] = nil
        index[key, of: id] = decodeID
      }
      decodes[decodeID]?.key = key
      for processedImageID in decode.processedImages {
        guard let processedImage = processedImages[processedImageID] else { continue }
        var request = processedImage.request
        request.identity = identity
        let key = ProcessedImageKey(request, additionalIdentifier: processedImage.additionalIdentifier)
        if decode.processedImages.inPlace != processedImageID {
          index[processedImage.key, of: decodeID] = nil
          index[key, of: decodeID] = processedImageID
        }
        processedImages[processedImageID]?.key = key
        processedImages[processedImageID]?.request = request
      }
    }
  }

  // MARK: Removing stages

  /// Removes an image without callers. Returns `nil` if the image has callers.
  mutating func removeIfUnwanted(_ id: ProcessedImageID) -> (decode: DecodeID, wasTransforming: Bool)? {
    guard processedImages[id]?.waiters.isEmpty == true,
      let processedImage = processedImages.removeValue(forKey: id)
    else { return nil }
    processedImage.request.objects.map { releasedObjects.append($0) }
    if decodes[processedImage.decode]?.processedImages.inPlace != id {
      index[processedImage.key, of: processedImage.decode] = nil
    }
    decodes[processedImage.decode]?.processedImages.remove(id)
    let wasTransforming = if case .transforming = processedImage.phase { true } else { false }
    return (processedImage.decode, wasTransforming)
  }

  /// Removes a decode without images. Returns `nil` if the decode has images.
  mutating func removeIfUnwanted(_ id: DecodeID) -> (fetch: FetchID, wasRunning: Bool)? {
    guard decodes[id]?.processedImages.isEmpty == true else { return nil }
    let wasRunning = endDecode(id) != nil
    guard let decode = decodes.removeValue(forKey: id) else { return nil }
    decode.key.validator.map { releasedObjects.append($0) }
    if fetches[decode.fetch]?.decodes.inPlace != id { index[decode.key, of: decode.fetch] = nil }
    fetches[decode.fetch]?.decodes.remove(id)
    return (decode.fetch, wasRunning)
  }

  /// Removes a fetch without decodes, and returns the last phase. Returns `nil` if the fetch has decodes.
  mutating func removeIfUnwanted(_ id: FetchID) -> Fetch.Phase? {
    guard fetches[id]?.decodes.isEmpty == true, let fetch = fetches.removeValue(forKey: id) else {
      return nil
    }
    fetch.request.objects.map { releasedObjects.append($0) }
    if !fetch.replaced.isEmpty { releasedObjects.append(fetch.replaced) }
    index.remove(fetch.key, of: id)
    return fetch.phase
  }

  /// Removes and returns the objects of the application that removed stages have held. The caller releases the objects
  /// without holding a lock, because a deinit may call the downloader.
  mutating func takeReleasedObjects() -> [any Sendable] {
    guard !releasedObjects.isEmpty else { return [] }
    defer { releasedObjects = [] }
    return releasedObjects
  }

  // MARK: Phases

  /// Changes the phase of a fetch that has not received its bytes.
  mutating func setPhase(_ phase: Fetch.Phase, of id: FetchID) { fetches[id]?.phase = phase }

  /// Updates the freshness of bytes that have been received, because the server has responded meanwhile.
  mutating func update(_ id: FetchID, by new: FetchedBytes) {
    guard let fetch = fetches[id], case .received(let bytes) = fetch.phase else { return }
    fetches[id]?.phase = .received(bytes.updated(by: new))
    for decode in fetch.decodes {
      guard let bytes = decodes[decode]?.bytes else { continue }
      decodes[decode]?.bytes = bytes.updated(by: new)
    }
  }

  /// Starts a decode if the bytes have been received. Returns the body, or `nil` if the decode does not start.
  mutating func beginDecode(_ id: DecodeID) -> [UInt8]? {
    guard let decode = decodes[id], case .idle = decode.phase, let fetch = fetches[decode.fetch],
      case .received(let bytes) = fetch.phase
    else { return nil }
    decodes[id]?.phase = .running
    decodes[id]?.bytes = bytes
    fetches[decode.fetch]?.unfinishedDecodes += 1
    if fetch.unfinishedDecodes == 0 { undecodedBytes += bytes.body.count }
    return bytes.body
  }

  /// Ends a running decode. Returns `nil` if the decode is not running.
  mutating func endDecode(_ id: DecodeID) -> Decode? {
    guard case .running = decodes[id]?.phase, let decode = decodes[id] else { return nil }
    decodes[id]?.phase = .idle
    if let fetch = fetches[decode.fetch], case .received(let bytes) = fetch.phase {
      fetches[decode.fetch]?.unfinishedDecodes -= 1
      if fetch.unfinishedDecodes == 1 { undecodedBytes -= bytes.body.count }
    }
    return decode
  }

  mutating func setDecoded(_ image: Image, _ id: DecodeID, seconds: Double = 0) {
    decodes[id]?.phase = .decoded(image)
    decodes[id]?.seconds = seconds
  }

  /// Sets the bytes of a decode whose images come from the pixel cache.
  mutating func setBytes(_ bytes: FetchedBytes, of id: DecodeID) { decodes[id]?.bytes = bytes }

  mutating func setSeconds(_ seconds: Double, of id: ProcessedImageID) {
    processedImages[id]?.seconds = seconds
  }

  mutating func setPhase(_ phase: ProcessedImage.Phase, of id: ProcessedImageID) {
    processedImages[id]?.phase = phase
  }

  /// Marks the fetches that `id` has overtaken as outdated, because the bytes of `id` are newer. Returns these fetches.
  mutating func outdateOlder(than id: FetchID) -> [FetchID] {
    var outdated: [FetchID] = []
    var next = fetches[id]?.overtaken
    while let id = next {
      outdated.append(id)
      fetches[id]?.isOutdated = true
      next = fetches[id]?.overtaken
    }
    return outdated
  }

  /// Returns true if a new image replaces all other sizes in the cache: once per fetch, if any caller has requested the
  /// image, at any size, with `.reload` or `.refresh`.
  mutating func replacesOtherSizes(_ id: ProcessedImageID, _ request: ImageRequest) -> Bool {
    guard let processedImage = processedImages[id], let fetch = decodes[processedImage.decode]?.fetch else {
      return request.cachePolicy.bypassesCache
    }
    let key = AllSizesKey(processedImage.key)
    let bypassesCache = images(of: fetch).contains { id in
      processedImages[id].map { $0.request.cachePolicy.bypassesCache && AllSizesKey($0.key) == key } ?? false
    }
    guard bypassesCache else { return false }
    return fetches[fetch]?.replaced.insert(key).inserted ?? true
  }
}

extension ImageRequest.CachePolicy {
  /// True if an image in memory does not serve the request.
  var bypassesCache: Bool { self == .reload || self == .refresh }
}
