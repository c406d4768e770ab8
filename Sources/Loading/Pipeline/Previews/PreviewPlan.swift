import VitrineConcurrency
import VitrineGraphics

/// The previews of all decodes whose bytes are being received: a schedule for each decode and style. Makes decisions
/// only.
struct PreviewPlan {
  /// The schedules of the styles that a caller has requested.
  private var schedules = LoadTable<DecodeKind, [ImageRequest.Progressive: PreviewSchedule]>()
  /// The preview decoders that are to be released; see `takeReleasedDecoders()`.
  private var released: [ReservedDecoder] = []

  /// The number of the last job. Job numbers are apart from the numbers of stages, which have jobs in the worker pool
  /// as well.
  private var lastNumber: UInt64 = 1 << 63

  // MARK: Jobs

  /// Begins the previews of a fetch that callers want and that are due. Returns the jobs, and the time of the next call
  /// in nanoseconds. Each job runs until `end` or `skip`.
  ///
  /// - Parameter interval: The minimum number of seconds between two previews; see
  ///   `ImageDownloader.Configuration.intervals.preview`.
  mutating func begin(
    of id: FetchID, _ beginning: PreviewSchedule.Beginning, interval: Double, at now: Int64,
    in tree: StageTree
  ) -> (jobs: [PreviewJob], next: Int64) {
    var jobs: [PreviewJob] = []
    var next = now.advanced(bySeconds: interval)
    guard tree.isRunning(id), let fetch = tree[id] else { return ([], next) }
    for decodeID in fetch.decodes {
      // A decode that is not idle has bytes from disk already, while a server is asked for other decodes.
      guard let decode = tree[decodeID], case .idle = decode.phase else { continue }
      let styles = styles(of: decode, in: tree)
      releaseDecoders(of: decodeID, except: styles)
      for style in ImageRequest.Progressive.allCases where styles.contains(style) {
        if let job = begin(of: decodeID, decode.key, style, beginning, at: now) { jobs.append(job) }
        if let time = schedules[decodeID]?[style]?.next, time > now { next = min(next, time) }
      }
    }
    return (jobs, next)
  }

  private mutating func begin(
    of id: DecodeID, _ key: DecodeKey, _ style: ImageRequest.Progressive,
    _ beginning: PreviewSchedule.Beginning, at now: Int64
  ) -> PreviewJob? {
    if schedules[id] == nil { schedules[id] = [:] }
    guard schedules[id]?[style, default: .init()].begin(beginning, job: lastNumber + 1, at: now) == true
    else { return nil }
    lastNumber += 1
    let decoder = schedules[id]?[style]?.takeDecoder(for: beginning.body)
    decoder?.other.map { released.append($0) }
    return PreviewJob(number: lastNumber, decode: id, key: key, style: style, decoder: decoder?.fitting)
  }

  /// Ends a preview that was not made, because no worker or no memory was free; see `PreviewSchedule.skip`.
  mutating func skip(_ job: PreviewJob, _ decoder: ReservedDecoder?, until earliest: Int64 = .min) {
    schedules[job.decode]?[job.style]?.skip(job.number, decoder, until: earliest)
  }

  /// Ends a preview, whether or not there was something to show; see `PreviewSchedule.end`.
  mutating func end(
    _ job: PreviewJob, _ decoder: ReservedDecoder?, hasPreview: Bool, interval: Double, at now: Int64
  ) {
    schedules[job.decode]?[job.style]?
      .end(job.number, decoder, hasPreview: hasPreview, interval: interval * job.style.slowness, at: now)
  }

  /// Returns true if a preview may still be wanted: the body is incomplete, and no other preview has begun instead.
  private func isRunning(_ job: PreviewJob) -> Bool {
    schedules[job.decode]?[job.style]?.runningJob == job.number
  }

  /// Returns the styles in which callers of a decode want previews now.
  private func styles(of decode: Decode, in tree: StageTree) -> Set<ImageRequest.Progressive> {
    var styles: Set<ImageRequest.Progressive> = []
    for processedImage in decode.processedImages {
      guard let tasks = tree[processedImage]?.waiters else { continue }
      for task in tasks {
        if let waiter = tree[task], !waiter.isPaused { styles.insert(waiter.progressive) }
      }
    }
    styles.remove(.none)
    return styles
  }

