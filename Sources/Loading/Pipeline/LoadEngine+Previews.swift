import Synchronization
import VitrineConcurrency
import VitrineGraphics

// Previews: made from the bytes received so far, and shown to callers.

extension FetchReceiver {
  /// Starts the previews that are due, after more bytes were received.
  func showPreview() {
    let now = clock.now
    let beginning = state.withLock { now >= $0.nextPreview ? $0.beginning : nil }
    guard let engine, let beginning, beginning.isWorthShowing else { return }
    let next = engine.showPreview(of: self, beginning)
    state.withLock { $0.nextPreview = next }
  }

  /// Returns all bytes received so far, or `nil` if `beginning` no longer describes the body.
  func bytes(of beginning: PreviewSchedule.Beginning) -> [UInt8]? {
    state.withLock { $0.beginning == beginning ? $0.assembler.body : nil }
  }
}

extension FetchReceiver.State {
  fileprivate var beginning: PreviewSchedule.Beginning? {
    guard assembler.isBeginning else { return nil }
    return .init(
      body: assembler.bodyNumber, count: assembler.progress.received,
      expected: assembler.response?.expectedLength)
  }
}

extension LoadEngine {
  /// Starts the previews that are due. Returns the time of the next call in nanoseconds.
  ///
  /// Previews are made only while workers are idle and memory is free, because whole images take precedence. Never
  /// blocks, because this method runs on a thread of the transport.
  fileprivate func showPreview(of receiver: FetchReceiver, _ beginning: PreviewSchedule.Beginning) -> Int64 {
    let now = clock.now
    let (jobs, next, released) = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else {
        return ([PreviewJob](), Int64.max, [ReservedDecoder]())
      }
      let (jobs, next) = state.registry.previewsDue(
        of: receiver.id, beginning, interval: configuration.previewInterval, at: now)
      return (jobs, next, state.registry.takeReleasedDecoders())
    }
    _ = released  // released here, outside the lock
    guard !jobs.isEmpty else { return next }
    var isSkipped = false
    for job in jobs where !submit(job, of: receiver, beginning) {
      isSkipped = true
      state.withLock { $0.registry.skipPreview(job, job.decoder) }
    }
    return isSkipped ? now : next
  }

  /// Submits a preview. Returns false if no worker is free, or if the bytes have changed.
  ///
  /// Memory for a copy of the body is reserved before the preview reads the body, because the body is copied when more
  /// bytes arrive in the meantime. If there is no room now, a worker reserves the memory and may evict cached memory.
  private func submit(
    _ job: PreviewJob, of receiver: FetchReceiver, _ beginning: PreviewSchedule.Beginning
  ) -> Bool {
    guard workers.isFree else { return false }
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    var body: [UInt8]?
    if reservation.reserve(beginning.count, force: false) {
      body = receiver.bytes(of: beginning)
      guard body != nil else { return false }
    }
    let flag = CancellationFlag()
    workers.submit(job.number, priority: ImageRequest.Priority.veryLow.rawValue, stoppedBy: flag) {
      [self, body] in
      ledger.checkPressure()
      guard body != nil || reservation.reserveOrEvict(toFit: beginning.count),
        let body = body ?? receiver.bytes(of: beginning)
      else {
        reservation.end()
        return skip(job, job.decoder)
      }
      if let counted = job.decoder ?? newDecoder(for: job) {
        makePreview(job, counted, body, beginning.expected, reservation, flag.cancellation)
      } else {
        end(job, nil, hasPreview: false)
      }
      reservation.end()
    }
    return true
  }

  private func newDecoder(for job: PreviewJob) -> ReservedDecoder? {
    decoder.progressiveDecoder(job.style, options: job.key.options(configuration.pixelFormat))
      .map { ReservedDecoder(decoder: $0, reservation: MemoryReservation(0, in: ledger, as: .decoding)) }
  }

  /// Makes a preview on a worker thread. `reservation` reserves the memory of this preview, and `counted.reservation` the memory kept
  /// for later previews.
  private func makePreview(
    _ job: PreviewJob, _ counted: ReservedDecoder, _ body: [UInt8], _ expectedLength: Int?,
    _ reservation: MemoryReservation,
    _ cancellation: DecodeCancellation
  ) {
    let decoder = counted.decoder
    guard reservation.reserveOrEvict(toFit: decoder.requiredBytes(for: body) - counted.reservation.bytes)
    else {
      return skip(job, counted)
    }
    let made = Result { () throws(ImageError) in
      try decoder.image(of: body, expectedLength: expectedLength, cancellation: cancellation)
    }
    let image = (try? made.get()) ?? nil
    if let image { show(job.key.settings.applied(to: image), job) }
    let isOver = if case .failure = made { true } else { false }
    reservation.resize(to: body.count)
    counted.reservation.resize(to: isOver ? 0 : decoder.retainedBytes)
    end(job, isOver ? nil : counted, hasPreview: image != nil)
  }

  private func end(_ job: PreviewJob, _ decoder: ReservedDecoder?, hasPreview: Bool) {
    let now = clock.now
    state.withLock { state in
      state.registry.endPreview(
        job, decoder, hasPreview: hasPreview, interval: configuration.previewInterval, at: now)
    }
  }

  /// Skips a preview for lack of memory. The next preview begins after `previewInterval` at the earliest.
  private func skip(_ job: PreviewJob, _ decoder: ReservedDecoder?) {
    let next = clock.now.advanced(bySeconds: configuration.previewInterval)
    state.withLock { $0.registry.skipPreview(job, decoder, until: next) }
  }

  /// Shows a preview to the callers that want previews, with the transforms of each request.
  private func show(_ image: Image, _ job: PreviewJob) {
    for (id, transforms) in state.withLock({ $0.registry.imagesOfPreview(job) }) {
      guard case .success(let processedImage) = Self.apply(transforms, to: image) else {
        state.withLock { $0.registry.previewHasFailed(id, job) }
        continue
      }
      let preview = processedImage.asPreview
      let tasks = state.withLock { state in
        state.registry.previewIsReady(preview, of: id, job).compactMap { state.tasks[$0] }
      }
      for task in tasks { task.show(preview) }
    }
  }
}

/// Releases preview decoders and resumable data when a whole image needs the memory.
extension LoadEngine: MemoryHolder {
  /// Does nothing, because the ledger of the engine does not change.
  func count(against ledger: MemoryLedger) {}

  /// Releases memory only if a decode or a body waits for memory. Previews take no memory from one another.
  func release(bytes: Int) {
    if workers.isShortOfMemory || ledger.isBodyWaiting { releasePreviewDecoders(bytes) }
  }

  /// Releases all preview decoders that are not in use, at critical pressure.
  func handlePressure(_ pressure: MemoryPressure) {
    if pressure == .critical { releasePreviewDecoders(.max) }
  }

  private func releasePreviewDecoders(_ bytes: Int) {
    let released = state.withLock { state in
      state.registry.releasePreviewDecoders(bytes)
      let resumableDataStore = ledger.isBodyWaiting ? state.resumableDataStore.takeOldest(bytes: bytes) : []
      return (state.registry.takeReleasedDecoders(), resumableDataStore)
    }
    _ = released  // released here, outside the lock
  }
}

extension MemoryReservation {
  /// Reserves `bytes` more, evicting cached memory if necessary. Returns false if the bytes do not fit the budget. No
  /// lock may be held.
  fileprivate func reserveOrEvict(toFit bytes: Int) -> Bool {
    if bytes <= 0 || reserve(bytes, force: false) { return true }
    evict(toFit: bytes)
    return reserve(bytes, force: false)
  }
}
