import Testing
import VitrineGraphics

@testable import VitrineWidgets

@Suite("Gestures: pan and pinch")
struct TransformRecognizerTests {
  private typealias Event = TransformRecognizer.Event

  /// Returns the changes among the events.
  private func changes(_ events: [Event]) -> [TransformRecognizer.Change] {
    events.compactMap { if case .changed(let change) = $0 { change } else { nil } }
  }

  private func panning() -> TransformRecognizer {
    var recognizer = TransformRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    _ = recognizer.handle(sample(.moved, 110, 100, at: 1.01))
    return recognizer
  }

  @Test func panBeginsAfterTenPointsWithoutAJump() {
    var recognizer = TransformRecognizer()
    #expect(recognizer.handle(sample(.began, 100, 100, at: 1)) == [])
    #expect(recognizer.handle(sample(.moved, 109, 100, at: 1.01)) == [])
    #expect(!recognizer.isActive)
    #expect(
      recognizer.handle(sample(.moved, 112, 100, at: 1.02)) == [.began(centroid: Point(x: 112, y: 100))])

    let events = recognizer.handle(sample(.moved, 115, 104, at: 1.03))
    #expect(
      events == [
        .changed(
          .init(translation: Point(x: 3, y: 4), scale: 1, centroid: Point(x: 115, y: 104)))
      ])
  }

  @Test func tapDoesNotBeginAGesture() {
    var recognizer = TransformRecognizer()
    #expect(recognizer.handle(sample(.began, 100, 100, at: 1)) == [])

    #expect(recognizer.handle(sample(.ended, 104, 100, at: 1.1)) == [])
  }

  @Test func secondFingerBeginsAPinchAtOnce() {
    var recognizer = TransformRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    let began = recognizer.handle(sample(.began, 200, 100, at: 1.1, id: 1))
    let changed = recognizer.handle(sample(.moved, 300, 100, at: 1.2, id: 1))

    #expect(began == [.began(centroid: Point(x: 150, y: 100))])
    #expect(
      changed == [
        .changed(.init(translation: Point(x: 50, y: 0), scale: 2, centroid: Point(x: 200, y: 100)))
      ])
  }

  @Test func panBecomesAPinchAndBackWithoutAJump() {
    var recognizer = panning()
    #expect(recognizer.handle(sample(.began, 310, 100, at: 1.1, id: 1)) == [])
    let pinch = changes(recognizer.handle(sample(.moved, 310, 110, at: 1.2, id: 1)))
    #expect(recognizer.handle(sample(.ended, 110, 100, at: 1.3)) == [])
    let pan = changes(recognizer.handle(sample(.moved, 312, 110, at: 1.4, id: 1)))

    #expect(pinch.map(\.translation) == [Point(x: 0, y: 5)])
    #expect(pan == [.init(translation: Point(x: 2, y: 0), scale: 1, centroid: Point(x: 312, y: 110))])
    #expect(recognizer.isActive)
  }

  @Test func thirdFingerIsIgnoredAsLongAsItIsDown() {
    var recognizer = panning()
    _ = recognizer.handle(sample(.began, 210, 100, at: 1.1, id: 1))
    var events = recognizer.handle(sample(.began, 300, 300, at: 1.2, id: 2))
    events += recognizer.handle(sample(.moved, 400, 400, at: 1.3, id: 2))
    events += recognizer.handle(sample(.ended, 110, 100, at: 1.4))
    events += recognizer.handle(sample(.moved, 500, 500, at: 1.5, id: 2))
    #expect(events == [])
    #expect(recognizer.numberOfFingers == 1)

    #expect(
      recognizer.handle(sample(.ended, 210, 100, at: 2, id: 1)) == [.ended(velocity: .zero, scaleVelocity: 0)]
    )
    #expect(recognizer.handle(sample(.moved, 600, 600, at: 2.1, id: 2)) == [])
  }

  @Test func fingersAtTheSamePointGiveAFiniteScale() {
    var recognizer = panning()
    _ = recognizer.handle(sample(.began, 110, 100, at: 1.1, id: 1))
    let apart = changes(recognizer.handle(sample(.moved, 150, 100, at: 1.2, id: 1)))
    let together = changes(recognizer.handle(sample(.moved, 110, 100, at: 1.3, id: 1)))

    #expect(apart.map(\.scale) == [40 / TransformRecognizer.minimumSpan])
    #expect(together.map(\.scale) == [TransformRecognizer.minimumSpan / 40])
  }

  @Test func endReportsTheVelocitiesOfFlickAndPinch() throws {
    var recognizer = TransformRecognizer()
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    _ = recognizer.handle(sample(.began, 200, 100, at: 1, id: 1))
    for step in 1...5 {
      let time = 1 + Double(step) / 50
      _ = recognizer.handle(sample(.moved, 100 + 10 * Double(step), 100, at: time))
      _ = recognizer.handle(sample(.moved, 200 + 30 * Double(step), 100, at: time, id: 1))
    }
    // The fingers are lifted one after the other.
    _ = recognizer.handle(sample(.ended, 150, 100, at: 1.1))
    let end = recognizer.handle(sample(.ended, 350, 100, at: 1.1, id: 1))

    guard case .ended(let velocity, let scaleVelocity) = end.first, end.count == 1 else {
      Issue.record("no end in \(end)")
      return
    }
    #expect(abs(velocity.x - 1000) < 1)
    #expect(velocity.y == 0)
    // The distance has doubled within 0.1 s: ln 2 / 0.1.
    #expect(abs(scaleVelocity - 6.93) < 0.01)
  }

  @Test func fingerThatRestsHasNoVelocity() {
    var recognizer = panning()
    _ = recognizer.handle(sample(.moved, 200, 100, at: 1.1))

    #expect(
      recognizer.handle(sample(.ended, 200, 100, at: 1.5)) == [.ended(velocity: .zero, scaleVelocity: 0)])
  }

  @Test func cancelledFingersEndTheGestureOnce() {
    var recognizer = panning()
    _ = recognizer.handle(sample(.began, 200, 100, at: 1.1, id: 1))
    #expect(recognizer.handle(sample(.cancelled, 110, 100, at: 1.2)) == [])
    #expect(recognizer.handle(sample(.cancelled, 200, 100, at: 1.2, id: 1)) == [.cancelled])
    #expect(recognizer.cancel() == nil)

    recognizer = panning()
    #expect(recognizer.cancel() == .cancelled)
    #expect(recognizer.handle(sample(.ended, 110, 100, at: 1.3)) == [])
  }

  @Test func oneFingerIsLeftToOthersOnRequest() {
    var recognizer = TransformRecognizer()
    recognizer.beginsWithOneFinger = false
    _ = recognizer.handle(sample(.began, 100, 100, at: 1))
    #expect(recognizer.handle(sample(.moved, 150, 100, at: 1.1)) == [])

    let began = recognizer.handle(sample(.began, 250, 100, at: 1.2, id: 1))
    #expect(began == [.began(centroid: Point(x: 200, y: 100))])
  }

  @Test func touchWithoutALocationChangesNothing() {
    var recognizer = panning()
    #expect(recognizer.handle(sample(.moved, .nan, 100, at: 1.1)) == [])
    #expect(recognizer.handle(sample(.began, .infinity, 100, at: 1.1, id: 1)) == [])

    #expect(
      recognizer.handle(sample(.ended, .nan, 100, at: 2)) == [.ended(velocity: .zero, scaleVelocity: 0)])
  }
}
