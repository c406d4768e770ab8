import Testing

@testable import VitrineSDLBackend

/// The time for which a frame waits for images from disk.
struct FrameWaitTests {
  private let wait = FrameWait()
  private let interval = 1.0 / 60

  private func isEqual(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

  @Test(arguments: [true, false], [true, false])
  func frameWithoutNewLoadsDoesNotWait(isFirst: Bool, isTimeManual: Bool) {
    #expect(wait.limit(for: .init(isFirst: isFirst, hasNewLoads: false, isTimeManual: isTimeManual)) == 0)
  }

  @Test func firstFrameWaitsForFiftyMilliseconds() {
    #expect(wait.limit(for: .init(isFirst: true, hasNewLoads: true)) == 0.05)
    #expect(isEqual(wait.limit(for: .init(isFirst: true, hasNewLoads: true, age: 0.02)), 0.03))
    #expect(wait.limit(for: .init(isFirst: true, hasNewLoads: true, age: 0.06)) == 0)
  }

  @Test func laterFrameWaitsForTheRestOfItsInterval() {
    #expect(isEqual(wait.limit(for: .init(hasNewLoads: true)), interval))
    #expect(isEqual(wait.limit(for: .init(hasNewLoads: true, age: 0.005)), interval - 0.005))
    #expect(wait.limit(for: .init(hasNewLoads: true, age: interval)) == 0)
    #expect(wait.limit(for: .init(hasNewLoads: true, age: 1)) == 0)
  }

  @Test func laterFrameKeepsTimeForDrawing() {
    #expect(isEqual(wait.limit(for: .init(hasNewLoads: true, drawingTime: 0.004)), interval - 0.004))
    #expect(
      wait.limit(for: .init(hasNewLoads: true, age: 0.01, drawingTime: 0.008)) == 0,
      "the frame would be late")
  }

  @Test func previousFrameWithMuchToDrawLeavesHalfOfTheInterval() {
    #expect(isEqual(wait.limit(for: .init(hasNewLoads: true, drawingTime: 0.2)), interval / 2))
  }

  @Test(arguments: [1, 10, Double.infinity])
  func slowScreenDoesNotWaitForAllOfItsInterval(interval: Double) {
    let limit = wait.limit(for: .init(hasNewLoads: true, interval: interval))
    #expect(limit == FrameWait.longestInterval)
  }

  @Test(arguments: [true, false]) func manualTimeDoesNotDependOnTheSpeedOfTheDisk(isFirst: Bool) {
    let frame = FrameWait.Frame(
      isFirst: isFirst, hasNewLoads: true, isTimeManual: true, age: 1, drawingTime: 1)

    #expect(wait.limit(for: frame) == FrameWait.manualLimit - 1)
    #expect(FrameWait(firstFrame: 0).limit(for: frame) == FrameWait.manualLimit - 1)
  }

  @Test(arguments: [0, -1, -Double.infinity, .nan])
  func limitThatIsNotPositiveDisablesTheWaitOfTheFirstFrame(limit: Double) {
    let wait = FrameWait(firstFrame: limit)

    #expect(wait.limit(for: .init(isFirst: true, hasNewLoads: true)) == 0)
    #expect(wait.postponement(of: .init(isFirst: true), hasApplicationLoads: true) == 0)
    #expect(wait.limit(for: .init(hasNewLoads: true)) > 0)
  }

  @Test func endlessLimitIsBounded() {
    let wait = FrameWait(firstFrame: .infinity)
    #expect(wait.limit(for: .init(isFirst: true, hasNewLoads: true)) == FrameWait.manualLimit)
  }

  @Test func firstFrameIsPostponedWhileTheApplicationLoads() {
    #expect(wait.postponement(of: .init(isFirst: true), hasApplicationLoads: true) == 0.05)
    #expect(isEqual(wait.postponement(of: .init(isFirst: true, age: 0.04), hasApplicationLoads: true), 0.01))
    #expect(wait.postponement(of: .init(isFirst: true, age: 0.05), hasApplicationLoads: true) == 0)
    #expect(wait.postponement(of: .init(isFirst: true), hasApplicationLoads: false) == 0)
    #expect(wait.postponement(of: .init(), hasApplicationLoads: true) == 0)
    #expect(wait.postponement(of: .init(isFirst: true, isTimeManual: true), hasApplicationLoads: true) == 0)
  }
}
