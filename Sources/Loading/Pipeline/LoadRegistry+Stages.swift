import VitrineGraphics

// The stages of a load: begin, end, and removal when no caller waits any more.

extension LoadRegistry {
  // MARK: Inputs

  mutating func decodeEnded(_ id: DecodeID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard let decode = decodes[id], case .running = decode.phase else { return [] }
    finishDecoding(decode)
    decodes[id]?.phase = .idle
    switch result {
    case .success(let image):
      keep(decode)
      outdateOlder(than: decode.fetch)
      decodes[id]?.phase = .decoded(image)
      for processedImage in decode.processedImages.sorted() { beginProcessing(processedImage) }
      settleDamage(decode.fetch)
    case .failure(let error):
      if !findsOtherBytes(for: decode, after: error) { fail([id], error) }
    }
    return admitted()
  }

  mutating func transformEnded(_ id: ProcessedImageID, _ result: Result<Image, ImageError>) -> [LoadAction] {
    guard let processedImage = processedImages[id], case .transforming = processedImage.phase else {
      return []
    }
    processedImages[id]?.phase = .idle
    switch result {
    case .success(let image): beginStoring(id, image)
    case .failure(let error): finish([id], .failure(error))
    }
    return admitted()
  }

  /// Delivers an image to the callers that have joined so far, after the cache was offered the image. Later requests
  /// are served by the cache.
  mutating func storeEnded(_ id: ProcessedImageID) -> [LoadAction] {
    guard let processedImage = processedImages[id], case .storing(let image) = processedImage.phase,
      let decode = decodes[processedImage.decode], let fetch = fetches[decode.fetch], let bytes = decode.bytes
    else { return [] }
    var response = ImageResponse(
      image: image, source: fetch.request.isLocal ? .file : bytes.source, http: bytes.response,
      metrics: bytes.metrics, freshness: bytes.freshness, data: bytes.body)
    if fetch.disk.isSettled { response.storing = bytes.storing }
    finish([id], .success(response))
    return admitted()
  }

  /// Returns true if a new image replaces all other sizes in the cache: once per fetch, if any caller has requested the
  /// image, at any size, with `.reload` or `.refresh`.
  mutating func replacesOtherSizes(_ id: ProcessedImageID, _ request: ImageRequest) -> Bool {
    guard let processedImage = processedImages[id], let fetch = decodes[processedImage.decode]?.fetch else {
      return request.cachePolicy.bypassesCache
    }
    let place = AllSizesKey(processedImage.key)
    guard bypassesCache(place, of: fetch) else { return false }
    return fetches[fetch]?.replaced.insert(place).inserted ?? true
  }

  private func bypassesCache(_ place: AllSizesKey, of fetch: FetchID) -> Bool {
    (fetches[fetch]?.decodes ?? []).contains { decode in
      (decodes[decode]?.processedImages ?? []).contains { id in
        processedImages[id].map { $0.request.cachePolicy.bypassesCache && AllSizesKey($0.key) == place }
          ?? false
      }
    }
  }

  // MARK: Stages begin

  mutating func makeFetch(
    _ key: RequestIdentity, _ request: ImageRequest, _ lane: DownloadQueue.Lane
  ) -> FetchID {
    let id = FetchID(number: nextNumber())
    var fetch = Fetch(key: key, request: request, lane: lane, attempts: Attempts(queued: now))
    let key = FetchKey(request: key, isCacheOnly: fetch.isCacheOnly)
    fetch.overtaken = fetchIDs[key]
    fetches[id] = fetch
    fetchIDs[key] = id
    return id
  }

  mutating func makeDecode(_ key: DecodeKey, _ fetch: FetchID) -> DecodeID {
    let id = DecodeID(number: nextNumber())
    decodes[id] = Decode(key: key, fetch: fetch)
    decodeIDs[Branch(stage: fetch, key: key)] = id
    fetches[fetch]?.decodes.insert(id)
    return id
  }

  mutating func makeProcessedImage(
    _ key: ProcessedImageKey, _ decode: DecodeID, _ request: ImageRequest, _ additionalIdentifier: String?
  ) -> ProcessedImageID {
    let id = ProcessedImageID(number: nextNumber())
    processedImages[id] = ProcessedImage(
      key: key, decode: decode, request: request, additionalIdentifier: additionalIdentifier)
    processedImageIDs[Branch(stage: decode, key: key)] = id
    decodes[decode]?.processedImages.insert(id)
    return id
  }

  /// Starts a decode if the bytes have been received.
  mutating func beginDecode(_ id: DecodeID) {
    guard let decode = decodes[id], case .idle = decode.phase, let fetch = fetches[decode.fetch],
      case .received(let bytes) = fetch.phase
    else { return }
    decodes[id]?.phase = .running
    decodes[id]?.bytes = bytes
    endPreviews(of: id)
    fetches[decode.fetch]?.unfinishedDecodes += 1
    if fetch.unfinishedDecodes == 0 { undecodedBytes += bytes.body.count }
    actions.append(.decode(id, bytes.body, decode.key, decode.demand.priority ?? .normal))
  }

  /// Starts the transforms of an image if the decode has ended, or stores the image if there are no transforms.
  mutating func beginProcessing(_ id: ProcessedImageID) {
    guard let processedImage = processedImages[id],
      case .decoded(let image) = decodes[processedImage.decode]?.phase
    else {
      return
    }
    guard !processedImage.request.transforms.isEmpty else { return beginStoring(id, image) }
    processedImages[id]?.phase = .transforming
    actions.append(
      .transform(id, image, processedImage.request.transforms, processedImage.demand.priority ?? .normal))
  }

