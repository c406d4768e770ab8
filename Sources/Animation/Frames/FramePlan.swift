import VitrineGraphics

/// The decisions of a `FramePool`: which frame to decode next, and which frames and decoders to release.
///
/// When the decoders of all animations do not fit the memory, each keeps its memory for a turn of several frames, so that
/// all animations move in turn.
struct FramePlan {
  /// The number of demands by each other view, on average, after which the decoder of an animation counts as rarely
  /// needed.
  static let demandsUntilRare = 4

  /// A frame to decode.
  struct Job {
    /// The number of the job, which no other job has.
    let number: UInt64
    let track: UInt64
    let animation: ImageAnimation
    let frame: Int
    /// True if other memory holders may be asked to evict for the frame.
    let mayEvict: Bool
    /// The value of `memoryChanges` at the beginning of the job.
    let memoryChangesBefore: Int
  }

  private struct Entry {
    /// The animation by which frames are decoded: of those that share the track, the one with the most frames.
    var animation: ImageAnimation
    var track: FrameTrack
    /// The number of the last use of the animation.
    var use: UInt64
    /// The number of the job that decodes a frame; `nil` for none.
    var job: UInt64?
    /// The number of the latest job; 0 for none.
    var latestJob: UInt64 = 0
    /// The time for which the animation has waited for memory.
    var wait = MemoryWait()
    /// The decoder that is kept between two frames; `nil` for none.
    var decoder: HeldDecoder?

    /// True if views wait for frames for which there is no memory.
    var waitsForMemory: Bool { track.backOff.lacksMemory && !track.demands.isEmpty }

    /// True if the animation had no memory at its last try, and tries again, now or later.
    func triesAgain(ahead: Int) -> Bool {
      wait.hasBegun && !track.demands.isEmpty
        && (track.backOff.lacksMemory || job != nil || track.next(ahead: ahead) != nil)
    }
  }

  /// The objects to release for a need of memory.
  private struct Release {
    var objects: [AnyObject] = []
    /// The number of bytes that are still needed.
    var missing: Int

    mutating func count(_ bytes: Int) { missing = max(0, missing - max(0, bytes)) }
  }

  /// The maximum number of bytes of all decoded frames.
  let byteLimit: Int
  private var entries: [UInt64: Entry] = [:]
  /// The track of each animation that views show, and the number of views.
  private var links: [ObjectIdentifier: (track: UInt64, viewerCount: Int)] = [:]
  private var lastTrack: UInt64 = 0
  /// The bytes of all decoded frames. Wraps instead of trapping for sizes that no memory has.
  private(set) var bytes = 0
  private var lastUse: UInt64 = 0
  private var lastJob: UInt64 = 0
  /// The number of frames of all animations that were decoded so far.
  private(set) var decodedFrames = 0
  /// Incremented when a job may have taken or released memory.
  private var memoryChanges = 0
  private var decodeAhead = DecodeAhead()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// The number of frames that are decoded before they are to be shown: 1 after a shortage of memory.
  var ahead: Int { decodeAhead.count }
  var trackCount: Int { entries.count }
  /// The number of decoded frames, without the first of each animation.
  var frameCount: Int { entries.values.reduce(0) { $0 + $1.track.images.count - 1 } }

  /// Returns the decoders that are kept, those of the animations that were used least recently first.
  ///
  /// - Parameter ledger: The ledger in which they are reserved; `nil` for all decoders.
  func decoders(in ledger: MemoryLedger?) -> [FrameDecoder] {
    entries.values.sorted { $0.use < $1.use }.compactMap { $0.decoder?.decoder }
      .filter { ledger == nil || $0.reservation?.ledger === ledger }
  }

  /// The number of decoders that are kept.
  var decoderCount: Int { entries.values.count { $0.decoder != nil } }

  func track(_ id: UInt64) -> FrameTrack? { entries[id]?.track }

  // MARK: Views

