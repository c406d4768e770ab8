import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Random sequences of up to four fingers that come and go.
@Suite("Gestures: random fingers")
struct TransformSequenceTests {
  /// A sequence of touches and the state that its fingers lead to.
  private struct Sequence {
    var random: SplitMix
    var time = 0.0
    var fingers: [Int64: Point] = [:]

    /// Returns the next touch: mostly movements of at most 12 points per axis.
    mutating func next() -> TouchSample {
      time += Double.random(in: 0...0.02, using: &random)
      let id = Int64.random(in: 0..<4, using: &random)
      guard let location = fingers[id] else {
        // Few places, so that fingers come down at the same point.
        let place = Point(
          x: Double(Int.random(in: 0...3, using: &random)) * 40,
          y: Double(Int.random(in: 0...1, using: &random)) * 40)
        fingers[id] = place
        return TouchSample(id: id, phase: .began, location: place, time: time)
      }
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1:
        fingers[id] = nil
        return TouchSample(id: id, phase: .ended, location: location, time: time)
      case 2:
        fingers[id] = nil
        return TouchSample(id: id, phase: .cancelled, location: location, time: time)
      default:
        let moved = Point(
          x: location.x + Double.random(in: -12...12, using: &random),
          y: location.y + Double.random(in: -12...12, using: &random))
        fingers[id] = moved
        return TouchSample(id: id, phase: .moved, location: moved, time: time)
      }
    }
  }

  private func isFinite(_ event: TransformRecognizer.Event) -> Bool {
    switch event {
    case .began(let centroid): centroid.x.isFinite && centroid.y.isFinite
    case .changed(let change):
      change.translation.x.isFinite && change.translation.y.isFinite && change.scale.isFinite
        && change.scale > 0 && change.centroid.x.isFinite && change.centroid.y.isFinite
    case .ended(let velocity, let scaleVelocity):
      velocity.x.isFinite && velocity.y.isFinite && scaleVelocity.isFinite
    case .cancelled: true
    }
  }

  @Test(arguments: 0..<40)
  func gesturesEndOnceAndNeverJump(seed: Int) {
    var sequence = Sequence(random: SplitMix(state: UInt64(seed)))
    var recognizer = TransformRecognizer()
    var isOpen = false
    var gestures = 0

    for _ in 0..<2000 {
      let touch = sequence.next()
      for event in recognizer.handle(touch) {
        #expect(isFinite(event))
        switch event {
        case .began:
          #expect(!isOpen)
          isOpen = true
          gestures += 1
        case .changed(let change):
          #expect(isOpen)
          // Only a movement changes something, by no more than the finger has moved.
          #expect(touch.phase == .moved)
          #expect(max(abs(change.translation.x), abs(change.translation.y)) <= 12)
          // A distance of at least 20 points changes by at most 17.
          #expect((0.1...2).contains(change.scale))
        case .ended, .cancelled:
          #expect(isOpen)
          isOpen = false
        }
      }
      #expect(recognizer.isActive == isOpen)
      #expect(recognizer.numberOfFingers <= min(2, sequence.fingers.count))
    }

    #expect(gestures > 5)
  }
}
