import VitrineGraphics

// Previews of images whose bytes are being received.

/// A preview to be made from the bytes received so far.
struct PartJob {
  /// The number of the job in the worker pool.
  let number: UInt64
  let decode: DecodeID
  let key: DecodeKey
  let style: ImageRequest.Progressive
  /// The decoder of the previous preview; `nil` if there was none, or if the decoder was released.
  let decoder: CountedDecoder?
}

extension LoadRegistry {
  /// Begins the previews of a fetch that callers want and that are due. Returns the jobs, and the time of the next call
  /// in nanoseconds. Each job runs until `endPart` or `skipPart`.
  ///
  /// - Parameter interval: The minimum number of seconds between two previews; see
  ///   `ImageDownloader.Configuration.partialImageInterval`.
  mutating func partsDue(
    of id: FetchID, _ beginning: PartialPictures.Beginning, interval: Double, at now: Int64
  ) -> (jobs: [PartJob], next: Int64) {
    var jobs: [PartJob] = []
    var next = now.advanced(bySeconds: interval)
    guard isRunning(id), let fetch = fetches[id] else { return ([], next) }
    for decode in fetch.decodes.sorted() {
      // A decode that is not idle has bytes from disk already, while a server is asked for other decodes.
      guard case .idle = decodes[decode]?.phase else { continue }
      let styles = wantedStyles(of: decode)
      for (style, parts) in decodes[decode]?.parts ?? [:]
      where !styles.contains(style) && parts.runningJob == nil {
        // Only the decoder is released. The last preview stays, so that a paused caller does not see less.
        decodes[decode]?.parts[style]?.takeDecoder().fitting.map { decodersLetGo.append($0) }
      }
      for style in ImageRequest.Progressive.allCases where styles.contains(style) {
        if let job = beginPart(of: decode, style, beginning, at: now) { jobs.append(job) }
        if let time = decodes[decode]?.parts[style]?.next, time > now { next = min(next, time) }
      }
    }
    return (jobs, next)
  }

  private mutating func beginPart(
    of id: DecodeID, _ style: ImageRequest.Progressive, _ beginning: PartialPictures.Beginning, at now: Int64
  ) -> PartJob? {
    let number = nextNumber()
    guard let key = decodes[id]?.key,
      decodes[id]?.parts[style, default: .init()].begin(beginning, job: number, at: now) == true
    else { return nil }
    let decoder = decodes[id]?.parts[style]?.takeDecoder(for: beginning.body)
    decoder?.other.map { decodersLetGo.append($0) }
    return PartJob(number: number, decode: id, key: key, style: style, decoder: decoder?.fitting)
  }

  /// Ends all previews of a decode.
  mutating func endParts(of id: DecodeID) {
    guard decodes[id]?.parts.isEmpty == false else { return }
    for style in ImageRequest.Progressive.allCases { endParts(of: id, style) }
  }

  private mutating func endParts(of id: DecodeID, _ style: ImageRequest.Progressive) {
    guard var parts = decodes[id]?.parts.removeValue(forKey: style) else { return }
    if let job = parts.runningJob { actions.append(.cancelWork(number: job)) }
    parts.takeDecoder().fitting.map { decodersLetGo.append($0) }
  }

  /// Releases preview decoders that are not in use, until these have kept `bytes` bytes in total. Later previews are
  /// decoded from the first byte.
  mutating func letPartsGo(_ bytes: Int) {
    var left = bytes
    for id in decodes.keys.sorted() {
      for style in ImageRequest.Progressive.allCases where left > 0 {
        guard let decoder = decodes[id]?.parts[style]?.takeDecoder().fitting else { continue }
        left -= decoder.hold.bytes
        decodersLetGo.append(decoder)
      }
    }
  }

  /// Removes and returns the preview decoders that are no longer needed. The caller releases the decoders without
  /// holding a lock, because they may be code of the application.
  mutating func takeDecodersLetGo() -> [CountedDecoder] {
    defer { decodersLetGo = [] }
    return decodersLetGo
  }

  private func wantedStyles(of id: DecodeID) -> Set<ImageRequest.Progressive> {
    var styles: Set<ImageRequest.Progressive> = []
    for picture in decodes[id]?.pictures ?? [] {
      for task in pictures[picture]?.waiters ?? [] {
        if let waiter = waiters[task], !waiter.isPaused { styles.insert(waiter.progressive) }
      }
    }
    styles.remove(.none)
    return styles
  }

  /// Ends a preview that was not made, because no worker or no memory was free; see `PartialPictures.skip`.
  mutating func skipPart(_ job: PartJob, _ decoder: CountedDecoder?, until earliest: Int64 = .min) {
    decodes[job.decode]?.parts[job.style]?.skip(job.number, decoder, until: earliest)
  }

  /// Ends a preview, whether or not there was something to show; see `PartialPictures.end`.
  mutating func endPart(
    _ job: PartJob, _ decoder: CountedDecoder?, hasPicture: Bool, interval: Double, at now: Int64
  ) {
    decodes[job.decode]?.parts[job.style]?
      .end(job.number, decoder, hasPicture: hasPicture, interval: interval * job.style.slowness, at: now)
  }

  /// Returns true if a preview may still be wanted: the body is incomplete, and no other preview has begun instead.
  private func isRunning(_ job: PartJob) -> Bool {
    decodes[job.decode]?.parts[job.style]?.runningJob == job.number
  }

  /// Returns the images for which a preview is wanted, with the transforms to apply; empty once all bytes are received.
  func picturesInPart(_ job: PartJob) -> [(id: PictureID, transforms: [any ImageTransform])] {
    guard isRunning(job), let decode = decodes[job.decode], let parts = decode.parts[job.style] else {
      return []
    }
    return decode.pictures.sorted().compactMap { id in
      guard parts.shows(id), let picture = pictures[id], !takers(of: id, job.style).isEmpty else {
        return nil
      }
      return (id, picture.request.transforms)
    }
  }

  /// Keeps a finished preview of an image. Returns the callers that receive the preview.
  mutating func partIsReady(_ image: Image, of id: PictureID, _ job: PartJob) -> [TaskID] {
    guard isRunning(job) else { return [] }
    decodes[job.decode]?.parts[job.style]?.setNewest(image, of: id)
    return takers(of: id, job.style)
  }

  /// Ends the previews of an image, because a transform has failed.
  mutating func partHasFailed(_ id: PictureID, _ job: PartJob) {
    if isRunning(job) { decodes[job.decode]?.parts[job.style]?.fail(id) }
  }

  /// Returns the last preview of the image that a caller waits for, made for other callers; `nil` if the caller has
  /// paused.
  func newestPart(for task: TaskID) -> Image? {
    guard let waiter = waiters[task], !waiter.isPaused, let decode = stages(of: task)?.decode else {
      return nil
    }
    return decodes[decode]?.parts[waiter.progressive]?.newest(of: waiter.picture)
  }

  private func takers(of id: PictureID, _ style: ImageRequest.Progressive) -> [TaskID] {
    (pictures[id]?.waiters ?? []).sorted()
      .filter { waiters[$0].map { $0.progressive == style && !$0.isPaused } ?? false }
  }
}

extension ImageRequest.Progressive {
  /// The factor for the interval between two previews: 2 for blurred previews, otherwise 1.
  fileprivate var slowness: Double { self == .blurred ? 2 : 1 }
}
