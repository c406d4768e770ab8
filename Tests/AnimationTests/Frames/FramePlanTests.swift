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
