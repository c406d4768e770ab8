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
  let decoder: (any ProgressiveImageDecoding)?
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
      for (style, parts) in decodes[decode]?.parts ?? [:] where !styles.contains(style) && !parts.isRunning {
        decodes[decode]?.parts[style] = nil
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
    guard let key = decodes[id]?.key,
      decodes[id]?.parts[style, default: .init()].begin(beginning, at: now) == true
    else { return nil }
    let decoder = decodes[id]?.parts[style]?.takeDecoder(for: beginning.body)
    return PartJob(number: nextNumber(), decode: id, key: key, style: style, decoder: decoder)
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

  /// Nobody had the time for it.
  mutating func skipPart(_ job: PartJob) { decodes[job.decode]?.parts[job.style]?.skip(job.decoder) }

  /// It has been made and shown, or not; see `PartialPictures.end`.
  mutating func endPart(
    _ job: PartJob, _ decoder: (any ProgressiveImageDecoding)?, hasPicture: Bool, interval: Double,
    at now: Int64
  ) {
    decodes[job.decode]?.parts[job.style]?
      .end(decoder, hasPicture: hasPicture, interval: interval * job.style.slowness, at: now)
  }

  /// What those make of it who want to see it; nothing once all of its bytes are here.
  func picturesInPart(_ job: PartJob) -> [(id: PictureID, transforms: [any ImageTransform])] {
    guard let decode = decodes[job.decode], let parts = decode.parts[job.style], parts.isRunning else {
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
    guard decodes[job.decode]?.parts[job.style]?.isRunning == true else { return [] }
    decodes[job.decode]?.parts[job.style]?.setNewest(image, of: id)
    return takers(of: id, job.style)
  }

  /// A transform has failed: the picture is not shown in part any more.
  mutating func partHasFailed(_ id: PictureID, _ job: PartJob) {
    decodes[job.decode]?.parts[job.style]?.fail(id)
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
