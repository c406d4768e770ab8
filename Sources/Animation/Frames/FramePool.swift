import VitrineConcurrency
package import VitrineGraphics

/// Decodes the frames of all animations on threads of its own and keeps them within one limit. Views that show the same
/// image share its frames and its decoder.
///
/// A frame is decoded only when a ledger has room for it. Otherwise the view keeps its last frame, and later frames are
/// tried again. May be used from any thread.
package final class FramePool: Sendable {
  /// The pool of all views.
  package static let shared = FramePool()

  /// A job, and the flag that stops it.
  private struct RunningJob {
    let job: FramePlan.Job
    let flag = CancellationFlag()
  }

  private struct State {
    var plan: FramePlan
    /// The jobs that threads are running, by number.
    var running: [UInt64: RunningJob] = [:]
    /// The functions to call when the current frame of a view was decoded, by the number of the view.
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var ledgers: [UInt64: MemoryLedger] = [:]
    var lastNumber: UInt64 = 0
    var threads = 0
    var droppedFrames = 0

    /// Returns true if another thread is to start.
    ///
    /// - Parameter hasWork: True if there is a frame to decode; by default, all animations are asked.
    mutating func takeThread(_ maximum: Int, hasWork: Bool? = nil) -> Bool {
      guard threads < maximum, hasWork ?? plan.hasWork else { return false }
      threads += 1
      return true
    }

    /// Returns the functions to call at the end of a job: none for a frame that was cancelled or had no memory, which may
    /// still come.
    func observers(of job: FramePlan.Job, _ outcome: FramePlan.Outcome) -> [@Sendable () -> Void] {
      switch outcome {
      case .cancelled, .noMemory: return []
      case .decoded, .damaged, .neverFits: break
      }
      guard let track = plan.track(job.track) else { return [] }
      return track.demands.compactMap { viewer, demand in
        let isOver = demand.current == job.frame || track.late[viewer] == job.frame
        // A frame for which other views wait may depend on the damaged one.
        let isDamaged = track.firstDamaged.map { demand.current >= $0 } ?? false
        return isOver || isDamaged ? observers[viewer] : nil
      }
    }

    /// Stops the decoding of a frame of an animation that is no longer needed.
    mutating func cancelUnneeded(of id: UInt64) {
      for running in running.values where running.job.track == id && plan.cancels(running.job) {
        running.flag.set()
      }
    }
  }

  private let state: ConditionLock<State>
  private let workers: WorkerPool
  private let maximumThreads: Int

  /// - Parameters:
  ///   - byteLimit: The maximum number of bytes of decoded frames. The ledgers may allow less.
  ///   - threads: The number of threads that decode.
  package init(byteLimit: Int = 64 << 20, threads: Int = 2) {
    state = ConditionLock(State(plan: FramePlan(byteLimit: byteLimit)))
    maximumThreads = max(1, threads)
    workers = WorkerPool(threads: maximumThreads)
  }

  /// Returns access to the frames of an animated image; `nil` for a still image.
  ///
  /// - Parameters:
  ///   - begun: The access to the frames of a preview that `image` continues; see `Image.continues`. Frames that were
  ///     decoded for the preview are shared and not decoded again.
  ///   - frameDecoded: Called on a thread of the pool when the current frame of the view was decoded, or cannot be
  ///     decoded.
  package func frames(
    of image: Image, continuing begun: FrameStream? = nil, frameDecoded: @escaping @Sendable () -> Void
  ) -> FrameStream? {
    guard let animation = image.animation else { return nil }
    let ledger = image.ledger
    ledger?.register(self, as: .cache)
    let (number, track, released) = state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      let (track, released) = state.plan.add(
        number, to: animation, still: image.firstFrame, continuing: begun?.track)
      state.observers[number] = frameDecoded
      if let ledger { state.ledgers[track] = ledger }
      return (number, track, released)
    }
    withExtendedLifetime(released) {}
    return FrameStream(number, of: animation, track: track, in: self)
  }

  /// The number of bytes of decoded frames.
  package var bytes: Int { state.withLock(waking: .none) { $0.plan.bytes } }
  /// The number of frames that were decoded so far.
  package var decodedFrames: Int { state.withLock(waking: .none) { $0.plan.decodedFrames } }
  /// The state of the pool, for diagnostics. O(animations).
  package var report: PoolReport {
    state.withLock(waking: .none) { state in
      PoolReport(
        animations: state.plan.trackCount, frames: state.plan.frameCount, bytes: state.plan.bytes,
        droppedFrames: state.droppedFrames)
    }
  }
  /// Counts frames that a view has left out.
  package func countDropped(_ count: Int) { state.withLock(waking: .none) { $0.droppedFrames &+= count } }
  /// The number of animations that views show.
  package var animationCount: Int { state.withLock(waking: .none) { $0.plan.trackCount } }

  /// True if no thread decodes.
  var isIdle: Bool { state.withLock(waking: .none) { $0.threads == 0 } }

  /// True if there was no memory for the last frame of a track.
  func lacksMemory(_ id: UInt64) -> Bool {
    state.withLock(waking: .none) { $0.plan.track(id)?.backOff.lacksMemory ?? false }
  }

  func decodedBytes(of id: UInt64) -> Int {
    state.withLock(waking: .none) { $0.plan.track(id)?.bytes ?? 0 }
  }

  // MARK: Streams

  /// Returns the first frame of a track that cannot be decoded; `nil` if there is none.
  func firstDamaged(of id: UInt64) -> Int? {
    state.withLock(waking: .none) { $0.plan.track(id)?.firstDamaged }
  }

  func setDemand(_ demand: FrameDemand?, of number: UInt64, in id: UInt64) -> DecodedFrame? {
    let (frame, released, needsThread) = state.withLock(waking: .none) { state in
      let found = state.plan.setDemand(demand, of: number, in: id)
      state.cancelUnneeded(of: id)
      return (found.frame, found.released, state.takeThread(maximumThreads, hasWork: found.hasWork))
    }
    withExtendedLifetime(released) {}
    if needsThread { startThread() }
    return frame
  }

  /// Begins or ends the time in which a thread waits for a frame of an animation.
  func setUrgent(_ isUrgent: Bool, _ track: UInt64) {
    state.withLock(waking: .none) { $0.plan.setUrgent(isUrgent, track) }
  }

  /// Blocks until the frame of a demand is decoded, cannot be decoded, or `seconds` have passed.
  func waitForFrame(_ frame: Int, of id: UInt64, seconds: Double) -> Image? {
    let nanoseconds = Int64(max(0, min(seconds, 60)) * 1e9)
    let end = SystemLoadingClock().now.advanced(bySeconds: seconds)
    return state.wait(
      until: { state -> Image?? in
        guard let track = state.plan.track(id) else { return .some(nil) }
        if let image = track.images[frame] { return .some(image) }
        // There may be memory when the frames are decoded that other threads are working on.
        let hasNoMemory = track.backOff.lacksMemory && state.running.isEmpty
        let cannotCome = hasNoMemory || track.firstDamaged.map { frame >= $0 } ?? false
        return cannotCome || SystemLoadingClock().now >= end ? .some(nil) : nil
      }, timeout: { _ in nanoseconds })
  }

  func remove(_ number: UInt64, of animation: ImageAnimation, from track: UInt64) {
    let (released, needsThread) = state.withLock(waking: .none) { state in
      state.observers[number] = nil
      let released = state.plan.remove(number, of: animation, from: track)
      state.cancelUnneeded(of: track)
      if state.plan.track(track) == nil { state.ledgers[track] = nil }
      return (released, state.takeThread(maximumThreads))
    }
    withExtendedLifetime(released) {}
    if needsThread { startThread() }
  }

  func releaseFrames(of track: UInt64) {
    let (released, needsThread) = state.withLock(waking: .none) { state in
      (state.plan.releaseAll(of: track), state.takeThread(maximumThreads))
    }
    withExtendedLifetime(released) {}
    if needsThread { startThread() }
  }

  // MARK: Threads

  private func startThread() {
    let id = state.withLock(waking: .none) { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    workers.submit(id) { self.decodeWhileNeeded() }
  }

  private func decodeWhileNeeded() {
    while let running = nextJob() {
      let job = running.job
      let (observers, hasReleased) = end(job, decode(job, stoppedBy: running.flag))
      let needsThread = state.withLock { state in
        state.running[job.number] = nil
        if hasReleased { state.plan.noteReleased() }
        return state.takeThread(maximumThreads)
      }
      if needsThread { startThread() }
      for observer in observers { observer() }
    }
  }

  /// Records the result of a job, and releases what is no longer needed. Until that is done, the job counts as running,
  /// so that `waitForFrame` does not give up.
  ///
  /// - Returns: The functions to call at the end of the job, and true if anything was released.
  private func end(
    _ job: FramePlan.Job, _ outcome: FramePlan.Outcome
  ) -> (observers: [@Sendable () -> Void], hasReleased: Bool) {
    let (observers, released) = state.withLock(waking: .none) { state in
      let released = state.plan.end(job, outcome)
      return (state.observers(of: job, outcome), released)
    }
    return (observers, !released.isEmpty)
  }

  private func nextJob() -> RunningJob? {
    state.withLock(waking: .none) { state in
      guard let job = state.plan.takeJob() else {
        state.threads -= 1
        return nil
      }
      let running = RunningJob(job: job)
      state.running[job.number] = running
      return running
    }
  }

  private func decode(_ job: FramePlan.Job, stoppedBy flag: CancellationFlag) -> FramePlan.Outcome {
    // A job whose views have left must not use the decoder of a later job, which may be running on another thread.
    let (isCurrent, known, ledger) = state.withLock(waking: .none) { state in
      (state.plan.isCurrent(job), state.plan.decoder(for: job), state.ledgers[job.track])
    }
    guard isCurrent, !flag.isCancelled else { return .cancelled }
    let animation = job.animation
    let isNew = known?.animation !== animation
    let decoderBytes =
      isNew ? known?.additionalBytes(for: animation, in: ledger) ?? animation.decoderByteCount : 0
    let frameBytes = ByteCount.sum(animation.frameByteCount, animation.decodingByteCount)
    // Frames that are in memory already are counted with the animation.
    let counting = animation.keepsFrames ? nil : ledger
    // The file and the first frame, which the image has, stay in memory meanwhile.
    let imageBytes = ByteCount.sum(animation.byteCount, animation.frameByteCount)
    if let counting,
      ByteCount.sum(animation.decoderByteCount, frameBytes, imageBytes) > counting.budget
    {
      return .neverFits
    }
    guard let memory = reserve(ByteCount.sum(decoderBytes, frameBytes), for: job, in: counting) else {
      return .noMemory
    }
    var decoder = isNew ? nil : known
    do throws(AnimationError) {
      let used =
        if let decoder {
          decoder
        } else {
          try makeDecoder(job, continuing: known, memory: memory.split(decoderBytes))
        }
      decoder = used
      let image = Image(try used.frame(job.frame, stoppedBy: flag))
      if let reservation = memory.reservation {
        image.countAsShown(movedFrom: reservation)
        reservation.end()
      }
      return .decoded(image)
    } catch {
      if error == .cancelled { return .cancelled }
      return .damaged(from: decoder?.firstDamaged(upTo: job.frame) ?? 1)
    }
  }

  /// Reserves memory for a job, if it is counted. Returns `nil` if there is no room.
  private func reserve(_ bytes: Int, for job: FramePlan.Job, in ledger: MemoryLedger?) -> FrameMemory? {
    guard let ledger else { return FrameMemory(reservation: nil) }
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let hasRoom = reservation.reserve(bytes, force: false) || makeRoom(bytes, for: job, in: reservation)
    return hasRoom ? FrameMemory(reservation: reservation) : nil
  }

  /// Reserves memory after releasing what is needed least. Returns false if there is no room.
  private func makeRoom(_ bytes: Int, for job: FramePlan.Job, in reservation: MemoryReservation) -> Bool {
    release { $0.releaseUnneededDecoders(bytes - reservation.available, in: reservation.ledger) }
    if reservation.reserve(bytes, force: false) { return true }
    if job.mayEvict {
      _ = releaseSavedCanvases(bytes - reservation.available, in: reservation.ledger)
      if reservation.reserve(bytes, force: false) { return true }
      reservation.evict(toFit: bytes, sparing: self)
      if reservation.reserve(bytes, force: false) { return true }
    }
    release { $0.makeRoom(bytes - reservation.available, for: job, in: reservation.ledger) }
    return reservation.reserve(bytes, force: false)
  }

  /// Returns a new decoder of an animation, which further frames use as well.
  ///
  /// - Parameters:
  ///   - begun: The decoder of the same animation with fewer frames; `nil` if there is none.
  ///   - memory: The memory in addition to that of `begun`.
  private func makeDecoder(
    _ job: FramePlan.Job, continuing begun: FrameDecoder?, memory: FrameMemory
  ) throws(AnimationError) -> FrameDecoder {
    let decoder =
      if let begun {
        try FrameDecoder(job.animation, continuing: begun, memory: memory)
      } else {
        try FrameDecoder(job.animation, memory: memory)
      }
    release { $0.keep(decoder, for: job) }
    return decoder
  }

  /// Releases saved canvases of decoders until at least `count` bytes are released or no canvas is left. Returns the bytes
  /// that were released.
  ///
  /// - Parameter ledger: The ledger in which the canvases are counted; `nil` for all canvases.
  private func releaseSavedCanvases(_ count: Int, in ledger: MemoryLedger? = nil) -> Int {
    let decoders = state.withLock(waking: .none) { $0.plan.decoders(in: ledger) }
    var released = 0
    for decoder in decoders where released < count {
      released = ByteCount.sum(released, decoder.releaseSavedCanvases())
    }
    return released
  }

  /// Releases the objects that `choose` returns, after the lock.
  private func release(_ choose: (inout FramePlan) -> [AnyObject]) {
    let released = state.withLock(waking: .none) { choose(&$0.plan) }
    withExtendedLifetime(released) {}
  }
}

extension FramePool: MemoryHolder {
  /// Counts nothing itself: each frame is counted in the ledger of its image until it is released.
  package func count(against ledger: MemoryLedger) {}

  /// Releases the canvases that decoders have saved, then decoders that no view needs, then frames that are neither shown
  /// nor shown next, and then other decoders that are not running.
  package func release(bytes: Int) {
    let released = releaseSavedCanvases(bytes)
    if released < bytes { release { $0.release(bytes - released) } }
  }

  /// Releases all saved canvases, all decoders that no view needs and all frames that are neither shown nor shown next,
  /// except those that are kept instead of a decoder. If the shortage is critical, releases these too, and all decoders
  /// that are not running.
  package func handlePressure(_ pressure: MemoryPressure) {
    _ = releaseSavedCanvases(.max)
    release { pressure < .critical ? $0.releaseSpare() : $0.release(.max) }
  }
}
