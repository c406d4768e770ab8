import Testing
import VitrineGraphics

@testable import VitrineAnimation

/// The decisions of the pool of frames.
@Suite struct FramePlanTests {
  /// Pseudorandom numbers that are equal in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

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

  @Test func frameWithoutMemoryIsTriedAgainOnlyNowAndThen() throws {
    let image = CountingAnimation(frameCount: 1000, side: 600).image
    let animation = try #require(image.animation)
    var plan = FramePlan(byteLimit: .max)
    let track = plan.add(1, to: animation, still: image.firstFrame).track
    var tries = 0
    for frame in 1...FrameTrack.demandsUntilRetry * 4 {
      _ = plan.setDemand(FrameDemand(current: frame), of: 1, in: track)
      guard let job = plan.takeJob() else { continue }
      tries += 1
      _ = plan.end(job, .noMemory)
    }
    #expect(tries == 4)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func bytesAreTheSumOfAllDecodedFramesAfterRandomOperations(seed: UInt64) {
    var numbers = Numbers(state: seed)
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
