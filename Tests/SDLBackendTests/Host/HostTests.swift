import Glibc
import Testing
import VitrineGraphics
import VitrineWidgets

@testable import VitrineSDLBackend

extension SDLTests {
  struct HostTests {
    @Test func hostReportsItsDriverRendererAndPixelFormat() throws {
      let test = try TestHost()

      #expect(test.host.videoDriver == "offscreen")
      #expect(test.host.rendererName == "software")
      #expect(test.host.pixelFormat == .bgra)
      #expect(test.host.warnings.isEmpty)
      #expect(test.window.frameInterval == 1.0 / 60)
      #expect(test.host.textureBytes == 0)
    }

    @Test func hostWithoutAScreenIgnoresFullScreen() throws {
      let test = try TestHost(width: 40, height: 30) { $0.isFullScreen = true }

      #expect(test.window.frame.size == Size(width: 40, height: 30))
    }

    @Test func bothImagesOfADissolveAreTracedAsShown() throws {
      let trace = Trace()
      let test = try TestHost { $0.trace = trace }
      let images = [Color.pureRed, .white].map { color in Image(width: 8, height: 8) { _, _ in color } }
      for (number, image) in images.enumerated() {
        trace.recordResponse(UInt64(number), .image(image.number, source: "network"))
      }
      test.draw { list in
        let square = Rect(x: 0, y: 0, width: 8, height: 8)
        // Round corners let the old image show, so that the list has a dissolve instead of two images.
        list.dissolve(
          .init(image: images[0], destination: square),
          into: .init(image: images[1], destination: square, cornerRadius: 2), fraction: 0.5)
      }

      test.frame()

      let shown = trace.events.compactMap { event -> UInt64? in
        if case .shown(let image) = event.kind { image } else { nil }
      }
      #expect(Set(shown) == Set(images.map(\.number)))
      #expect(!trace.awaitsFrames)
    }

    @Test func hostsCanBeOpenedOneAfterAnother() throws {
      for round in 0..<3 {
        let test = try TestHost(width: 40 + Double(round))
        test.window.backgroundColor = .pureRed
        test.frame()
        #expect(test.pixel(39, 0) == .pureRed)
        test.host.close()
        test.host.close()
      }
    }

    @Test func secondOpenHostIsRefused() throws {
      let test = try TestHost()

      #expect(throws: SDLHostError.anotherHostIsOpen) { try TestHost() }

      test.frame()
      #expect(test.host.frameStatistics.presented == 1, "the first host still draws")
    }

    @Test func refusedHostLeavesSignalHandlingToTheOpenHost() throws {
      let test = try TestHost()
      for _ in 0..<3 { #expect(throws: SDLHostError.anotherHostIsOpen) { try TestHost() } }
      // With nothing left to draw, a turn waits for the signal.
      test.drawUntilClean()
      #expect(!test.host.isQuitting)

      kill(getpid(), SIGTERM)
      test.host.turn(waitUpTo: 10)

      #expect(test.host.isQuitting)
    }

    @Test func releasedHostClosesItself() throws {
      weak var host: SDLHost?
      do {
        let test = try TestHost()
        host = test.host
        test.frame()
      }

      #expect(host == nil)
      _ = try TestHost()
    }

    @Test func closedHostIgnoresFramesAndInput() throws {
      let test = try TestHost()
      test.host.close()

      test.frame()
      test.host.run()
      test.host.inject(.wheel(location: .zero, deltaX: 0, deltaY: 1))

      #expect(test.host.screenshot().width == 1)
      #expect(test.window.textMeasuring.size(of: "x", font: .regular(9)).width == 0)
    }

    @Test func errorNamesTheUnknownDriver() {
      let error = #expect(throws: SDLHostError.self) { try TestHost { $0.videoDriver = "nonsense" } }

      guard case .video(driver: "nonsense", _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test func hostOpensAfterAFailedOne() throws {
      #expect(throws: SDLHostError.self) { try TestHost { $0.videoDriver = "nonsense" } }
      #expect(throws: SDLHostError.self) { try TestHost { $0.fonts.bold = "/nowhere" } }

      _ = try TestHost()
    }

    @Test func closingAHostRestoresSignalHandlers() throws {
      func handler() -> UInt {
        var action = sigaction()
        sigaction(SIGTERM, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
      }
      let before = handler()

      do {
        let test = try TestHost()
        #expect(handler() != before)
        test.frame()
      }

      #expect(handler() == before)
    }

    @Test func deinitOfAClosedHostKeepsSignalHandlersOfTheNextHost() throws {
      func handler() -> UInt {
        var action = sigaction()
        sigaction(SIGTERM, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
      }
      var first: TestHost? = try TestHost()
      first?.host.close()
      let second = try TestHost()
      let during = handler()

      first = nil
      try #require(handler() == during)
      // With nothing left to draw, a turn waits for the signal.
      second.drawUntilClean()
      kill(getpid(), SIGTERM)
      second.host.turn(waitUpTo: 10)

      #expect(second.host.isQuitting)
    }

    @Test func turnObserverIsCalledAfterEachTurnUntilItIsRemoved() throws {
      let test = try TestHost()
      var turns = 0
      let identifier = test.host.addTurnObserver { turns += 1 }

      test.frame()
      test.frame()
      #expect(turns == 2)
      test.host.removeTurnObserver(identifier)
      test.host.removeTurnObserver(identifier)
      test.frame()
      #expect(turns == 2)
    }

    @Test func manualClockDeliversFramesAtTheirTimes() throws {
      let test = try TestHost()
      let recorder = FrameRecorder()
      test.window.requestFrames(for: recorder, at: 0.5)
      test.frame()
      #expect(recorder.times == [])

      test.advance(by: 0.25)
      #expect(recorder.times == [])
      test.advance(by: 0.25)
      #expect(recorder.times == [0.5])
      test.advance(by: 2)
      #expect(recorder.times == [0.5, 2.5])
    }

    @Test func realClockPacesFrames() throws {
      let test = try TestHost()
      test.host.clock = .monotonic
      test.host.turn(waitUpTo: 0)
      #expect(test.host.frameStatistics.presented == 1)

      test.view.setNeedsDisplay()
      test.host.turn(waitUpTo: 0)
      #expect(test.host.frameStatistics.presented == 1, "the next frame's time has not come")
      test.host.turn()
      #expect(test.host.frameStatistics.presented == 2)
    }
  }
}

private final class FrameRecorder: FrameObserver {
  var times: [Double] = []

  func frame(at now: Double) -> NextFrame {
    times.append(now)
    return .soon
  }
}

struct FrameStatisticsTests {
  @Test func percentilesUseTheNearestRank() {
    var statistics = FrameStatistics()
    #expect(statistics.p50Milliseconds == 0 && statistics.p99Milliseconds == 0)

    for milliseconds in 1...100 { statistics.record(work: Double(milliseconds) / 1000, at: 3) }

    #expect(statistics.presented == 100)
    #expect(statistics.p50Milliseconds == 50)
    #expect(statistics.p99Milliseconds == 99)
    #expect(statistics.maxMilliseconds == 100)
    #expect(statistics.late == 84)
    #expect(statistics.firstFrame == 3)
  }

  @Test func percentilesCoverOnlyTheLatestFrames() {
    var statistics = FrameStatistics()

    for _ in 0..<5000 { statistics.record(work: 1, at: 0) }
    for _ in 0..<4096 { statistics.record(work: 0.001, at: 0) }

    #expect(statistics.p99Milliseconds == 1)
    #expect(statistics.maxMilliseconds == 1000)
    #expect(statistics.presented == 9096)
  }
}
