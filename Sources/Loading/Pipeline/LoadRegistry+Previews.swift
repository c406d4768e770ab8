import VitrineConcurrency
import VitrineGraphics

// Previews of images whose bytes are being received.

/// A preview to be made from the bytes received so far.
struct PreviewJob {
  /// The number of the job in the worker pool.
  let number: UInt64
  let decode: DecodeID
  let key: DecodeKey
  let style: ImageRequest.Progressive
  /// The decoder of the previous preview; `nil` if there was none, or if the decoder was released.
  let decoder: ReservedDecoder?
}

extension LoadRegistry {
  /// Begins the previews of a fetch that callers want and that are due. Returns the jobs, and the time of the next call
  /// in nanoseconds. Each job runs until `endPreview` or `skipPreview`.
  ///
  /// - Parameter interval: The minimum number of seconds between two previews; see
  ///   `ImageDownloader.Configuration.previewInterval`.
  mutating func previewsDue(
    of id: FetchID, _ beginning: PreviewSchedule.Beginning, interval: Double, at now: Int64
  ) -> (jobs: [PreviewJob], next: Int64) {
    var jobs: [PreviewJob] = []
    var next = now.advanced(bySeconds: interval)
    guard isRunning(id), let fetch = fetches[id] else { return ([], next) }
    for decode in fetch.decodes.sorted() {
      // A decode that is not idle has bytes from disk already, while a server is asked for other decodes.
      guard case .idle = decodes[decode]?.phase else { continue }
      let styles = wantedStyles(of: decode)
      for (style, previews) in decodes[decode]?.previews ?? [:]
      where !styles.contains(style) && previews.runningJob == nil {
        // Only the decoder is released. The last preview stays, so that a paused caller does not see less.
        decodes[decode]?.previews[style]?.takeDecoder().fitting.map { releasedDecoders.append($0) }
      }
      for style in ImageRequest.Progressive.allCases where styles.contains(style) {
        if let job = beginPreview(of: decode, style, beginning, at: now) { jobs.append(job) }
        if let time = decodes[decode]?.previews[style]?.next, time > now { next = min(next, time) }
      }
    }
    return (jobs, next)
  }

  private mutating func beginPreview(
    of id: DecodeID, _ style: ImageRequest.Progressive, _ beginning: PreviewSchedule.Beginning, at now: Int64
  ) -> PreviewJob? {
    let number = nextNumber()
    guard let key = decodes[id]?.key,
      decodes[id]?.previews[style, default: .init()].begin(beginning, job: number, at: now) == true
    else { return nil }
    let decoder = decodes[id]?.previews[style]?.takeDecoder(for: beginning.body)
    decoder?.other.map { releasedDecoders.append($0) }
    return PreviewJob(number: number, decode: id, key: key, style: style, decoder: decoder?.fitting)
  }

  /// Ends all previews of a decode.
  mutating func endPreviews(of id: DecodeID) {
    guard decodes[id]?.previews.isEmpty == false else { return }
    for style in ImageRequest.Progressive.allCases { endPreviews(of: id, style) }
  }

  private mutating func endPreviews(of id: DecodeID, _ style: ImageRequest.Progressive) {
    guard var previews = decodes[id]?.previews.removeValue(forKey: style) else { return }
    if let job = previews.runningJob { actions.append(.cancelWork(number: job)) }
    previews.takeDecoder().fitting.map { releasedDecoders.append($0) }
  }

  /// Releases preview decoders that are not in use, until these have kept `bytes` bytes in total. Later previews are
  /// decoded from the first byte.
  mutating func releasePreviewDecoders(_ bytes: Int) {
    var left = bytes
    for id in decodes.keys.sorted() {
      for style in ImageRequest.Progressive.allCases where left > 0 {
        guard let decoder = decodes[id]?.previews[style]?.takeDecoder().fitting else { continue }
        left -= decoder.reservation.bytes
        releasedDecoders.append(decoder)
      }
    }
  }