  // MARK: Images

  /// Returns the callers that want previews of an image in a style now, in order of registration.
  private func takers(
    of id: ProcessedImageID, _ style: ImageRequest.Progressive, in tree: StageTree
  ) -> [TaskID] {
    (tree[id]?.waiters ?? LoadIDSet())
      .filter { task in tree[task].map { $0.progressive == style && !$0.isPaused } ?? false }
  }

  /// Returns the images for which a preview is wanted, with the transforms to apply; empty once all bytes are received.
  func images(
    of job: PreviewJob, in tree: StageTree
  ) -> [(id: ProcessedImageID, transforms: [any ImageTransform])] {
    guard isRunning(job), let schedule = schedules[job.decode]?[job.style], let decode = tree[job.decode]
    else { return [] }
    return decode.processedImages.compactMap { id in
      guard schedule.shows(id), let image = tree[id], !takers(of: id, job.style, in: tree).isEmpty else {
        return nil
      }
      return (id, image.request.transforms)
    }
  }

  /// Keeps a finished preview of an image. Returns the callers that receive the preview.
  mutating func isReady(
    _ image: Image, of id: ProcessedImageID, _ job: PreviewJob, in tree: StageTree
  ) -> [TaskID] {
    guard isRunning(job) else { return [] }
    schedules[job.decode]?[job.style]?.setNewest(image, of: id)
    return takers(of: id, job.style, in: tree)
  }

  /// Ends the previews of an image, because a transform has failed.
  mutating func hasFailed(_ id: ProcessedImageID, _ job: PreviewJob) {
    if isRunning(job) { schedules[job.decode]?[job.style]?.fail(id) }
  }

  /// Returns the last preview of the image that a caller waits for, made for other callers; `nil` if the caller has
  /// paused.
  func newest(for task: TaskID, in tree: StageTree) -> Image? {
    guard let waiter = tree[task], !waiter.isPaused, let decode = tree.stages(of: task)?.decode else {
      return nil
    }
    return schedules[decode]?[waiter.progressive]?.newest(of: waiter.processedImage)
  }

  // MARK: Ends

  /// Ends all previews of a decode. Returns the numbers of the jobs to cancel.
  mutating func end(of id: DecodeID) -> [UInt64] {
    guard let ended = schedules.removeValue(forKey: id) else { return [] }
    var jobs: [UInt64] = []
    for style in ImageRequest.Progressive.allCases {
      guard var schedule = ended[style] else { continue }
      if let job = schedule.runningJob { jobs.append(job) }
      schedule.takeDecoder().fitting.map { released.append($0) }
    }
    return jobs
  }

  /// Releases the decoders of styles that no caller wants now. The last preview stays, so that a paused caller does not
  /// see less.
  private mutating func releaseDecoders(of id: DecodeID, except wanted: Set<ImageRequest.Progressive>) {
    for (style, schedule) in schedules[id] ?? [:] where !wanted.contains(style) && schedule.runningJob == nil
    {
      schedules[id]?[style]?.takeDecoder().fitting.map { released.append($0) }
    }
  }

  /// Releases decoders that are not in use, until these have kept `bytes` bytes in total. Later previews are decoded
  /// from the first byte.
  mutating func releaseDecoders(bytes: Int) {
    var left = bytes
    for id in schedules.keys.sorted() {
      for style in ImageRequest.Progressive.allCases where left > 0 {
        guard let decoder = schedules[id]?[style]?.takeDecoder().fitting else { continue }
        left -= decoder.reservation.bytes
        released.append(decoder)
      }
    }
  }

  /// Removes and returns the decoders that are no longer needed. The caller releases the decoders without holding a
  /// lock, because they may be code of the application.
  mutating func takeReleasedDecoders() -> [ReservedDecoder] {
    defer { released = [] }
    return released
  }
}

extension ImageRequest.Progressive {
  /// The factor for the interval between two previews: 2 for blurred previews, otherwise 1.
  fileprivate var slowness: Double { self == .blurred ? 2 : 1 }
}
