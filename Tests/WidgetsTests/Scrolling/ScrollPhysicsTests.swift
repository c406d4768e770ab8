import Testing
import VitrineGraphics
@testable import VitrineWidgets

@Suite("Scroll physics")
struct ScrollPhysicsTests {
  private func isClose(_ a: Double, _ b: Double, within: Double = 1e-6) -> Bool { abs(a - b) <= within }

  @Test func flickDistanceMatchesUIKit() {
    let flick = Deceleration(start: 100, velocity: 1000)

    // The distance is -v0 / (1000 ln d), where d is 0.998 per millisecond.
    #expect(isClose(flick.end, 100 + 499.5, within: 0.1))
    #expect(isClose(flick.velocity(after: 0.001), 998))
    #expect(isClose(flick.position(after: 100), flick.end))
  }

  @Test func flickComputesWhenItPassesAPoint() throws {
    let flick = Deceleration(start: 0, velocity: -2000)
    let time = try #require(flick.time(passing: -300))

    #expect(isClose(flick.position(after: time), -300))
    #expect(flick.time(passing: 1) == nil)
    #expect(flick.time(passing: -2000) == nil)
    #expect(Deceleration(start: 5, velocity: 0).time(passing: 5) == 0)
  }

  @Test func rubberBandNeverExceedsTheViewLength() {
    #expect(RubberBand.shown(0, length: 500) == 0)
    #expect(isClose(RubberBand.shown(100, length: 500), 49.5495, within: 0.001))
    #expect(RubberBand.shown(1e9, length: 500) < 500)
    #expect(isClose(RubberBand.pulled(RubberBand.shown(123, length: 500), length: 500), 123))
    #expect(RubberBand.shown(100, length: 0) == 0)
  }

  @Test func springSettlesWithoutOscillating() {
    let spring = Spring(target: 50, displacement: 100, velocity: 0)
    let positions = stride(from: 0.0, through: 2, by: 0.05).map { spring.position(after: $0) }

    #expect(positions.first == 150)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(positions.allSatisfy { $0 >= 50 })
    #expect(isClose(positions.last ?? 0, 50, within: 0.01))
  }

  @Test func springStartsAtTheGivenVelocity() {
    let spring = Spring(target: 0, displacement: 0, velocity: 500)

    #expect(isClose(spring.velocity(after: 0), 500))
    #expect(isClose((spring.position(after: 1e-6)) / 1e-6, 500, within: 0.1))
  }

  @Test func flickIntoTheEndContinuesAsASpring() throws {
    let range = 0.0...100
    var motion = try #require(ScrollMotion.release(at: 50, velocity: 2000, range: range, now: 1))
    var positions: [Double] = []
    var now = 1.0
    var isOver = false
    while !isOver, now < 10 {
      let step = motion.step(at: now, range: range, bounces: true)
      positions.append(step.offset)
      isOver = step.isOver
      now += 0.016
    }

    #expect((positions.max() ?? 0) > 130)
    #expect(positions.last == 100)
    #expect(now < 3)
  }

  @Test(arguments: [(-40.0, 9000.0), (-1, 300), (140, -9000), (101, -300)])
  func releaseBeyondAnEndNeverOvershootsIntoTheContent(offset: Double, velocity: Double) throws {
    var motion = try #require(ScrollMotion.release(at: offset, velocity: velocity, range: 0...100, now: 0))
    let end = offset < 0 ? 0.0 : 100

    for step in 1...200 {
      let (offset, _) = motion.step(at: Double(step) / 100, range: 0...100, bounces: true)
      #expect(end == 0 ? offset <= 1e-9 : offset >= 100 - 1e-9)
    }
  }

  @Test(arguments: [20.0, -20, 0]) func slowReleaseStartsNoMotion(velocity: Double) {
    #expect(ScrollMotion.release(at: 50, velocity: velocity, range: 0...100, now: 0) == nil)
    #expect(
      ScrollMotion.release(at: 50, velocity: velocity * 1.1 + 0.1, range: 0...100, now: 0) != nil
        || velocity == 0)
  }

  @Test func positionDoesNotDependOnTheFrameTimes() throws {
    let range = 0.0...1000
    func position(frames: [Double]) throws -> Double {
      var motion = try #require(ScrollMotion.release(at: 900, velocity: 3000, range: range, now: 0))
      return frames.map { motion.step(at: $0, range: range, bounces: true).offset }.last ?? 0
    }

    let coarse = try position(frames: [0.1, 0.35])
    let fine = try position(frames: Array(stride(from: 0.001, to: 0.35, by: 0.001)) + [0.35])

    #expect(isClose(coarse, fine))
  }

  @Test func flickWithoutBouncingStopsAtTheEnd() throws {
    var motion = try #require(ScrollMotion.release(at: 50, velocity: 2000, range: 0...100, now: 0))

    let step = motion.step(at: 1, range: 0...100, bounces: false)

    #expect(step == (100, true))
  }

  @Test func restingFingerStartsNoFlick() {
    #expect(ScrollMotion.release(at: 50, velocity: 5, range: 0...100, now: 0) == nil)
  }

  @Test func velocityIsMeasuredOverTheLastTenthOfASecond() {
    var tracker = VelocityTracker()
    tracker.add(Point(x: 0, y: 0), at: 0)
    tracker.add(Point(x: 0, y: 500), at: 1)
    #expect(tracker.velocity == .zero)

    tracker.add(Point(x: 0, y: 550), at: 1.05)
    #expect(isClose(tracker.velocity.y, 1000, within: 0.001))

    tracker.add(Point(x: 0, y: 550), at: 1.3)
    #expect(tracker.velocity == .zero)
  }

  @Test func simultaneousEventsGiveABoundedVelocity() {
    var tracker = VelocityTracker()
    tracker.add(.zero, at: 0)
    tracker.add(Point(x: 0, y: 300), at: 0)
    #expect(tracker.velocity == .zero)

    tracker.add(Point(x: 0, y: 300), at: 1e-9)
    #expect(tracker.velocity.y == VelocityTracker.maximumSpeed)
  }

  @Test func scrollBarShowsTheVisibleFraction() throws {
    let top = try #require(ScrollBar(offset: 0, length: 206, range: 0...206))
    #expect(top == ScrollBar(offset: -0, length: 206, range: 0...206))
    #expect(isClose(top.length, 100) && isClose(top.start, 3))

    let end = try #require(ScrollBar(offset: 206, length: 206, range: 0...206))
    #expect(isClose(end.start + end.length, 203))

    let beyond = try #require(ScrollBar(offset: 256, length: 206, range: 0...206))
    #expect(isClose(beyond.length, 50) && isClose(beyond.start + beyond.length, 203))

    #expect(ScrollBar(offset: 0, length: 206, range: 0...0) == nil)
    #expect(try #require(ScrollBar(offset: 0, length: 206, range: 0...1e9)).length == ScrollBar.minimumLength)
  }
}
