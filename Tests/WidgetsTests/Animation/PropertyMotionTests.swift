import Glibc
import Testing
import VitrineGraphics

@testable import VitrineWidgets

/// The motion of a property as a function of time: curves, springs, delays, and motions that are not needed.
@Suite("Property motion")
struct PropertyMotionTests {
  private func motion(
    from start: Double = 0, to end: Double = 100, _ timing: PropertyMotion.Timing, delay: Double = 0,
    velocity: Double = 0
  ) -> PropertyMotion {
    PropertyMotion(
      from: [start, 0, 0, 0], to: [end, 0, 0, 0], timing: timing, delay: delay, tolerance: 0.1,
      velocity: [velocity, 0, 0, 0])
  }

  private func positions(of motion: PropertyMotion, interval: Double = 1.0 / 60) -> [Double] {
    var motion = motion
    var positions: [Double] = []
    while positions.count < 10_000,
      case .moving(let lanes) = motion.step(at: Double(positions.count) * interval)
    {
      positions.append(lanes.x)
    }
    return positions
  }

  @Test func curveTakesItsDurationFromTheFirstFrame() {
    var motion = motion(.curve(.linear, duration: 2))

    #expect(motion.step(at: 10) == .moving([0, 0, 0, 0]))
    #expect(motion.step(at: 10.5) == .moving([25, 0, 0, 0]))
    #expect(motion.lastVelocity == [50, 0, 0, 0])
    #expect(motion.step(at: 12) == .over)
  }

  @Test func delayHoldsTheStart() {
    var motion = motion(.curve(.linear, duration: 1), delay: 0.5)

    #expect(motion.step(at: 10) == .waiting(until: 10.5))
    #expect(motion.lastVelocity == .zero)
    #expect(motion.step(at: 10.5) == .moving([0, 0, 0, 0]))
    #expect(motion.step(at: 11.5) == .over)
  }

  @Test(arguments: [-1, .nan, .infinity] as [Double])
  func delayThatIsNoTimeIsIgnored(delay: Double) {
    var motion = motion(.curve(.linear, duration: 1), delay: delay)

    #expect(motion.step(at: 3) == .moving([0, 0, 0, 0]))
  }

  @Test func dampingDecidesIfASpringOvershoots() throws {
    let under = positions(of: motion(.spring(SpringTiming(response: 0.4, dampingFraction: 0.5))))
    let critical = positions(of: motion(.spring(SpringTiming(response: 0.4, dampingFraction: 1))))
    let over = positions(of: motion(.spring(SpringTiming(response: 0.4, dampingFraction: 1.5))))

    // The overshoot of a spring is exp(-π ζ / √(1 - ζ²)) of the distance.
    let overshoot = 100 * exp(-.pi * 0.5 / 0.75.squareRoot())
    #expect(abs(try #require(under.max()) - 100 - overshoot) < 0.5)
    for positions in [critical, over] {
      #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(positions.allSatisfy { $0 <= 100 })
    }
    #expect(critical.count < over.count)
    for positions in [under, critical, over] { #expect(abs(try #require(positions.last) - 100) < 1) }
  }

  @Test(arguments: [0.05, 0.3, 0.9998, 1, 1.0002, 2, 10] as [Double])
  func springFollowsItsEquation(damping: Double) {
    let spring = SpringTiming(response: 0.5, dampingFraction: damping)
    let frequency = 2 * Double.pi / 0.5
    func position(_ time: Double) -> Double {
      let state = spring.state(after: time)
      return 10 * state.ofDisplacement - 300 * state.ofVelocity
    }
    func velocity(_ time: Double) -> Double {
      let state = spring.state(after: time)
      return 10 * state.rateOfDisplacement - 300 * state.rateOfVelocity
    }

    #expect(position(0) == 10)
    #expect(abs(velocity(0) + 300) < 1e-9)
    for time in stride(from: 0.01, to: 1, by: 0.03) {
      let step = 1e-5
      let slope = (position(time + step) - position(time - step)) / (2 * step)
      let acceleration = (velocity(time + step) - velocity(time - step)) / (2 * step)
      let force = -frequency * frequency * position(time) - 2 * damping * frequency * velocity(time)
      #expect(abs(slope - velocity(time)) < 0.01, "\(time)")
      #expect(abs(acceleration - force) < 0.5, "\(time)")
    }
  }

  @Test func springContinuesAVelocity() {
    let still = positions(of: motion(.spring(SpringTiming(dampingFraction: 1))))
    let thrown = positions(of: motion(.spring(SpringTiming(dampingFraction: 1)), velocity: -600))
    var rising = motion(.curve(.easeIn, duration: 1))
    _ = rising.step(at: 0)
    _ = rising.step(at: 0.5)

    #expect(thrown[1] < -3 && still[1] > 0)
    #expect(rising.lastVelocity.x > 100)
  }

  @Test(arguments: [-1, 0, .nan, .infinity] as [Double])
  func timeThatIsNotPositiveAndFiniteIsNotAnimated(time: Double) {
    #expect(!PropertyMotion.Timing.curve(.linear, duration: time).isAnimated)
    #expect(!PropertyMotion.Timing.spring(SpringTiming(response: time)).isAnimated)
  }

  @Test(arguments: [-5, 0, .nan, 1e9] as [Double])
  func springWithOddDampingComesToRest(damping: Double) {
    let count = positions(of: motion(.spring(SpringTiming(response: 0.1, dampingFraction: damping)))).count

    #expect(count > 1 && count < 1000)
  }

  @Test func motionWithoutDistanceOrWithEndlessNumbersIsNotNeeded() {
    let curve = PropertyMotion.Timing.curve(.linear, duration: 1)
    let spring = PropertyMotion.Timing.spring(SpringTiming())

    #expect(motion(curve).isNeeded)
    #expect(!motion(from: 100, curve).isNeeded)
    #expect(!motion(from: 100, curve, velocity: 5).isNeeded)
    #expect(motion(from: 100, spring, velocity: 5).isNeeded)
    for odd in [Double.nan, .infinity] {
      #expect(!motion(from: odd, curve).isNeeded)
      #expect(!motion(to: odd, spring).isNeeded)
      #expect(!motion(spring, velocity: odd).isNeeded)
    }
  }
}
