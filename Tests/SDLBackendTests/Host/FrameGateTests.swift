import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct FrameGateTests {
    /// A host whose gate records its limits, and whose first frame may wait for long, because the machine may be busy.
    private func host(isTimeManual: Bool = false) throws -> (test: TestHost, limits: Limits) {
      let test = try TestHost()
      if !isTimeManual { test.host.clock = .monotonic }
      test.host.firstFrameWait = 10
      let limits = Limits()
      test.host.frameGate = { limits.values.append($0) }
      return (test, limits)
    }

    @Test func imageThatTheGateDeliversIsInTheFrame() throws {
      let (test, _) = try host()
      var framesBefore = -1
      test.host.frameGate = { [unowned test] _ in
        framesBefore = test.host.frameStatistics.presented
        test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureGreen) }
      }
      test.window.addSubview(LoadingView())
      test.draw { $0.fill(Rect(x: 0, y: 0, width: 40, height: 30), color: .pureRed) }

      test.frame()

      #expect(framesBefore == 0)
      #expect(test.host.frameStatistics.presented == 1)
      #expect(test.pixel(20, 15) == .pureGreen)
    }

    @Test func gateIsCalledOnceForTheLoadsOfALayout() throws {
      let (test, limits) = try host()
      for _ in 0..<3 { test.window.addSubview(LoadingView()) }

      test.frame()

      #expect(limits.values.count == 1)
      #expect(limits.values.allSatisfy { 0 < $0 && $0 <= 10 })
    }

    @Test func viewsAreLaidOutForTheImagesThatHaveArrived() throws {
      let (test, _) = try host()
      let view = LoadingView()
      test.window.addSubview(view)
      test.host.frameGate = { [unowned view] _ in view.setNeedsLayout() }

      test.frame()

      #expect(view.layouts == 2)
      #expect(test.host.frameStatistics.presented == 1)
    }

    @Test func imagesThatTheArrivedImagesCauseAreWaitedForAsWell() throws {
      let (test, limits) = try host()
      test.window.addSubview(LoadingView())
      test.host.frameGate = { [unowned test, unowned limits] limit in
        limits.values.append(limit)
        test.window.addSubview(LoadingView())
      }

      test.frame()

      #expect(limits.values.count == 3, "but not for ever")
      #expect(test.host.frameStatistics.presented == 1)
    }

    @Test func frameWithoutNewLoadsIsDrawnAtOnce() throws {
      let (test, limits) = try host()

      test.frame()

      #expect(limits.values.isEmpty)
      #expect(test.host.frameStatistics.presented == 1)
    }

    @Test func laterFrameWaitsForAScreenThatIsOpened() throws {
      let (test, limits) = try host()
      test.frame()
      while test.window.isDirty { test.host.turn() }
      #expect(limits.values.isEmpty)

      // A busy machine may leave no time for a wait.
      for _ in 0..<100 where limits.values.isEmpty {
        test.window.addSubview(LoadingView())
        test.host.turn()
      }

      #expect(limits.values.count == 1)
      #expect(limits.values.allSatisfy { 0 < $0 && $0 <= test.window.frameInterval })
      test.view.setNeedsDisplay()
      test.host.turn()
      #expect(limits.values.count == 1, "nothing has begun to load since")
    }

    @Test func limitOfZeroDrawsTheFirstFrameAtOnce() throws {
      let (test, limits) = try host()
      test.host.firstFrameWait = 0
      test.window.addSubview(LoadingView())

      test.frame()

      #expect(limits.values.isEmpty)
      #expect(test.host.frameStatistics.presented == 1)
    }

    @Test func waitIsNoWorkOnTheFrame() throws {
      let (test, _) = try host()
      test.window.addSubview(LoadingView())
      test.host.frameGate = { _ in
        let end = SystemTime.now + 0.01
        while SystemTime.now < end {}
      }

      let begin = SystemTime.now
      test.frame()
      let duration = SystemTime.now - begin

      #expect(test.host.frameStatistics.presented == 1)
      #expect(duration - test.host.frameStatistics.maxMilliseconds / 1000 >= 0.0099)
    }

    @Test func hiddenWindowDoesNotWait() throws {
      let (test, limits) = try host()
      // The first turn handles the event that shows the window.
      test.frame()
      test.host.isVisible = false
      test.window.addSubview(LoadingView())

      test.frame()

      #expect(limits.values.isEmpty)
    }

    @Test func handlerMayCloseTheWindow() throws {
      let (test, _) = try host()
      test.window.addSubview(LoadingView())
      test.host.frameGate = { [unowned test] _ in test.host.close() }

      test.frame()

      #expect(test.host.frameStatistics.presented == 0)
    }

    // MARK: Manual time

    @Test func frameOfAManualClockWaitsUntilTheDiskHasResponded() throws {
      let (test, limits) = try host(isTimeManual: true)
      test.frame()
      test.window.addSubview(LoadingView())

      test.frame()

      #expect(limits.values.count == 1)
      #expect(limits.values.allSatisfy { $0 > 5 })
    }

    @Test func manualTimeStandsStillWhileAFrameWaits() throws {
      let (test, limits) = try host(isTimeManual: true)
      let time = ManualTime(of: test.host)
      test.window.addSubview(LoadingView())

      time.advance(by: 0.1)

      #expect(limits.values.count == 1)
      #expect(time.now == 1000.1)
    }

    @Test func clockDecidesAboutRealTime() throws {
      let test = try TestHost()
      #expect(!test.window.isInRealTime)
      test.host.clock = .monotonic
      #expect(test.window.isInRealTime)
      _ = ManualTime(of: test.host)
      #expect(!test.window.isInRealTime)
    }

    // MARK: Contents of the application

    @Test func firstFrameIsPostponedWhileTheApplicationLoads() throws {
      let (test, _) = try host()
      let view = LoadingView()
      test.window.addSubview(view)
      view.beginLoading()

      test.frame()
      test.frame()
      #expect(test.host.frameStatistics.presented == 0)
      #expect(view.layouts == 1, "the images of other views are looked up meanwhile")
      view.endLoading()
      test.frame()

      #expect(test.host.frameStatistics.presented == 1)
    }

    @Test func firstFrameIsDrawnOnceTheLimitHasPassed() throws {
      let (test, _) = try host()
      test.host.firstFrameWait = 0.02
      let view = LoadingView()
      test.window.addSubview(view)
      view.beginLoading()

      while test.host.frameStatistics.presented == 0 { test.host.turn(waitUpTo: 10) }

      #expect(view.isLoading)
    }

    @Test func frameIsNotPostponedWithoutAGate() throws {
      let (test, _) = try host()
      test.host.frameGate = nil
      test.window.addSubview(LoadingView())
      test.window.subviews.last?.beginLoading()

      test.frame()

      #expect(test.host.frameStatistics.presented == 1)
    }
  }
}

/// The limits that a gate was called with.
private final class Limits {
  var values: [Double] = []
}

/// A view that begins to load an image when it is first laid out, as a slot does.
private final class LoadingView: View {
  private(set) var layouts = 0

  init() { super.init(frame: Rect(x: 0, y: 0, width: 10, height: 10)) }

  override func layoutSubviews() {
    layouts += 1
    if layouts == 1 { window?.loadDidBegin() }
  }
}