  /// Adds a view of an animation, which stays alive until `remove`. Returns the number of the track with the frames of
  /// the animation, and what is to be released without the lock.
  ///
  /// - Parameter begun: The track of an animation that this one continues. Its frames are shared.
  mutating func add(
    _ viewer: UInt64, to animation: ImageAnimation, still: Image, continuing begun: UInt64? = nil
  ) -> (track: UInt64, released: [AnyObject]) {
    let id = ObjectIdentifier(animation)
    lastUse += 1
    var released: [AnyObject] = []
    let track: UInt64
    if let link = links[id] {
      track = link.track
    } else if let begun, entries[begun]?.track.frameBytes == animation.frameByteCount {
      track = begun
      released = extend(begun, with: animation, still: still)
    } else {
      lastTrack += 1
      track = lastTrack
      entries[track] = Entry(
        animation: animation,
        track: FrameTrack(
          frameCount: animation.frameCount, frameBytes: animation.frameByteCount,
          decoderBytes: animation.decoderByteCount, storage: animation.storage, byteLimit: byteLimit,
          still: still), use: lastUse)
    }
    links[id, default: (track, 0)].viewerCount += 1
    entries[track]?.track.add(viewer)
    return (track, released)
  }

  private mutating func extend(_ id: UInt64, with animation: ImageAnimation, still: Image) -> [AnyObject] {
    guard let entry = entries[id] else { return [] }
    let added = animation.frameCount - entry.track.frameCount
    // A whole image may have fewer frames than its preview, if it ends with a damaged frame.
    guard added > 0 || (added == 0 && animation.isComplete) else { return [] }
    entries[id]?.animation = animation
    let replaced = changeFrames(of: id) { track in
      track.extend(toFrameCount: animation.frameCount, still: still).map { [$0] } ?? []
    }
    return [entry.animation] + replaced
  }

  /// Removes a view. Returns what is to be released without the lock, if it was the last view of the track.
  mutating func remove(_ viewer: UInt64, of animation: ImageAnimation, from id: UInt64) -> [AnyObject] {
    let link = ObjectIdentifier(animation)
    links[link]?.viewerCount -= 1
    if links[link]?.viewerCount == 0 { links[link] = nil }
    entries[id]?.track.remove(viewer)
    guard let entry = entries[id], entry.track.viewers.isEmpty else { return [] }
    entries[id] = nil
    bytes &-= entry.track.bytes
    retryLongestWaiting()
    let decoder: [AnyObject] = entry.decoder.map { [$0.decoder] } ?? []
    return [entry.animation] + decoder + Array(entry.track.images.values)
  }

  /// The result of `setDemand`.
  struct Found {
    /// The frame to show; `nil` if no frame for the view is decoded.
    var frame: DecodedFrame?
    /// True if a frame of the animation can be decoded now.
    var hasWork = false
    /// Objects to release without the lock.
    var released: [AnyObject] = []
  }

  /// Sets what a view needs. Looks at other views of the animation only as far as necessary, so that many views of one
  /// image can all change their frame at the same time.
  mutating func setDemand(_ demand: FrameDemand?, of viewer: UInt64, in id: UInt64) -> Found {
    guard let index = entries.index(forKey: id) else { return Found() }
    lastUse += 1
    entries.values[index].use = lastUse
    let lackedMemory = entries.values[index].track.backOff.lacksMemory
    let before = entries.values[index].track.needs(of: viewer)
    entries.values[index].track.setDemand(demand, of: viewer)
    var found = Found(frame: entries.values[index].track.frame(for: viewer))
    // Frames of a paused animation stay until the memory is needed.
    guard demand != nil else {
      found.released = takeSuspendedDecoder(of: id)
      // Another animation may have the memory now.
      if !found.released.isEmpty { found.hasWork = hasWork }
      return found
    }
    let triesAgain = lackedMemory && !entries.values[index].track.backOff.lacksMemory
    found.hasWork =
      triesAgain
      ? entries.values[index].track.next(ahead: ahead) != nil
      : entries.values[index].track.hasWork(for: viewer, ahead: ahead)
    found.released = changeFrames(of: id) { [ahead] in $0.takeUnneeded(since: before, ahead: ahead) }
    return found
  }

  /// Begins or ends the time in which a thread waits for a frame of an animation.
  mutating func setUrgent(_ isUrgent: Bool, _ id: UInt64) {
    entries[id]?.track.backOff.setUrgent(isUrgent)
  }

  // MARK: Decoding

