import VitrineGraphics

// The stages of a load: how each begins, ends, and goes when nobody waits for it any more.

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

  /// Whether a picture that has come replaces every size that its cache has: once a download, if it was asked for anew, by
  /// whomever and in whatever size.
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

  /// Starts once the bytes are here.
  mutating func beginDecode(_ id: DecodeID) {
    guard let decode = decodes[id], case .idle = decode.phase, let fetch = fetches[decode.fetch],
      case .received(let bytes) = fetch.phase
    else { return }
    decodes[id]?.phase = .running
    decodes[id]?.bytes = bytes
    endParts(of: id)
    fetches[decode.fetch]?.unfinishedDecodes += 1
    if fetch.unfinishedDecodes == 0 { undecodedBytes += bytes.body.count }
    actions.append(.decode(id, bytes.body, decode.key, decode.demand.priority ?? .normal))
  }

  /// Starts once the pixels are here.
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

  /// What a fetch has brought is newer than what those have that it has overtaken.
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

  /// Answers everyone who waits for one of `ids`, in order of registration, and lets the pictures go.
  mutating func finish(_ ids: Set<PictureID>, _ result: Result<ImageResponse, ImageError>) {
    let tasks = ids.flatMap { pictures[$0]?.waiters ?? [] }.sorted()
    // One that heals what was damaged goes on for those who are left, if any of them needs it now.
    let healing = hasDisk ? Set(tasks.compactMap { fetch(of: $0) }) : []
    actions.append(.deliver(tasks, result))
    for task in tasks { _ = forget(task) }
    for id in ids { removeIfUnwanted(id) }
    for fetch in healing { holdOrRelease(fetch) }
  }

  /// Takes a caller out of the tree; what is left of it may be unwanted now.
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
    endParts(of: id)
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

  /// Another one may have it by now.
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

  /// Exchanges a caller's priority at all three levels; work that waits moves to its new place.
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
      // The network may have gone ahead of a look-up that waits.
      queue.setPriority(priority, of: decode.fetch, at: now)
    }
  }
}

extension ImageRequest.CachePolicy {
  /// Whether what memory has is not what is asked for.
  var isAnew: Bool { self == .reload || self == .refresh }
}
