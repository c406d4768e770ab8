import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineAnimation

/// The decisions of the pool of frames.
@Suite struct FramePlanTests {
  /// Decodes the next frame, during which the views go on to other frames.
  private func decode(_ plan: inout FramePlan, during: (inout FramePlan) -> Void = { _ in }) throws
    -> FramePlan.Job
  {
    let taken = plan.takeJob()
    let job = try #require(taken)
    during(&plan)
    _ = plan.end(job, .decoded(.solid(width: 4, height: 4)))
    return job
  }

  @Test func frameThatTakesLongerThanItIsShownIsShownLate() throws {
    let image = CountingAnimation(frameCount: 40, side: 600).image
    let animation = try #require(image.animation)
    var plan = FramePlan(byteLimit: .max)
    let track = plan.add(1, to: animation, still: image.firstFrame).track
    func demand(_ frame: Int, _ plan: inout FramePlan) -> Int? {
      plan.setDemand(FrameDemand(current: frame, upcoming: [frame + 1]), of: 1, in: track).frame?.number
    }
    #expect(demand(1, &plan) == nil)
    for start in stride(from: 1, to: 30, by: 3) {
      // Each decode takes as long as three frames.
      let job = try decode(&plan) { plan in for frame in start...start + 3 { _ = demand(frame, &plan) } }
      #expect(job.frame == start)
      #expect(demand(start + 3, &plan) == start, "the latest frame that is there")
    }
    #expect(plan.track(track).map { $0.images.count <= 3 } == true, "older frames are released")
  }

  @Test func animationsThatAllWaitAreDecodedInTurn() throws {
    var plan = FramePlan(byteLimit: .max)
    var tracks: [UInt64] = []
    let images = (0..<5).map { _ in CountingAnimation(frameCount: 1000, side: 600).image }
    for (number, image) in images.enumerated() {
      let animation = try #require(image.animation)
      tracks.append(plan.add(UInt64(number), to: animation, still: image.firstFrame).track)
    }
    var counts: [UInt64: Int] = [:]
    for step in 1...50 {
      // The frame of each view changes faster than frames are decoded.
      for (number, track) in tracks.enumerated() {
        _ = plan.setDemand(FrameDemand(current: step), of: UInt64(number), in: track)
      }
      counts[try decode(&plan).track, default: 0] += 1
    }
    #expect(counts.values.sorted() == [10, 10, 10, 10, 10])
  }

  @Test func frameWithoutMemoryIsTriedAgainMoreAndMoreRarely() throws {
    let image = CountingAnimation(frameCount: 1000, side: 600).image
    let animation = try #require(image.animation)
    var plan = FramePlan(byteLimit: .max)
    let track = plan.add(1, to: animation, still: image.firstFrame).track
    var tries: [Int] = []
    for frame in 1...100 {
      _ = plan.setDemand(FrameDemand(current: frame), of: 1, in: track)
      guard let job = plan.takeJob() else { continue }
      tries.append(frame)
      #expect(job.mayEvict)
      _ = plan.end(job, .noMemory)
    }
    #expect(tries == [1, 9, 25, 57, 89])
  }

