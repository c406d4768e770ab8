import VitrineGraphics

/// The decisions of a `FramePool`: which frame to decode next, and which frames to release.
struct FramePlan {
  /// The number of frames that are decoded ahead while there is memory.
  static let longestAhead = 3
  /// The number of frames decoded without a shortage after which one more is decoded ahead.
  static let framesToRecover = 64

  /// A frame to decode.
  struct Job {
    /// The number of the job, which no other job has.
    let number: UInt64
    let track: UInt64
    let animation: ImageAnimation
    let frame: Int
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
  /// The number of frames that are decoded before they are to be shown: 1 after a shortage of memory.
  private(set) var ahead = longestAhead
  private var decodedSinceShortage = 0

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var trackCount: Int { entries.count }

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
          frameCount: animation.frameCount, frameBytes: animation.frameByteCount, storage: animation.storage,
          still: still), use: lastUse)
    }
    links[id, default: (track, 0)].viewerCount += 1
    entries[track]?.track.add(viewer)
    return (track, released)
  }

  private mutating func extend(_ id: UInt64, with animation: ImageAnimation, still: Image) -> [AnyObject] {
    guard let entry = entries[id], animation.frameCount > entry.track.frameCount || animation.isComplete
    else { return [] }
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
    return [entry.animation] + Array(entry.track.images.values)
  }

  /// Sets what a view needs. Returns the frame if it is decoded, and frames to release.
  mutating func setDemand(
    _ demand: FrameDemand?, of viewer: UInt64, in id: UInt64
  ) -> (frame: DecodedFrame?, released: [Image]) {
    guard entries[id] != nil else { return (nil, []) }
    lastUse += 1
    entries[id]?.use = lastUse
    entries[id]?.track.setDemand(demand, of: viewer)
    let frame = entries[id]?.track.frame(for: viewer)
    // Frames of a paused animation stay until the memory is needed.
    let released = demand == nil ? [] : changeFrames(of: id) { [ahead] in $0.takeUnneeded(ahead: ahead) }
    return (frame, released)
  }

  /// Forgets that there was no memory for a frame of an animation.
  mutating func tryAgain(_ id: UInt64) { entries[id]?.track.tryAgain() }

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
    return Job(number: lastJob, track: best.id, animation: animation, frame: best.frame)
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
    case damaged
    case noMemory
    /// The decoder was told to stop. The frame is decoded again if a view needs it.
    case cancelled
  }

  /// Records the end of a job. Returns frames to release.
  mutating func end(_ job: Job, _ outcome: Outcome) -> [Image] {
    guard isCurrent(job) else { return [] }
    let viewers = entries[job.track]?.track.decoding?.viewers ?? []
    entries[job.track]?.job = nil
    entries[job.track]?.track.endDecoding()
    switch outcome {
    case .decoded(let image):
      recover()
      let unneeded = changeFrames(of: job.track) { [ahead] track in
        track.decoded(job.frame, image, for: viewers)
        return track.takeUnneeded(ahead: ahead)
      }
      return unneeded + keepWithinLimit()
    case .damaged: entries[job.track]?.track.failed(job.frame)
    case .noMemory: entries[job.track]?.track.foundNoMemory()
    case .cancelled: break
    }
    return []
  }

  private mutating func recover() {
    decodedSinceShortage += 1
    guard ahead < Self.longestAhead, decodedSinceShortage >= Self.framesToRecover else { return }
    decodedSinceShortage = 0
    ahead += 1
  }

  // MARK: Releasing

  private mutating func keepWithinLimit() -> [Image] { bytes > byteLimit ? release(bytes - byteLimit) : [] }

  /// Removes frames of at least `count` bytes if there are as many that are neither shown nor shown next: those of the
  /// animations that were used least recently first. Then fewer frames are decoded ahead.
  mutating func release(_ count: Int) -> [Image] {
    var released: [Image] = []
    var freed = 0
    for id in entries.keys.sorted(by: { use(of: $0) < use(of: $1) }) where freed < count {
      let before = bytes
      released += changeFrames(of: id) { $0.take(keeping: 1) }
      let taken = before &- bytes
      if taken > 0 { entries[id]?.track.maySpendMemory = false }
      freed = ByteCount.sum(freed, max(0, taken))
    }
    ahead = 1
    decodedSinceShortage = 0
    return released
  }

  /// Removes and returns all frames of an animation except those that are shown.
  mutating func releaseAll(of id: UInt64) -> [Image] { changeFrames(of: id) { $0.take(keeping: 0) } }

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