  mutating func beginStoring(_ id: ProcessedImageID, _ image: Image) {
    guard let processedImage = processedImages[id], let fetch = decodes[processedImage.decode]?.fetch else {
      return
    }
    processedImages[id]?.phase = .storing(image)
    var request = processedImage.request
    if fetches[fetch]?.isOutdated == true { request.cache = .none }
    actions.append(.store(id, image, request, additionalIdentifier: processedImage.additionalIdentifier))
  }

  /// Marks the fetches that `id` has overtaken as outdated, because the bytes of `id` are newer.
  mutating func outdateOlder(than id: FetchID) {
    var next = fetches[id]?.overtaken
    while let id = next {
      fetches[id]?.isOutdated = true
      fetches[id]?.disk.isKept = false
      next = fetches[id]?.overtaken
    }
  }

  // MARK: Stages end

  mutating func fail(_ decodes: Set<DecodeID>, _ error: ImageError) {
    finish(
      decodes.reduce(into: []) { $0.formUnion(self.decodes[$1]?.processedImages ?? []) }, .failure(error))
  }

  /// Delivers a result to all callers of the images `ids`, in order of registration, and removes the images.
  mutating func finish(_ ids: Set<ProcessedImageID>, _ result: Result<ImageResponse, ImageError>) {
    let tasks = ids.flatMap { processedImages[$0]?.waiters ?? [] }.sorted()
    // A fetch that replaces damaged bytes goes on for the remaining callers, unless all of them have paused.
    let healing = hasDisk ? Set(tasks.compactMap { fetch(of: $0) }) : []
    actions.append(.deliver(tasks, result))
    for task in tasks { _ = forget(task) }
    for id in ids { removeIfUnwanted(id) }
    for fetch in healing { reserveOrRelease(fetch) }
  }

  /// Removes a caller. Returns the image for which the caller waited, which may now have no callers.
  mutating func forget(_ task: TaskID) -> ProcessedImageID? {
    guard let waiter = waiters.removeValue(forKey: task) else { return nil }
    processedImages[waiter.processedImage]?.waiters.remove(task)
    replaceDemand(of: waiter.processedImage, waiter.demand, with: nil)
    copies.noteChange()
    return waiter.processedImage
  }

  mutating func removeIfUnwanted(_ id: ProcessedImageID) {
    guard let processedImage = processedImages[id], processedImage.waiters.isEmpty else { return }
    if case .transforming = processedImage.phase { actions.append(.cancelWork(number: id.number)) }
    processedImages[id] = nil
    processedImageIDs[Branch(stage: processedImage.decode, key: processedImage.key)] = nil
    decodes[processedImage.decode]?.processedImages.remove(id)
    removeIfUnwanted(processedImage.decode)
  }

  mutating func removeIfUnwanted(_ id: DecodeID) {
    guard let decode = decodes[id], decode.processedImages.isEmpty else { return }
    if case .running = decode.phase {
      actions.append(.cancelWork(number: id.number))
      finishDecoding(decode)
    }
    endPreviews(of: id)
    decodes[id] = nil
    decodeIDs[Branch(stage: decode.fetch, key: decode.key)] = nil
    fetches[decode.fetch]?.decodes.remove(id)
    settleDamage(decode.fetch)
    removeIfUnwanted(decode.fetch)
  }

  mutating func removeIfUnwanted(_ id: FetchID) {
    guard let fetch = fetches[id], fetch.decodes.isEmpty else { return }
    switch fetch.phase {
    case .running: actions.append(.cancelFetch(id))
    case .lookingUp: actions.append(.cancelLookUp(id))
    case .idle, .received: break
    }
    lookups.leave(id)
    queue.remove(id, at: now)
    fetches[id] = nil
    setCopy(nil, of: id)
    forgetKey(of: fetch, id)
  }

  /// Removes the key of a fetch, unless the key belongs to a newer fetch by now.
  mutating func forgetKey(of fetch: Fetch, _ id: FetchID) {
    let key = FetchKey(request: fetch.key, isCacheOnly: fetch.isCacheOnly)
    if fetchIDs[key] == id { fetchIDs[key] = nil }
  }

  mutating func finishDecoding(_ decode: Decode) {
    guard let fetch = fetches[decode.fetch], case .received(let bytes) = fetch.phase else { return }
    fetches[decode.fetch]?.unfinishedDecodes -= 1
    if fetch.unfinishedDecodes == 1 { undecodedBytes -= bytes.body.count }
  }

  // MARK: Demand

  /// Replaces the priority of a caller at all three levels. Work that waits moves to the new position.
  mutating func replaceDemand(
    of id: ProcessedImageID, _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) {
    guard let processedImage = processedImages[id], let decode = decodes[processedImage.decode] else {
      return
    }
    if let priority = processedImages[id]?.demand.replace(old, with: new) ?? nil,
      case .transforming = processedImage.phase
    {
      actions.append(.reprioritizeWork(number: id.number, priority))
    }
    if let priority = decodes[processedImage.decode]?.demand.replace(old, with: new) ?? nil,
      case .running = decode.phase
    {
      actions.append(.reprioritizeWork(number: processedImage.decode.number, priority))
    }
    if let priority = fetches[decode.fetch]?.demand.replace(old, with: new) ?? nil {
      if lookups.isWaiting(decode.fetch) {
        lookups.enqueue(decode.fetch, priority: priority, arrival: queue.nextArrival(at: now), at: now)
      }
      // The download may wait as well, if the network has gone ahead of a waiting look-up.
      queue.setPriority(priority, of: decode.fetch, at: now)
    }
  }
}

extension ImageRequest.CachePolicy {
  /// True if an image in memory does not serve the request.
  var bypassesCache: Bool { self == .reload || self == .refresh }
}