  @Test func frameWithoutMemoryIsTriedAgainWithoutEvictingAfterOtherFrames() throws {
    var plan = FramePlan(byteLimit: .max)
    let images = (0..<2).map { _ in CountingAnimation(frameCount: 1000, side: 600).image }
    let animations = images.compactMap(\.animation)
    let tracks = (0..<2).map {
      plan.add(UInt64($0), to: animations[$0], still: images[$0].firstFrame).track
    }
    _ = plan.setDemand(FrameDemand(current: 1), of: 0, in: tracks[0])
    let taken = plan.takeJob()
    _ = plan.end(try #require(taken), .noMemory)
    #expect(!plan.hasWork)

    _ = plan.setDemand(FrameDemand(current: 1), of: 1, in: tracks[1])
    #expect(try decode(&plan).track == tracks[1])

    let again = plan.takeJob()
    let job = try #require(again)
    #expect(job.track == tracks[0] && !job.mayEvict)
    _ = plan.end(job, .noMemory)
    #expect(!plan.hasWork, "a try without memory is no reason for another one")
  }

  /// Returns a plan with two animations. A thread waits for a frame of the first animation, and a try to decode this frame
  /// has found no memory.
  ///
  /// - Parameter decodesDuringTry: True to decode a frame of the second animation during the try.
  private func withoutMemory(decodesDuringTry: Bool) throws -> (plan: FramePlan, tracks: [UInt64]) {
    var plan = FramePlan(byteLimit: .max)
    let tracks = try (0..<2).map { number in
      let image = CountingAnimation(frameCount: 1000, side: 600).image
      return plan.add(UInt64(number), to: try #require(image.animation), still: image.firstFrame).track
    }
    plan.setUrgent(true, tracks[0])
    _ = plan.setDemand(FrameDemand(current: 1), of: 0, in: tracks[0])
    let taken = plan.takeJob()
    let job = try #require(taken)
    if decodesDuringTry {
      _ = plan.setDemand(FrameDemand(current: 1), of: 1, in: tracks[1])
      #expect(try decode(&plan).track == tracks[1])
    }
    _ = plan.end(job, .noMemory)
    return (plan, tracks)
  }

  @Test("a frame that a thread waits for is tried again if another frame was decoded during the try")
  func urgentFrameIsTriedAgain() throws {
    var (plan, tracks) = try withoutMemory(decodesDuringTry: true)

    let again = plan.takeJob()

    let job = try #require(again)
    #expect(job.track == tracks[0] && job.mayEvict)
    _ = plan.end(job, .noMemory)
    #expect(!plan.hasWork, "no frame was decoded during the second try")
  }

  @Test("a frame that a thread waits for may evict after each frame of another animation")
  func urgentFrameMayEvictAgain() throws {
    var (plan, tracks) = try withoutMemory(decodesDuringTry: false)
    #expect(!plan.hasWork)
    _ = plan.setDemand(FrameDemand(current: 1), of: 1, in: tracks[1])
    #expect(try decode(&plan).track == tracks[1])

    let again = plan.takeJob()

    let job = try #require(again)
    #expect(job.track == tracks[0] && job.mayEvict)
  }

  @Test("a frame that a thread waits for is tried again after a try of another animation, not the reverse")
  func urgentFrameIsTriedAgainAfterTheTryOfAnother() throws {
    var (plan, tracks) = try withoutMemory(decodesDuringTry: false)
    _ = plan.setDemand(FrameDemand(current: 1), of: 1, in: tracks[1])
    var tries: [UInt64] = []
    while let job = plan.takeJob(), tries.count < 10 {
      tries.append(job.track)
      _ = plan.end(job, .noMemory)
    }
    #expect(tries == [tracks[1], tracks[0]])
  }

  /// Adds an animation with one view to a plan, and begins to decode its second frame.
  private func beginDecoding(
    for viewer: UInt64, in plan: inout FramePlan
  ) throws -> (animation: ImageAnimation, job: FramePlan.Job) {
    let image = CountingAnimation(frameCount: 10).image
    let animation = try #require(image.animation)
    let track = plan.add(viewer, to: animation, still: image.firstFrame).track
    _ = plan.setDemand(FrameDemand(current: 1), of: viewer, in: track)
    let taken = plan.takeJob()
    let job = try #require(taken)
    #expect(job.track == track)
    return (animation, job)
  }

  @Test(
    "a frame that a thread waits for is tried again if a job that ended during the try had the memory",
    arguments: [false, true])
  func urgentFrameIsTriedAgainAfterACancelledJob(isCurrent: Bool) throws {
    var (plan, tracks) = try withoutMemory(decodesDuringTry: false)
    let (animation, job) = try beginDecoding(for: 9, in: &plan)
    plan.setUrgent(true, tracks[0])
    let urgent = plan.takeJob()
    if !isCurrent { _ = plan.remove(9, of: animation, from: job.track) }
    _ = plan.end(job, .cancelled)
    _ = plan.end(try #require(urgent), .noMemory)

    var next: [UInt64] = []
    while let job = plan.takeJob() { next.append(job.track) }
    #expect(next.contains(tracks[0]))
  }

  @Test func frameOfAViewThatHasLeftIsReleased() throws {
    var plan = FramePlan(byteLimit: .max)
    let (animation, job) = try beginDecoding(for: 1, in: &plan)
    _ = plan.remove(1, of: animation, from: job.track)
    let frame = Image.solid(width: 4, height: 4)

    let released = plan.end(job, .decoded(frame))

    #expect(released.count == 1 && released.first === frame && plan.decodedFrames == 1)
  }

  // MARK: Shortages of memory

  @Test func allFramesAreKeptAgainWhenMemoryIsNoLongerShort() throws {
    var plan = FramePlan(byteLimit: .max)
    let images = [
      CountingAnimation(frameCount: 50).image, CountingAnimation(frameCount: 1000, side: 600).image,
    ]
    let tracks = try images.enumerated().map { number, image in
      plan.add(UInt64(number), to: try #require(image.animation), still: image.firstFrame).track
    }
    func play(_ frames: Range<Int>) throws {
      for frame in frames {
        for (number, track) in tracks.enumerated() {
          let current = number == 0 ? frame % 50 : frame
          _ = plan.setDemand(FrameDemand(current: current), of: UInt64(number), in: track)
        }
        while plan.hasWork { _ = try decode(&plan) }
      }
    }
    try play(1..<51)
    #expect(plan.track(tracks[0])?.images.count == 50)

    _ = plan.release(.max)
    #expect(plan.track(tracks[0])?.keepsAll == false && plan.ahead == 1)
    try play(51..<101)
    #expect(plan.track(tracks[0]).map { $0.images.count < 5 } == true)

    try play(101..<301)
    #expect(plan.track(tracks[0])?.images.count == 50 && plan.ahead == DecodeAhead.longest)
  }

  /// The number of frames after which the frames ahead are at their maximum again.
  private func framesToRecover(_ ahead: inout DecodeAhead) -> Int {
    var frames = 1
    while !ahead.countFrame() { frames += 1 }
    return frames
  }

  @Test func recoveryTakesLongerAfterEachShortageThatFollowsSoon() {
    var ahead = DecodeAhead()
    var recoveries: [Int] = []
    for _ in 0..<10 {
      ahead.noteShortage()
      ahead.noteShortage()
      #expect(ahead.count == 1)
      recoveries.append(framesToRecover(&ahead))
    }
    #expect(recoveries == [128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 16_384, 16_384])

    for _ in 0..<8 * 8192 { _ = ahead.countFrame() }
    ahead.noteShortage()
    #expect(framesToRecover(&ahead) == 128, "a shortage that comes late is a new one")
  }

  // MARK: Decoders

  /// A plan with animations that each have a decoder of 1,000 bytes and have decoded frame 1.
  private struct Decoders {
    static let byteCount = 1000
    let ledger = MemoryLedger()
    let animations: [ImageAnimation]
    private(set) var tracks: [UInt64] = []
    var plan = FramePlan(byteLimit: .max)

    init(_ count: Int, frameCount: Int = 1000) throws {
      let images = (0..<count).map { _ in
        CountingAnimation(frameCount: frameCount, side: 600, decoderByteCount: Self.byteCount).image
      }
      animations = images.compactMap(\.animation)
      for (number, image) in images.enumerated() {
        tracks.append(plan.add(UInt64(number), to: animations[number], still: image.firstFrame).track)
        let job = try begin(number, frame: 1)
        let memory = FrameMemory(reservation: MemoryReservation(Self.byteCount, in: ledger, as: .decoding))
        let decoder = try FrameDecoder(job.animation, memory: memory)
        _ = plan.keep(decoder, for: job)
        end(job)
      }
    }

    /// Takes the job for a frame of an animation.
    mutating func begin(_ number: Int, frame: Int) throws -> FramePlan.Job {
      _ = plan.setDemand(FrameDemand(current: frame), of: UInt64(number), in: tracks[number])
      let job = plan.takeJob()
      return try #require(job)
    }

    mutating func end(_ job: FramePlan.Job) { _ = plan.end(job, .decoded(.solid(width: 4, height: 4))) }

    mutating func suspend(_ number: Int) {
      _ = plan.setDemand(nil, of: UInt64(number), in: tracks[number])
    }

    /// The animations whose decoders are released for a need of bytes.
    mutating func release(_ count: Int) -> [Int] { numbers(plan.release(count)) }

    func numbers(_ released: [AnyObject]) -> [Int] {
      released.compactMap { ($0 as? FrameDecoder)?.animation }.compactMap { animations.firstIndex(of: $0) }
    }
  }

  @Test func decoderOfASuspendedAnimationIsReleasedFirst() throws {
    var decoders = try Decoders(4)
    decoders.suspend(2)

    #expect(decoders.release(1) == [2])
    #expect(decoders.release(1).isEmpty, "then its frame, which is not shown")
    #expect(decoders.release(1) == [0], "then the decoder whose turn began first")
    #expect(decoders.release(2 * Decoders.byteCount) == [1, 3])
    #expect(decoders.release(1).isEmpty && decoders.ledger.usage.total == 0)
  }

  @Test func decoderThatIsRunningIsNotReleased() throws {
    var decoders = try Decoders(2)
    let job = try decoders.begin(0, frame: 2)

    #expect(decoders.release(.max) == [1])
    decoders.end(job)
    #expect(decoders.release(.max) == [0])
  }

  @Test func decoderOfASuspendedAnimationIsReleasedAtOnceWhileMemoryIsShort() throws {
    var decoders = try Decoders(3)
    decoders.suspend(0)
    #expect(decoders.plan.decoderCount == 3)
    let job = try decoders.begin(1, frame: 2)
    _ = decoders.plan.end(job, .noMemory)

    decoders.suspend(2)

    #expect(decoders.plan.decoderCount == 2)
  }

  @Test func decoderStaysForATurnWhileOthersWait() throws {
    var decoders = try Decoders(2)
    let ledger = decoders.ledger
    // Each frame is shown for a tenth of a second.
    let turn = 10
    #expect(decoders.release(1) == [0])
    for frame in 2...turn + 1 {
      let waiting = try decoders.begin(0, frame: frame)
      let released = decoders.plan.makeRoom(1, for: waiting, in: ledger)
      #expect(decoders.numbers(released) == (frame <= turn ? [] : [1]))
      _ = decoders.plan.end(waiting, .noMemory)
      guard frame <= turn else { return }
      decoders.end(try decoders.begin(1, frame: frame))
    }
  }

  @Test(arguments: [
    (frameCount: 1000, decoders: 10, waiting: 1, turn: 10), (9, 10, 10, 9), (2, 10, 10, 4),
    (1000, 3, 20, 3), (1000, 1, 39, 1), (1000, 1, 1000, 1), (1000, 1, 0, 10),
  ])
  func turnsAreShortWhenManyAnimationsWait(frameCount: Int, decoders: Int, waiting: Int, turn: Int) throws {
    let animation = try #require(CountingAnimation(frameCount: frameCount).image.animation)
    var held = HeldDecoder(try FrameDecoder(animation, memory: FrameMemory(reservation: nil)), number: 1)
    for _ in 1..<turn { held.countFrame() }
    #expect(!held.isTurnOver(decoderCount: decoders, waitingCount: waiting))

    held.countFrame()

    #expect(held.isTurnOver(decoderCount: decoders, waitingCount: waiting))
  }

  @Test(arguments: [
    (seconds: 0.04, frameCount: 100, frames: 25), (0.02, 100, 32), (0.1, 14, 10), (0.04, 12, 12), (5, 3, 1),
  ])
  func framesOfASecondAreAtMostATurn(seconds: Double, frameCount: Int, frames: Int) {
    #expect(HeldDecoder.framesOfSecond(Array(repeating: seconds, count: frameCount)) == frames)
  }

  @Test func memoryOfAFinishedTurnIsForTheAnimationThatHasWaitedForTheLongestTime() throws {
    var decoders = try Decoders(3)
    #expect(decoders.release(1) == [0])
    #expect(decoders.release(1) == [1])
    for frame in 2...11 { decoders.end(try decoders.begin(2, frame: frame)) }
    let longest = try decoders.begin(0, frame: 2)
    _ = decoders.plan.end(longest, .noMemory)
    let other = try decoders.begin(1, frame: 2)
    #expect(decoders.numbers(decoders.plan.makeRoom(1, for: other, in: decoders.ledger)) == [])
    _ = decoders.plan.end(other, .noMemory)

    decoders.end(try decoders.begin(2, frame: 12))
    let next = try decoders.begin(0, frame: 2)
    #expect(decoders.numbers(decoders.plan.makeRoom(1, for: next, in: decoders.ledger)) == [2])
  }

  @Test func animationWithADecoderGoesOnAtTheCostOfOthers() throws {
    var decoders = try Decoders(2)
    let job = try decoders.begin(1, frame: 2)

    #expect(decoders.numbers(decoders.plan.makeRoom(1, for: job, in: decoders.ledger)) == [0])
  }

  @Test func decoderIsNotReleasedForAFrameThatItsMemoryIsNotEnoughFor() throws {
    var decoders = try Decoders(3)
    let job = try decoders.begin(1, frame: 2)
    let bytes = 2 * Decoders.byteCount

    let inVain = decoders.plan.makeRoom(bytes + 1, for: job, in: decoders.ledger)
    let inOtherLedger = decoders.plan.makeRoom(1, for: job, in: MemoryLedger())
    #expect(decoders.numbers(inVain + inOtherLedger).isEmpty)
    #expect(decoders.numbers(decoders.plan.makeRoom(bytes, for: job, in: decoders.ledger)) == [0, 2])
  }

  @Test func decoderOfAPausedAnimationIsReleasedBeforeItsTurnIsOver() throws {
    var decoders = try Decoders(3)
    #expect(decoders.release(1) == [0])
    for frame in 2...10 { decoders.end(try decoders.begin(2, frame: frame)) }
    for frame in 2...10 {
      _ = decoders.plan.setDemand(FrameDemand(current: frame), of: 0, in: decoders.tracks[0])
    }
    let job = try decoders.begin(0, frame: 2)

    #expect(decoders.numbers(decoders.plan.makeRoom(1, for: job, in: decoders.ledger)) == [1])
  }

  @Test func decoderIsUnneededWhenAllFramesAreDecoded() throws {
    var decoders = try Decoders(2, frameCount: 2)

    let released = decoders.plan.releaseUnneededDecoders(1, in: decoders.ledger)

    #expect(decoders.numbers(released) == [0])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func bytesAreTheSumOfAllDecodedFramesAfterRandomOperations(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    let images = (0..<4).map { CountingAnimation(frameCount: 6, side: 4 << $0).image }
    let animations = images.compactMap(\.animation)
    var plan = FramePlan(byteLimit: 40_000)
    var viewers: [(number: UInt64, animation: Int, track: UInt64)] = []
    var tracks: Set<UInt64> = []
    var jobs: [FramePlan.Job] = []
    var decodedCount = 0

    for step in 0..<600 {
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0:
        let index = Int.random(in: 0..<4, using: &numbers)
        let (track, _) = plan.add(UInt64(step), to: animations[index], still: images[index].firstFrame)
        viewers.append((UInt64(step), index, track))
        tracks.insert(track)
      case 1 where !viewers.isEmpty:
        let viewer = viewers.remove(at: Int.random(in: 0..<viewers.count, using: &numbers))
        _ = plan.remove(viewer.number, of: animations[viewer.animation], from: viewer.track)
      case 2...4 where !viewers.isEmpty:
        let viewer = viewers[Int.random(in: 0..<viewers.count, using: &numbers)]
        let frame = Int.random(in: 0..<6, using: &numbers)
        let demand = FrameDemand(current: frame, upcoming: (1...3).map { (frame + $0) % 6 })
        _ = plan.setDemand(
          Bool.random(using: &numbers) ? demand : nil, of: viewer.number, in: viewer.track)
      case 5...6: if let job = plan.takeJob() { jobs.append(job) }
      case 7...8 where !jobs.isEmpty:
        let job = jobs.remove(at: Int.random(in: 0..<jobs.count, using: &numbers))
        decodedCount += 1
        _ = plan.end(job, .decoded(job.animation === animations[0] ? images[0] : images[1]))
      default:
        if Bool.random(using: &numbers) {
          _ = plan.release(Int.random(in: 0..<20_000, using: &numbers))
        } else if let track = tracks.sorted().randomElement(using: &numbers) {
          _ = plan.releaseAll(of: track)
        }
      }
      let sum = tracks.compactMap { plan.track($0)?.bytes }.reduce(0, +)
      #expect(plan.bytes == sum, "step \(step)")
    }
    #expect(decodedCount > 10)
  }
}
