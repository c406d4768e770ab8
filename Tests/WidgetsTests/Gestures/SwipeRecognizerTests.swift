import Testing
import VitrineGraphics
import VitrineWidgets

@Suite("Gestures: swipes")
struct SwipeRecognizerTests {
  /// Returns the direction of a finger that moves by a distance within 0.1 s and is lifted after a rest.
  private func swipe(_ x: Double, _ y: Double, rest: Double = 0, second: Bool = false) -> FocusDirection? {
    var recognizer = SwipeRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    if second { _ = recognizer.handle(sample(.began, 200, 100, at: 1.01, id: 1)) }
    for step in 1...5 {
      let fraction = Double(step) / 5
      _ = recognizer.handle(sample(.moved, 100 + x * fraction, 100 + y * fraction, at: 1 + 0.1 * fraction))
    }
    return recognizer.handle(sample(.ended, 100 + x, 100 + y, at: 1.1 + rest))
  }

  @Test func flickIsASwipeInItsDirection() {
    #expect(swipe(40, 0) == .right)
    #expect(swipe(-40, 5) == .left)
    #expect(swipe(0, 40) == .down)
    #expect(swipe(10, -40) == .up)
  }

  @Test func slowOrDiagonalFlickIsNone() {
    #expect(swipe(29, 0) == nil)
    #expect(swipe(40, 25) == nil)
    #expect(swipe(0, 0) == nil)
  }

  @Test func fingerThatRestsBeforeTheLiftDoesNotSwipe() { #expect(swipe(80, 0, rest: 0.2) == nil) }

  @Test func twoFingersDoNotSwipe() { #expect(swipe(80, 0, second: true) == nil) }

  @Test func flickBackPastTheStartIsNoSwipe() {
    var recognizer = SwipeRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    _ = recognizer.handle(sample(.moved, 200, 100, at: 1.3))
    _ = recognizer.handle(sample(.moved, 160, 100, at: 1.35))

    #expect(recognizer.handle(sample(.ended, 140, 100, at: 1.4)) == nil)
  }

  @Test func cancelledTouchIsNoSwipe() {
    var recognizer = SwipeRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    _ = recognizer.handle(sample(.moved, 200, 100, at: 1.05))
    _ = recognizer.handle(sample(.cancelled, 200, 100, at: 1.06))

    #expect(recognizer.handle(sample(.ended, 300, 100, at: 1.07)) == nil)
  }
}
