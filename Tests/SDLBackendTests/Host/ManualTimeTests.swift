import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct ManualTimeTests {
    private var start: Double { ManualTime.startTimeMultiple }

    /// A host with a manual clock.
    private func stopped() throws -> (test: TestHost, time: ManualTime) {
      let test = try TestHost()
      test.drawUntilClean()
      return (test, ManualTime(of: test.host))
    }

    @Test func manualTimeStartsAtARoundNumberAndStandsStill() throws {
      let (test, time) = try stopped()
      #expect(time.now == 1000)
      #expect(test.host.now == 1000)
      #expect(ManualTime(of: test.host).now == 2000)
    }

    @Test func observersAreCalledAtTheirRequestedTimesInOrder() throws {
      let (test, time) = try stopped()
      var calls: [String] = []
      let late = ClosureObserver { now in
        calls.append("late \(now)")
        return .never
      }
      let early = ClosureObserver { now in
        calls.append("early \(now)")
        return calls.count == 1 ? .at(now + 0.01) : .never
      }
      test.window.requestFrames(for: late, at: start + 0.0625)
      test.window.requestFrames(for: early, at: start + 0.03125)

      time.advance(by: 1)

      #expect(calls == ["early 1000.03125", "early 1000.04125", "late 1000.0625"])
      #expect(test.window.now == 1001)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 999])
    func invalidOrPastTimeDoesNotAdvanceTheClock(end: Double) throws {
      let (test, time) = try stopped()
      let spinner = ClosureObserver { _ in .soon }
      test.window.requestFrames(for: spinner, at: start, keepsBusy: false)

      time.advance(to: end)
      time.advance(by: end - 999)

      #expect(time.now == 1000)
    }

    @Test func observerOfEveryFrameIsCalledSixtyTimesASecondAndAtTheEnd() throws {
      let (test, time) = try stopped()
      var times: [Double] = []
      let observer = ClosureObserver { now in
        times.append(now - 1000)
        return .soon
      }
      test.window.requestFrames(for: observer, at: start)

      time.advance(by: 0.125)

      #expect(times.count == 9)
      for (frame, time) in times.dropLast().enumerated() {
        #expect(abs(time - Double(frame) / 60) < 1e-9)
      }
      #expect(times.last == 0.125)
    }

    @Test func frameRequestedByOneObserverIsDeliveredToAll() throws {
      let (test, time) = try stopped()
      var times: [Double] = []
      let observer = ClosureObserver { now in
        times.append(now - 1000)
        return .soon
      }
      test.window.requestFrames(for: observer, at: start)
      test.window.requestFrames(for: ClosureObserver { _ in .never }, at: start + 0.0078125)

      time.advance(by: 0.0078125)

      #expect(times == [0, 0.0078125])
    }

    @Test(arguments: [1, 2, 5, 25])
    func fadeDoesNotDependOnTheNumberOfSteps(count: Int) throws {
      let (test, time) = try stopped()
      let view = ImageView(frame: test.window.bounds)
      test.window.addSubview(view)
      view.image = Image(width: 40, height: 30, color: .pureRed)
      time.advance(by: 0)
      view.setContents(Image(width: 40, height: 30, color: .pureGreen), transition: .crossDissolve(0.25))
      time.advance(by: 0)

      for _ in 0..<count { time.advance(by: 0.0625 / Double(count)) }

      let fraction = TimingCurve.easeInOut.value(at: 0.25)
      #expect(test.pixel(20, 15).distance(to: Color.pureGreen.over(.pureRed, alpha: fraction)) <= 1)
    }

    /// Sequences of steps that add up to 1.4 seconds.
    nonisolated private static let splits: [[Double]] = [
      [1.4], [1, 0.4], [0.4, 1], [0.5, 0.5, 0.4], [0.7, 0.7], [1.0625, 0.3375], [0.999, 0.401],
      [1.001, 0.399],
      Array(repeating: 0.05, count: 28), Array(repeating: 1.4 / 97, count: 97), [1, 0, 0.4, 0],
    ]

    /// The ways to start a fade inside a frame after one second.
    enum FadeStart: CaseIterable {
      case observer, timer, repeatingTimer, frameCounter, layout
    }

    @Test("the image at a given time does not depend on the number of steps", arguments: FadeStart.allCases)
    func splittingAnAdvanceGivesTheSameImage(fadeStart: FadeStart) throws {
      let images = try Self.splits.map { split in
        let (test, time) = try stopped()
        defer { test.host.close() }
        let view = ImageView(frame: test.window.bounds)
        test.window.addSubview(view)
        view.image = Image(width: 40, height: 30, color: .pureRed)
        time.advance(by: 0)
        let begin = { @MainActor in
          view.setContents(
            Image(width: 40, height: 30, color: .pureGreen), transition: .crossDissolve(0.9))
        }
        switch fadeStart {
        case .observer:
          test.window.requestFrames(
            for: ClosureObserver { _ in
              begin()
              return .never
            }, at: start + 1)
        case .timer: test.window.after(1) { begin() }
        case .repeatingTimer:
          var calls = 0
          test.window.every(0.1) {
            calls += 1
            if calls == 10 { begin() }
          }
        case .frameCounter:
          var isBegun = false
          let observer = ClosureObserver { now in
            guard now >= 1001, !isBegun else { return .soon }
            isBegun = true
            begin()
            return .soon
          }
          test.window.requestFrames(for: observer, at: start)
        case .layout:
          let view = LayoutView()
          test.window.addSubview(view)
          time.advance(by: 0)
          view.onLayout = begin
          test.window.after(1) { view.setNeedsLayout() }
        }

        for step in split { time.advance(by: step) }
        return (test.pixel(20, 15), abs(time.now - 1001.4) < 1e-9)
      }

      #expect(images.allSatisfy { $0.1 })
      let expected = Color.pureGreen.over(.pureRed, alpha: TimingCurve.easeInOut.value(at: 0.4 / 0.9))
      for (split, image) in zip(Self.splits, images) {
        #expect(image.0 == images[0].0, "\(split)")
        #expect(image.0.distance(to: expected) <= 1, "\(split)")
      }
    }

    @Test func timersFireAtTheirTimesOnTheHostsClock() throws {
      let (test, time) = try stopped()
      defer { test.host.close() }
      var calls: [Double] = []
      test.window.every(0.25) { calls.append(test.window.now) }
      test.window.after(0.4) { calls.append(test.window.now) }

      time.advance(by: 1)

      #expect(calls == [1000.25, 1000.4, 1000.5, 1000.75, 1001])
    }

    @Test func timerSetBetweenFramesCountsFromTheHostsTime() throws {
      let test = try TestHost()
      test.drawUntilClean()
      var now = 0.0
      test.host.clock = .manual { now }
      now = 5
      var isCalled = false
      test.window.after(1) { isCalled = true }

      now = 5.5
      test.frame()
      #expect(!isCalled)
      now = 6
      test.frame()

      #expect(isCalled)
    }

    @Test func observerThatRequestsPastTimesDoesNotStopTheClock() throws {
      let (test, time) = try stopped()
      var count = 0
      let observer = ClosureObserver { now in
        count += 1
        return .at(now - 1)
      }
      test.window.requestFrames(for: observer, at: start)

      time.advance(by: 0.1)

      #expect(time.now == 1000.1)
      #expect(count < 20)
    }

    @Test(arguments: [0, -1, .nan, .infinity])
    func zeroNegativeOrNonFiniteStepDrawsTheCurrentFrame(seconds: Double) throws {
      let (test, time) = try stopped()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }

      time.advance(by: seconds)

      #expect(time.now == 1000)
      #expect(test.pixel(1, 1) == .pureRed)
    }

    @Test func changesAtTheEndAreDrawnInTheLastFrame() throws {
      let (test, time) = try stopped()
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }
      time.advance(by: 0.5) {
        #expect(time.now == 1000.5)
        test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureGreen) }
      }

      #expect(test.pixel(1, 1) == .pureGreen)
    }

    @Test func advanceUntilIdleStopsAtTheEndOfTheLastFade() throws {
      let (test, time) = try stopped()
      test.view.setContents(Image(width: 4, height: 3, color: .pureGreen), transition: .crossDissolve(0.25))

      #expect(time.advanceUntilIdle())

      #expect(abs(time.now - 1000.25) < 1e-6)
      let frames = test.host.frameStatistics.presented
      #expect(time.advanceUntilIdle())
      #expect(test.host.frameStatistics.presented == frames)
    }

    @Test func advanceUntilIdleStopsAtItsLimit() throws {
      let (test, time) = try stopped()
      test.window.requestFrames(for: ClosureObserver { _ in .soon }, at: start)

      #expect(!time.advanceUntilIdle(limit: 0.5))

      #expect(time.now <= 1000.5)
    }

    @Test func advanceUntilIdleDoesNotMoveWhileImagesAreLoading() throws {
      let (test, time) = try stopped()
      test.view.pendingSlots = 1
      test.window.requestFrames(for: ClosureObserver { _ in .soon }, at: start)

      #expect(!time.advanceUntilIdle())

      #expect(time.now == 1000)
    }

    @Test func clockOfAClosedHostStillAdvances() throws {
      let (test, time) = try stopped()
      test.host.close()

      time.advance(by: 1)

      #expect(time.now == 1001)
    }
  }
}

/// Calls a closure in each of its frames.
private final class ClosureObserver: FrameObserver {
  private let body: (Double) -> NextFrame

  init(_ body: @escaping (Double) -> NextFrame) { self.body = body }

  func frame(at now: Double) -> NextFrame { body(now) }
}

/// A view that calls a closure on layout.
private final class LayoutView: View {
  var onLayout: () -> Void = {}

  override func layoutSubviews() { onLayout() }
}
