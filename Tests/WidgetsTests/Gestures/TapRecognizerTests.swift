import Testing
import VitrineGraphics
import VitrineWidgets

@Suite("Gestures: taps")
struct TapRecognizerTests {
  private typealias Event = TapRecognizer.Event
  private let place = Point(x: 50, y: 60)

  private func tap(_ recognizer: inout TapRecognizer, x: Double = 50, at time: Double) -> [Event] {
    recognizer.handle(sample(.began, x, 60, at: time))
      + recognizer.handle(sample(.ended, x, 60, at: time + 0.05))
  }

  @Test func tapIsReportedAtOnceWithoutDoubleTaps() {
    var recognizer = TapRecognizer()

    #expect(tap(&recognizer, at: 1) == [.tap(at: place)])
    #expect(tap(&recognizer, at: 1.1) == [.tap(at: place)])
    #expect(recognizer.deadline == nil)
  }

  @Test func singleTapWaitsForASecondOne() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])
    #expect(recognizer.deadline == 1.05 + Window.tapInterval)
    #expect(recognizer.advance(to: 1.3) == nil)

    #expect(recognizer.advance(to: 1.5) == .tap(at: place))
    #expect(recognizer.deadline == nil)
    #expect(recognizer.advance(to: 9) == nil)
  }

  @Test func twoTapsAreADoubleTapAndAThirdBeginsAnew() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])
    #expect(tap(&recognizer, x: 70, at: 1.2) == [.doubleTap(at: Point(x: 70, y: 60))])

    #expect(tap(&recognizer, x: 70, at: 1.4) == [])
    #expect(recognizer.advance(to: 2) == .tap(at: Point(x: 70, y: 60)))
  }

  @Test func secondTapElsewhereOrTooLateReportsTheFirst() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])
    #expect(tap(&recognizer, x: 90, at: 1.2) == [.tap(at: place)])

    #expect(tap(&recognizer, x: 90, at: 2) == [.tap(at: Point(x: 90, y: 60))])
    #expect(recognizer.advance(to: 3) == .tap(at: Point(x: 90, y: 60)))
  }

  @Test func firstTapWaitsWhileTheSecondFingerIsDown() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    _ = tap(&recognizer, at: 1)
    #expect(recognizer.handle(sample(.began, 50, 60, at: 1.2)) == [])
    #expect(recognizer.deadline == nil)
    #expect(recognizer.advance(to: 1.6) == nil)

    // The second touch becomes a drag.
    #expect(recognizer.handle(sample(.moved, 50, 71, at: 1.7)) == [.tap(at: place)])
    #expect(recognizer.handle(sample(.ended, 50, 71, at: 1.8)) == [])
  }

  @Test(arguments: [(10.0, true), (10.5, false)])
  func tapMovesAtMostTenPoints(distance: Double, isTap: Bool) {
    var recognizer = TapRecognizer()
    _ = recognizer.handle(sample(.began, 50, 60, at: 1))
    _ = recognizer.handle(sample(.moved, 50 + distance, 60, at: 1.1))
    // The finger comes back.
    let events = recognizer.handle(sample(.ended, 50, 60, at: 1.2))

    #expect(events == (isTap ? [.tap(at: place)] : []))
  }

  @Test(arguments: [(0.375, true), (0.5, false), (0.75, false)])
  func tapIsShort(duration: Double, isTap: Bool) {
    var recognizer = TapRecognizer()
    _ = recognizer.handle(sample(.began, 50, 60, at: 1))

    #expect(recognizer.handle(sample(.ended, 50, 60, at: 1 + duration)) == (isTap ? [.tap(at: place)] : []))
    #expect(tap(&recognizer, at: 3) == [.tap(at: place)])
  }

  @Test func secondTouchThatRestsLeavesASingleTap() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])
    #expect(recognizer.handle(sample(.began, 50, 60, at: 1.2)) == [])

    #expect(recognizer.handle(sample(.ended, 50, 60, at: 1.8)) == [.tap(at: place)])
    #expect(recognizer.advance(to: 3) == nil)
  }

  @Test func tapWithTwoFingersIsNone() {
    var recognizer = TapRecognizer()
    var events = recognizer.handle(sample(.began, 50, 60, at: 1))
    events += recognizer.handle(sample(.began, 80, 60, at: 1.01, id: 1))
    events += recognizer.handle(sample(.ended, 50, 60, at: 1.02))
    events += recognizer.handle(sample(.ended, 80, 60, at: 1.03, id: 1))
    #expect(events == [])

    #expect(tap(&recognizer, at: 2) == [.tap(at: place)])
  }

  @Test func cancelledTouchIsNoTap() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])
    #expect(recognizer.handle(sample(.began, 50, 60, at: 1.2)) == [])

    #expect(recognizer.handle(sample(.cancelled, 50, 60, at: 1.25)) == [.tap(at: place)])
    #expect(recognizer.advance(to: 3) == nil)
  }

  @Test func fingerAndMouseMakeNoDoubleTap() {
    var recognizer = TapRecognizer(recognizesDoubleTaps: true)
    #expect(tap(&recognizer, at: 1) == [])

    let began = recognizer.handle(sample(.began, 50, 60, at: 1.2, id: InputEvent.mouse))
    #expect(began == [.tap(at: place)])
  }
}
