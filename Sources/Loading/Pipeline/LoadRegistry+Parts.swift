import VitrineGraphics

// Pictures in part, while their bytes come.

/// A picture that is to be made from what has come so far.
struct PartJob {
  /// Of a worker's.
  let number: UInt64
  let decode: DecodeID
  let key: DecodeKey
  let style: ImageRequest.Progressive
  /// Nil for the first one.
  let decoder: CountedDecoder?
}

extension LoadRegistry {
  /// Those that somebody wants and whose time has come, each under way until `endPart` or `skipPart`; and when to ask
  /// again.
  ///
  /// - Parameter interval: seconds; see `ImageDownloader.Configuration.partialImageInterval`.
  mutating func partsDue(
    of id: FetchID, _ beginning: PartialPictures.Beginning, interval: Double, at now: Int64
  ) -> (jobs: [PartJob], next: Int64) {
    var jobs: [PartJob] = []
    var next = now.advanced(bySeconds: interval)
    guard isRunning(id), let fetch = fetches[id] else { return ([], next) }
    for decode in fetch.decodes.sorted() {
      // What was on disk has come to a picture already, while a server is asked for others.
      guard case .idle = decodes[decode]?.phase else { continue }
      let styles = wantedStyles(of: decode)
      for (style, parts) in decodes[decode]?.parts ?? [:]
      where !styles.contains(style) && parts.runningJob == nil {
        // What was shown last is known still: one who has paused is not to see less.
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

  /// Nothing of a decode is shown in part any more.
  mutating func endParts(of id: DecodeID) {
    guard decodes[id]?.parts.isEmpty == false else { return }
    for style in ImageRequest.Progressive.allCases { endParts(of: id, style) }
  }

  private mutating func endParts(of id: DecodeID, _ style: ImageRequest.Progressive) {
    guard var parts = decodes[id]?.parts.removeValue(forKey: style) else { return }
    if let job = parts.runningJob { actions.append(.cancelWork(number: job)) }
    parts.takeDecoder().fitting.map { decodersLetGo.append($0) }
  }

  /// Lets go of decoders that make nothing now, until they have kept so many bytes; another one begins anew.
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

  /// Decoders that nobody needs any more, to be released where no lock is held: they are other people's code.
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

  /// Nobody had the time or the memory for it; see `PartialPictures.skip`.
  mutating func skipPart(_ job: PartJob, _ decoder: CountedDecoder?, until earliest: Int64 = .min) {
    decodes[job.decode]?.parts[job.style]?.skip(job.number, decoder, until: earliest)
  }

  /// It has been made and shown, or not; see `PartialPictures.end`.
  mutating func endPart(
    _ job: PartJob, _ decoder: CountedDecoder?, hasPicture: Bool, interval: Double, at now: Int64
  ) {
    decodes[job.decode]?.parts[job.style]?
      .end(job.number, decoder, hasPicture: hasPicture, interval: interval * job.style.slowness, at: now)
  }

  /// Whether somebody may want it still: neither is the rest here, nor has another begun in its place.
  private func isRunning(_ job: PartJob) -> Bool {
    decodes[job.decode]?.parts[job.style]?.runningJob == job.number
  }

  /// What those make of it who want to see it; nothing once all of its bytes are here.
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

  /// A picture in part is ready: those who are to see it.
  mutating func partIsReady(_ image: Image, of id: PictureID, _ job: PartJob) -> [TaskID] {
    guard isRunning(job) else { return [] }
    decodes[job.decode]?.parts[job.style]?.setNewest(image, of: id)
    return takers(of: id, job.style)
  }

  /// A transform has failed: the picture is not shown in part any more.
  mutating func partHasFailed(_ id: PictureID, _ job: PartJob) {
    if isRunning(job) { decodes[job.decode]?.parts[job.style]?.fail(id) }
  }

  /// What others see already of what a caller waits for.
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
  /// How much longer the time is between two (YY-F35).
  fileprivate var slowness: Double { self == .blurred ? 2 : 1 }
}
