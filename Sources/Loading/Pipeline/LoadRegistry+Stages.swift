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

  /// Delivers an image to the callers that have joined so far, after the cache was offered the image. Later requests
  /// are served by the cache.
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

  /// Returns true if a new image replaces all other sizes in the cache: once per fetch, if any caller has requested the
  /// image, at any size, with `.reload` or `.refresh`.
  mutating func replacesOtherSizes(_ id: PictureID, _ request: ImageRequest) -> Bool {
    guard let picture = pictures[id], let fetch = decodes[picture.decode]?.fetch else {
      return request.cachePolicy.isAnew
    }
    let place = PicturePlace(picture.key)
    guard isWantedAnew(place, of: fetch) else { return false }
    return fetches[fetch]?.replaced.insert(place).inserted ?? true
  }

  private func isWantedAnew(_ place: PicturePlace, of fetch: FetchID) -> Bool {
    (fetches[fetch]?.decodes ?? []).contains { decode in
      (decodes[decode]?.pictures ?? []).contains { id in
        pictures[id].map { $0.request.cachePolicy.isAnew && PicturePlace($0.key) == place } ?? false
      }
    }
  }

  // MARK: Stages begin

  mutating func makeFetch(
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

  mutating func makeDecode(_ key: DecodeKey, _ fetch: FetchID) -> DecodeID {
    let id = DecodeID(number: nextNumber())
    decodes[id] = Decode(key: key, fetch: fetch)
    decodeIDs[Branch(stage: fetch, key: key)] = id
    fetches[fetch]?.decodes.insert(id)
    return id
  }

  mutating func makePicture(
    _ key: PictureKey, _ decode: DecodeID, _ request: ImageRequest, _ additionalIdentifier: String?
  ) -> PictureID {
    let id = PictureID(number: nextNumber())
    pictures[id] = Picture(
      key: key, decode: decode, request: request, additionalIdentifier: additionalIdentifier)
    pictureIDs[Branch(stage: decode, key: key)] = id
    decodes[decode]?.pictures.insert(id)
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
  mutating func beginPicture(_ id: PictureID) {
    guard let picture = pictures[id], case .decoded(let image) = decodes[picture.decode]?.phase else {
      return
    }
    guard !picture.request.transforms.isEmpty else { return beginStoring(id, image) }
    pictures[id]?.phase = .transforming
    actions.append(.transform(id, image, picture.request.transforms, picture.demand.priority ?? .normal))
  }

  mutating func beginStoring(_ id: PictureID, _ image: Image) {
    guard let picture = pictures[id], let fetch = decodes[picture.decode]?.fetch else { return }
    pictures[id]?.phase = .storing(image)
    var request = picture.request
    if fetches[fetch]?.isOutdated == true { request.cache = .none }
    actions.append(.store(id, image, request, additionalIdentifier: picture.additionalIdentifier))
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
    finish(decodes.reduce(into: []) { $0.formUnion(self.decodes[$1]?.pictures ?? []) }, .failure(error))
  }

  /// Delivers a result to all callers of the images `ids`, in order of registration, and removes the images.
  mutating func finish(_ ids: Set<PictureID>, _ result: Result<ImageResponse, ImageError>) {
    let tasks = ids.flatMap { pictures[$0]?.waiters ?? [] }.sorted()
    // A fetch that replaces damaged bytes goes on for the remaining callers, unless all of them have paused.
    let healing = hasDisk ? Set(tasks.compactMap { fetch(of: $0) }) : []
    actions.append(.deliver(tasks, result))
    for task in tasks { _ = forget(task) }
    for id in ids { removeIfUnwanted(id) }
    for fetch in healing { holdOrRelease(fetch) }
  }

  /// Removes a caller. Returns the image for which the caller waited, which may now have no callers.
  mutating func forget(_ task: TaskID) -> PictureID? {
    guard let waiter = waiters.removeValue(forKey: task) else { return nil }
    pictures[waiter.picture]?.waiters.remove(task)
    replaceDemand(of: waiter.picture, waiter.demand, with: nil)
    copies.noteChange()
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

  mutating func removeIfUnwanted(_ id: DecodeID) {
    guard let decode = decodes[id], decode.pictures.isEmpty else { return }
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
    let key = FetchKey(request: fetch.key, asksNoServer: fetch.asksNoServer)
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
  var isAnew: Bool { self == .reload || self == .refresh }
}