  /// Returns the frame that is needed first, and marks its animation as being decoded. Of several animations that wait,
  /// the one that has waited for the longest time is next.
  mutating func takeJob() -> Job? {
    var best: (id: UInt64, frame: Int, time: Double, latestJob: UInt64)?
    for (id, entry) in entries {
      guard let next = entry.track.next(ahead: ahead) else { continue }
      if best.map({ (next.time, entry.latestJob) < ($0.time, $0.latestJob) }) ?? true {
        best = (id, next.frame, next.time, entry.latestJob)
      }
    }
    guard let best, let animation = entries[best.id]?.animation else { return nil }
    lastJob += 1
    entries[best.id]?.track.beginDecoding(best.frame)
    entries[best.id]?.job = lastJob
    entries[best.id]?.latestJob = lastJob
    return Job(
      number: lastJob, track: best.id, animation: animation, frame: best.frame,
      mayEvict: entries[best.id]?.track.backOff.mayEvict == true, memoryChangesBefore: memoryChanges)
  }

  /// True unless all views of the animation have left since the job began. Views that came later have other jobs.
  func isCurrent(_ job: Job) -> Bool { entries[job.track]?.job == job.number }

  /// Returns true if the frame of a job is no longer needed, once for each job. The job ends as `.cancelled`, or as
  /// `.decoded` if it has ended meanwhile.
  mutating func cancels(_ job: Job) -> Bool {
    isCurrent(job) ? entries[job.track]?.track.cancelsDecoding() ?? false : true
  }

  /// True if a further thread would find a frame to decode.
  var hasWork: Bool { entries.values.contains { $0.track.next(ahead: ahead) != nil } }

  /// The result of decoding a frame.
  enum Outcome {
    case decoded(Image)
    /// The frame of the job, and all frames from the given one on, cannot be decoded.
    case damaged(from: Int)
    case noMemory
    /// The decoder, with one frame, takes more memory than the whole budget.
    case neverFits
    /// The decoder was told to stop. The frame is decoded again if a view needs it.
    case cancelled
  }

  /// Records the end of a job. Returns objects to release.
  mutating func end(_ job: Job, _ outcome: Outcome) -> [AnyObject] {
    if case .decoded = outcome { decodedFrames += 1 }
    guard isCurrent(job) else {
      memoryChanges += 1
      retryLongestWaiting()
      if case .decoded(let image) = outcome { return [image] }
      return []
    }
    let viewers = entries[job.track]?.track.decoding?.viewers ?? []
    entries[job.track]?.job = nil
    entries[job.track]?.track.endDecoding()
    var released: [AnyObject] = []
    switch outcome {
    case .decoded(let image):
      recover()
      entries[job.track]?.decoder?.countFrame()
      entries[job.track]?.track.backOff.foundMemory()
      entries[job.track]?.wait = MemoryWait(since: job.number)
      let unneeded = changeFrames(of: job.track) { [ahead] track in
        track.decoded(job.frame, image, for: viewers)
        return track.takeUnneeded(ahead: ahead)
      }
      released = unneeded + keepWithinLimit()
    case .damaged(let first): entries[job.track]?.track.failed(min(first, job.frame))
    case .neverFits:
      if let first = entries[job.track]?.track.firstMissing { entries[job.track]?.track.failed(first) }
    case .noMemory:
      entries[job.track]?.track.backOff.foundNoMemory()
      entries[job.track]?.wait.countTry()
      if entries[job.track]?.track.backOff.isUrgent != true {
        // The try may have released memory. The end of an urgent try does not count, so that two do not repeat each other.
        noteReleased()
      } else if memoryChanges > job.memoryChangesBefore {
        // Another job may have taken the memory that the try had made free, or released memory too late for it.
        entries[job.track]?.track.backOff.retry()
      }
      return takeSuspendedDecoder(of: job.track)
    case .cancelled: break
    }
    memoryChanges += 1
    released += takeSuspendedDecoder(of: job.track)
    retryLongestWaiting()
    return released
  }

  /// Notes that memory may have been released. A frame for which a thread waits is then tried again.
  mutating func noteReleased() {
    memoryChanges += 1
    retryLongestWaiting(ifUrgent: true)
  }

  private mutating func recover() {
    guard decodeAhead.countFrame() else { return }
    for id in entries.keys { entries[id]?.track.maySpendMemory = true }
  }