  /// Removes and returns the preview decoders that are no longer needed. The caller releases the decoders without
  /// holding a lock, because they may be code of the application.
  mutating func takeReleasedDecoders() -> [ReservedDecoder] {
    defer { releasedDecoders = [] }
    return releasedDecoders
  }

  private func wantedStyles(of id: DecodeID) -> Set<ImageRequest.Progressive> {
    var styles: Set<ImageRequest.Progressive> = []
    for processedImage in decodes[id]?.processedImages ?? [] {
      for task in processedImages[processedImage]?.waiters ?? [] {
        if let waiter = waiters[task], !waiter.isPaused { styles.insert(waiter.progressive) }
      }
    }
    styles.remove(.none)
    return styles
  }

  /// Ends a preview that was not made, because no worker or no memory was free; see `PreviewSchedule.skip`.
  mutating func skipPreview(_ job: PreviewJob, _ decoder: ReservedDecoder?, until earliest: Int64 = .min) {
    decodes[job.decode]?.previews[job.style]?.skip(job.number, decoder, until: earliest)
  }

  /// Ends a preview, whether or not there was something to show; see `PreviewSchedule.end`.
  mutating func endPreview(
    _ job: PreviewJob, _ decoder: ReservedDecoder?, hasPreview: Bool, interval: Double, at now: Int64
  ) {
    decodes[job.decode]?.previews[job.style]?
      .end(job.number, decoder, hasPreview: hasPreview, interval: interval * job.style.slowness, at: now)
  }

  /// Returns true if a preview may still be wanted: the body is incomplete, and no other preview has begun instead.
  private func isRunning(_ job: PreviewJob) -> Bool {
    decodes[job.decode]?.previews[job.style]?.runningJob == job.number
  }

  /// Returns the images for which a preview is wanted, with the transforms to apply; empty once all bytes are received.
  func imagesOfPreview(_ job: PreviewJob) -> [(id: ProcessedImageID, transforms: [any ImageTransform])] {
    guard isRunning(job), let decode = decodes[job.decode], let previews = decode.previews[job.style] else {
      return []
    }
    return decode.processedImages.sorted().compactMap { id in
      guard previews.shows(id), let processedImage = processedImages[id], !takers(of: id, job.style).isEmpty
      else {
        return nil
      }
      return (id, processedImage.request.transforms)
    }
  }

  /// Keeps a finished preview of an image. Returns the callers that receive the preview.
  mutating func previewIsReady(_ image: Image, of id: ProcessedImageID, _ job: PreviewJob) -> [TaskID] {
    guard isRunning(job) else { return [] }
    decodes[job.decode]?.previews[job.style]?.setNewest(image, of: id)
    return takers(of: id, job.style)
  }

  /// Ends the previews of an image, because a transform has failed.
  mutating func previewHasFailed(_ id: ProcessedImageID, _ job: PreviewJob) {
    if isRunning(job) { decodes[job.decode]?.previews[job.style]?.fail(id) }
  }

  /// Returns the last preview of the image that a caller waits for, made for other callers; `nil` if the caller has
  /// paused.
  func newestPreview(for task: TaskID) -> Image? {
    guard let waiter = waiters[task], !waiter.isPaused, let decode = stages(of: task)?.decode else {
      return nil
    }
    return decodes[decode]?.previews[waiter.progressive]?.newest(of: waiter.processedImage)
  }

  private func takers(of id: ProcessedImageID, _ style: ImageRequest.Progressive) -> [TaskID] {
    (processedImages[id]?.waiters ?? []).sorted()
      .filter { waiters[$0].map { $0.progressive == style && !$0.isPaused } ?? false }
  }
}

extension ImageRequest.Progressive {
  /// The factor for the interval between two previews: 2 for blurred previews, otherwise 1.
  fileprivate var slowness: Double { self == .blurred ? 2 : 1 }
}
