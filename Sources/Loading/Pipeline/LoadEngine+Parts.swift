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
      body: answer.bodyNumber, count: answer.body.count, expected: answer.response?.expectedLength)
  }
}

extension LoadEngine {
  /// Lets pictures be made from what has come, where they are due; when to come again.
  ///
  /// They are made only while the workers have nothing else to do and memory has room: they are a favour, and whoever
  /// waits for a whole picture goes first.
  fileprivate func showPart(of receiver: FetchReceiver, _ beginning: PartialPictures.Beginning) -> Int64 {
    let now = clock.now
    let (jobs, next) = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else { return ([PartJob](), Int64.max) }
      return state.registry.partsDue(
        of: receiver.id, beginning, interval: configuration.partialImageInterval, at: now)
    }
    guard !jobs.isEmpty else { return next }
    var isSkipped = false
    let body = receiver.bytes(of: beginning)
    for job in jobs {
      if let body, submit(job, body, beginning.expected) { continue }
      isSkipped = true
      state.withLock { $0.registry.skipPart(job) }
    }
    return isSkipped ? now : next
  }

  /// Whether it will be made.
  private func submit(_ job: PartJob, _ body: [UInt8], _ expectedLength: Int?) -> Bool {
    guard workers.isFree else { return false }
    let options = DecodeOptions(
      target: job.key.target, pixelFormat: configuration.pixelFormat, limits: job.key.limits)
    let hold = MemoryHold(0, in: ledger, as: .decoding)
    // The bytes are copied as soon as more of them come.
    let need = decoder.memoryNeeded(for: body, options: options) + body.count
    guard hold.take(need) else { return false }
    workers.submit(job.number, priority: .veryLow) { [self] in
      ledger.lookAround()
      let progressive = job.decoder ?? decoder.progressiveDecoder(job.style, options: options)
      let made = Result { () throws(ImageError) in
        try progressive?.image(of: body, expectedLength: expectedLength)
      }
      let image = (try? made.get()) ?? nil
      if let image { show(image, job) }
      let isOver = if case .failure = made { true } else { false }
      let now = clock.now
      state.withLock { state in
        state.registry.endPart(
          job, isOver ? nil : progressive, hasPicture: image != nil,
          interval: configuration.partialImageInterval, at: now)
      }
      hold.end()
    }
    return true
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

extension MemoryHold {
  /// Counts so many more if they fit, once others have let go of what they can do without; whether they do.
  fileprivate func take(_ bytes: Int) -> Bool {
    if take(bytes, inAnyCase: false) { return true }
    makeRoom(for: bytes)
    return take(bytes, inAnyCase: false)
  }
}