  /// Lets the animation try again that has waited for memory for the longest time. A frame for which a thread waits goes
  /// before the others.
  ///
  /// - Parameter ifUrgent: True to retry only an animation for whose frame a thread waits.
  private mutating func retryLongestWaiting(ifUrgent: Bool = false) {
    var best: (id: UInt64, isUrgent: Bool, wait: MemoryWait)?
    for (id, entry) in entries where entry.waitsForMemory {
      let isUrgent = entry.track.backOff.isUrgent
      let isBetter = best.map { isUrgent == $0.isUrgent ? entry.wait < $0.wait : isUrgent } ?? true
      if isBetter { best = (id, isUrgent, entry.wait) }
    }
    if let best, best.isUrgent || !ifUrgent { entries[best.id]?.track.backOff.retry() }
  }

  /// Returns true if no other animation has waited for longer for the memory of decoders whose turn is over.
  private func isNext(_ job: Job) -> Bool {
    guard let entry = entries[job.track] else { return false }
    return entry.decoder != nil || entry.track.backOff.isUrgent
      || entries.allSatisfy { id, other in
        id == job.track || !other.triesAgain(ahead: ahead) || !(other.wait < entry.wait)
      }
  }

  // MARK: Decoders

  /// Returns the decoder for a job; `nil` if there is none.
  func decoder(for job: Job) -> FrameDecoder? {
    isCurrent(job) ? entries[job.track]?.decoder?.decoder : nil
  }

  /// Keeps a new decoder, unless all views of the animation have left. Returns the decoder that it replaces.
  mutating func keep(_ decoder: FrameDecoder, for job: Job) -> [AnyObject] {
    guard isCurrent(job), let old = entries[job.track]?.decoder else {
      if isCurrent(job) { entries[job.track]?.decoder = HeldDecoder(decoder, number: job.number) }
      return []
    }
    entries[job.track]?.decoder = old.continued(by: decoder)
    return [old.decoder]
  }

  /// Removes and returns the decoder of an animation that no view needs, if others wait for memory.
  private mutating func takeSuspendedDecoder(of id: UInt64) -> [AnyObject] {
    guard let entry = entries[id], entry.job == nil, entry.track.demands.isEmpty, let held = entry.decoder,
      entries.values.contains(where: \.waitsForMemory)
    else { return [] }
    entries[id]?.decoder = nil
    retryLongestWaiting()
    return [held.decoder]
  }

  /// Returns the decoders that no job uses.
  ///
  /// - Parameter ledger: The ledger in which they are reserved; `nil` for all ledgers.
  private func releasableDecoders(in ledger: MemoryLedger?) -> ReleasableDecoders {
    let viewerCount = entries.values.reduce(0) { $0 + $1.track.viewers.count }
    let demandsUntilRare = UInt64(viewerCount * Self.demandsUntilRare)
    let waitingCount = entries.values.count(where: \.waitsForMemory)
    let decoderCount = decoderCount
    return ReleasableDecoders(
      entries.lazy.compactMap { [lastUse] id, entry in
        guard entry.job == nil, let held = entry.decoder,
          ledger == nil || held.decoder.reservation?.ledger === ledger
        else { return nil }
        let isRare = lastUse - entry.use > demandsUntilRare
        let use: ReleasableDecoders.Use =
          if !entry.track.needsDecoder { .unneeded } else if isRare { .rare } else {
            held.isTurnOver(decoderCount: decoderCount, waitingCount: waitingCount) ? .turnOver : .inTurn
          }
        return .init(
          track: id, byteCount: held.decoder.byteCount, use: use,
          age: use <= .rare ? entry.use : held.number)
      })
  }

  private mutating func takeDecoders(
    _ release: inout Release, upTo use: ReleasableDecoders.Use, in ledger: MemoryLedger? = nil,
    onlyIfEnough: Bool = false
  ) {
    let chosen = releasableDecoders(in: ledger)
      .chosen(toFree: release.missing, upTo: use, onlyIfEnough: onlyIfEnough)
    for candidate in chosen {
      if let held = entries[candidate.track]?.decoder { release.objects.append(held.decoder) }
      entries[candidate.track]?.decoder = nil
      release.count(candidate.byteCount)
    }
  }

  /// Returns true if decoders of other animations have memory for which this job can wait.
  private func canWaitForTurn(_ job: Job, in ledger: MemoryLedger) -> Bool {
    guard let entry = entries[job.track], entry.decoder == nil, !entry.track.backOff.isUrgent else {
      return false
    }
    return entries.values.contains { other in
      guard let reservation = other.decoder?.decoder.reservation else { return false }
      return reservation.ledger === ledger && reservation.bytes > 0
    }
  }

  // MARK: Releasing

