import Testing
import VitrineGraphics
import VitrineWidgets

@Suite("Gestures: long presses")
struct LongPressRecognizerTests {
  private let place = Point(x: 50, y: 60)

  private func pressed() -> LongPressRecognizer {
    var recognizer = LongPressRecognizer()
    _ = recognizer.handle(sample(.began, 50, 60, at: 1))
    return recognizer
  }

  @Test func restingFingerIsALongPressOnce() {
    var recognizer = pressed()
    #expect(recognizer.deadline == 1.5)
    #expect(recognizer.advance(to: 1.49) == nil)

    #expect(recognizer.advance(to: 1.5) == place)
    #expect(recognizer.deadline == nil)
    #expect(recognizer.advance(to: 2) == nil)
    #expect(recognizer.handle(sample(.ended, 50, 60, at: 2)) == nil)
  }

  @Test(arguments: [(10.0, true), (10.5, false)])
  func fingerMayMoveTenPoints(distance: Double, isPress: Bool) {
    var recognizer = pressed()
    _ = recognizer.handle(sample(.moved, 50, 60 + distance, at: 1.2))
    _ = recognizer.handle(sample(.moved, 50, 60, at: 1.3))

    #expect((recognizer.advance(to: 1.6) != nil) == isPress)
  }

  @Test func secondFingerCancelsThePressUntilAllAreLifted() {
    var recognizer = pressed()
    _ = recognizer.handle(sample(.began, 80, 60, at: 1.1, id: 1))
    #expect(recognizer.deadline == nil)
    _ = recognizer.handle(sample(.ended, 80, 60, at: 1.2, id: 1))
    #expect(recognizer.deadline == nil)
    _ = recognizer.handle(sample(.ended, 50, 60, at: 1.3))
    _ = recognizer.handle(sample(.began, 50, 60, at: 2))

    #expect(recognizer.deadline == 2.5)
  }

  @Test(arguments: [TouchPhase.ended, .cancelled])
  func liftedFingerIsNoLongPress(phase: TouchPhase) {
    var recognizer = pressed()
    #expect(recognizer.handle(sample(phase, 50, 60, at: 1.3)) == nil)

    #expect(recognizer.deadline == nil)
    #expect(recognizer.advance(to: 2) == nil)
  }

  @Test func liftAfterALateFrameIsALongPress() {
    var recognizer = pressed()

    #expect(recognizer.handle(sample(.ended, 50, 60, at: 1.6)) == place)
  }

  @Test func touchCancelledAfterALateFrameIsNone() {
    var recognizer = pressed()

    #expect(recognizer.handle(sample(.cancelled, 50, 60, at: 1.6)) == nil)
    #expect(recognizer.deadline == nil)
  }

  @Test func cancelledPressDoesNotComeBack() {
    var recognizer = pressed()
    recognizer.cancel()
    _ = recognizer.handle(sample(.moved, 51, 60, at: 1.2))

    #expect(recognizer.deadline == nil)
  }
}
