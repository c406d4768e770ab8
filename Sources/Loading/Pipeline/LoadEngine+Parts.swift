import Synchronization
import VitrineGraphics

// Pictures in part: from what has come so far to those who want to see it.

extension FetchReceiver {
  /// More has come of what somebody wants to see.
  func showPart() {
    let now = clock.now
    let beginning = state.withLock { now >= $0.nextPart ? $0.beginning : nil }
    guard let engine, let beginning, beginning.isWorthShowing else { return }
    let next = engine.showPart(of: self, beginning)
    state.withLock { $0.nextPart = next }
  }

  /// All that has come, if it is still what `beginning` says.
  func bytes(of beginning: PartialPictures.Beginning) -> [UInt8]? {
    state.withLock { $0.beginning == beginning ? $0.answer.body : nil }
  }
}

extension FetchReceiver.State {
  fileprivate var beginning: PartialPictures.Beginning? {
    guard answer.isBeginning else { return nil }
    return .init(
      body: answer.bodyNumber, count: answer.progress.received, expected: answer.response?.expectedLength)
  }
}

extension LoadEngine {
  /// Lets pictures be made from what has come, where they are due; when to come again.
  ///
  /// They are made only while the workers have nothing else to do and memory has room: they are a favour, and whoever
  /// waits for a whole picture goes first. Nothing is waited for here, on a transport's thread.
  fileprivate func showPart(of receiver: FetchReceiver, _ beginning: PartialPictures.Beginning) -> Int64 {
    let now = clock.now
    let (jobs, next, letGo) = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else {
        return ([PartJob](), Int64.max, [CountedDecoder]())
      }
      let (jobs, next) = state.registry.partsDue(
        of: receiver.id, beginning, interval: configuration.partialImageInterval, at: now)
      return (jobs, next, state.registry.takeDecodersLetGo())
    }
    _ = letGo  // go here, outside the lock
    guard !jobs.isEmpty else { return next }
    var isSkipped = false
    for job in jobs where !submit(job, of: receiver, beginning) {
      isSkipped = true
      state.withLock { $0.registry.skipPart(job, job.decoder) }
    }
    return isSkipped ? now : next
  }

  /// Submits a preview. Returns false if no worker is free, or if the bytes have changed.
  ///
  /// The body is copied as soon as more bytes come while a preview reads it. The copy is reserved before the body is
  /// read: by a worker, which may evict memory, if there is no room now.
  private func submit(
    _ job: PartJob, of receiver: FetchReceiver, _ beginning: PartialPictures.Beginning
  ) -> Bool {
    guard workers.isFree else { return false }
    let hold = MemoryHold(0, in: ledger, as: .decoding)
    var body: [UInt8]?
    if hold.take(beginning.count, inAnyCase: false) {
      body = receiver.bytes(of: beginning)
      guard body != nil else { return false }
    }
    let flag = CancellationFlag()
    workers.submit(job.number, priority: .veryLow, stoppedBy: flag) { [self, body] in
      ledger.lookAround()
      guard body != nil || hold.takeOrMakeRoom(for: beginning.count),
        let body = body ?? receiver.bytes(of: beginning)
      else {
        hold.end()
        return skip(job, job.decoder)
      }
      if let counted = job.decoder ?? newDecoder(for: job) {
        makePart(job, counted, body, beginning.expected, hold, flag.cancellation)
      } else {
        end(job, nil, hasPicture: false)
      }
      hold.end()
    }
    return true
  }

  private func newDecoder(for job: PartJob) -> CountedDecoder? {
    decoder.progressiveDecoder(job.style, options: job.key.options(configuration.pixelFormat))
      .map { CountedDecoder(decoder: $0, hold: MemoryHold(0, in: ledger, as: .decoding)) }
  }

  /// On a worker. `hold` counts what it takes until it is made, that of `counted` what is kept of it for the next.
  private func makePart(
    _ job: PartJob, _ counted: CountedDecoder, _ body: [UInt8], _ expectedLength: Int?, _ hold: MemoryHold,
    _ cancellation: DecodeCancellation
  ) {
    let decoder = counted.decoder
    guard hold.takeOrMakeRoom(for: decoder.memoryNeeded(for: body) - counted.hold.bytes) else {
      return skip(job, counted)
    }
    let made = Result { () throws(ImageError) in
      try decoder.image(of: body, expectedLength: expectedLength, cancellation: cancellation)
    }
    let image = (try? made.get()) ?? nil
    if let image { show(job.key.manner.applied(to: image), job) }
    let isOver = if case .failure = made { true } else { false }
    hold.keep(body.count)
    counted.hold.keep(isOver ? 0 : decoder.memoryKept)
    end(job, isOver ? nil : counted, hasPicture: image != nil)
  }

  private func end(_ job: PartJob, _ decoder: CountedDecoder?, hasPicture: Bool) {
    let now = clock.now
    state.withLock { state in
      state.registry.endPart(
        job, decoder, hasPicture: hasPicture, interval: configuration.partialImageInterval, at: now)
    }
  }

  /// There is no room for it: that is asked for no oftener than one is made.
  private func skip(_ job: PartJob, _ decoder: CountedDecoder?) {
    let next = clock.now.advanced(bySeconds: configuration.partialImageInterval)
    state.withLock { $0.registry.skipPart(job, decoder, until: next) }
  }

  /// Each of those who wait sees it as the whole picture will be: with the transforms of its request.
  private func show(_ image: Image, _ job: PartJob) {
    for (id, transforms) in state.withLock({ $0.registry.picturesInPart(job) }) {
      guard case .success(let picture) = Self.apply(transforms, to: image) else {
        state.withLock { $0.registry.partHasFailed(id, job) }
        continue
      }
      let part = picture.asPartial
      let tasks = state.withLock { state in
        state.registry.partIsReady(part, of: id, job).compactMap { state.tasks[$0] }
      }
      for task in tasks { task.show(part) }
    }
  }
}

/// What is kept of pictures in part goes where a whole one needs its memory: it is made again, perhaps.
extension LoadEngine: MemoryHolder {
  /// Its ledger is its own from the start.
  func count(against ledger: MemoryLedger) {}

  /// Parts that wait for memory take none from one another.
  func release(bytes: Int) {
    if workers.isShortOfMemory || ledger.isBodyWaiting { letPartsGo(bytes) }
  }

  func relieve(_ pressure: MemoryPressure) {
    if pressure == .critical { letPartsGo(.max) }
  }

  private func letPartsGo(_ bytes: Int) {
    let letGo = state.withLock { state in
      state.registry.letPartsGo(bytes)
      let partials = ledger.isBodyWaiting ? state.partials.takeOldest(bytes: bytes) : []
      return (state.registry.takeDecodersLetGo(), partials)
    }
    _ = letGo  // go here, outside the lock
  }
}

extension MemoryHold {
  /// Counts so many more if they fit, once others have let go of what they can do without; whether they do. No lock may
  /// be held.
  fileprivate func takeOrMakeRoom(for bytes: Int) -> Bool {
    if bytes <= 0 || take(bytes, inAnyCase: false) { return true }
    makeRoom(for: bytes)
    return take(bytes, inAnyCase: false)
  }
}