  private mutating func keepWithinLimit() -> [AnyObject] {
    var release = Release(missing: max(0, bytes &- byteLimit))
    takeFrames(&release, keptInsteadOfDecoders: false)
    takeFrames(&release, keptInsteadOfDecoders: true)
    return release.objects
  }

  /// Removes frames that are neither shown nor shown next: those of the animations that were used least recently first.
  /// Then fewer frames are decoded ahead.
  private mutating func takeFrames(_ release: inout Release, keptInsteadOfDecoders: Bool) {
    guard release.missing > 0 else { return }
    for id in entries.keys.sorted(by: { use(of: $0) < use(of: $1) }) where release.missing > 0 {
      guard entries[id]?.track.keepsInsteadOfDecoder == keptInsteadOfDecoders else { continue }
      let before = bytes
      release.objects += changeFrames(of: id) { $0.take(keeping: 1) }
      let taken = before &- bytes
      if taken > 0 { entries[id]?.track.maySpendMemory = false }
      release.count(taken)
    }
    decodeAhead.noteShortage()
  }

  /// Returns decoders of up to `count` bytes that no view needs, to release.
  ///
  /// - Parameter ledger: The ledger in which the decoders are reserved.
  mutating func releaseUnneededDecoders(_ count: Int, in ledger: MemoryLedger) -> [AnyObject] {
    var release = Release(missing: max(0, count))
    takeDecoders(&release, upTo: .unneeded, in: ledger)
    return release.objects
  }

  /// Returns objects to release for a job: frames that are neither shown nor shown next, and then decoders.
  ///
  /// Decoders whose turn is over are released only if no other animation has waited for longer. A job that has a decoder,
  /// and a job for which a thread waits, may take other decoders too, so that at least one animation goes on.
  mutating func makeRoom(_ count: Int, for job: Job, in ledger: MemoryLedger) -> [AnyObject] {
    var release = Release(missing: max(0, count))
    if job.mayEvict { takeFrames(&release, keptInsteadOfDecoders: false) }
    takeDecoders(&release, upTo: isNext(job) ? .turnOver : .rare, in: ledger, onlyIfEnough: true)
    guard !canWaitForTurn(job, in: ledger) else { return release.objects }
    takeDecoders(&release, upTo: .inTurn, in: ledger, onlyIfEnough: true)
    if job.mayEvict { takeFrames(&release, keptInsteadOfDecoders: true) }
    takeDecoders(&release, upTo: .inTurn, in: ledger, onlyIfEnough: true)
    return release.objects
  }

  /// Returns objects of at least `count` bytes to release, if there are as many: decoders that no view needs, then
  /// frames that are neither shown nor shown next, and then other decoders that no job uses.
  mutating func release(_ count: Int) -> [AnyObject] {
    var release = Release(missing: max(0, count))
    takeDecoders(&release, upTo: .unneeded)
    takeFrames(&release, keptInsteadOfDecoders: false)
    takeDecoders(&release, upTo: .inTurn)
    takeFrames(&release, keptInsteadOfDecoders: true)
    return release.objects
  }

  /// Returns all decoders that no view needs, and all frames that are neither shown nor shown next, to release. Frames
  /// that are kept instead of a decoder stay.
  mutating func releaseSpare() -> [AnyObject] {
    var release = Release(missing: .max)
    takeDecoders(&release, upTo: .unneeded)
    takeFrames(&release, keptInsteadOfDecoders: false)
    return release.objects
  }

  /// Removes and returns the decoder of an animation, and all frames except those that are shown.
  mutating func releaseAll(of id: UInt64) -> [AnyObject] {
    let decoder: [AnyObject] = entries[id]?.decoder.map { [$0.decoder] } ?? []
    entries[id]?.decoder = nil
    return decoder + changeFrames(of: id) { $0.takeAll() }
  }

  /// Adds or removes frames of an animation. Returns the frames that `change` returns; none if no view shows the
  /// animation.
  private mutating func changeFrames(of id: UInt64, _ change: (inout FrameTrack) -> [Image]) -> [Image] {
    guard let index = entries.index(forKey: id) else { return [] }
    let before = entries.values[index].track.bytes
    let frames = change(&entries.values[index].track)
    bytes &+= entries.values[index].track.bytes &- before
    return frames
  }

  private func use(of id: UInt64) -> UInt64 { entries[id]?.use ?? 0 }
}
