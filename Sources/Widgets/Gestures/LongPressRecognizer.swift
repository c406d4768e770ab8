package import VitrineGraphics

/// Recognizes a finger that rests for 0.5 s. The press is recognized while the finger is still down, once.
///
/// A movement of more than 10 points, a second finger and the end of the touch cancel the press. A recognizer reads no
/// clock: its view requests a frame for `deadline` and calls `advance(to:)`.
package nonisolated struct LongPressRecognizer {
  /// The time for which the finger rests, in seconds.
  package static let duration = 0.5

  private var start: TouchSample?
  private var fingers: Set<Int64> = []

  package init() {}

  /// The time at which the press is recognized; `nil` if no finger rests.
  package var deadline: Double? { start.map { $0.time + Self.duration } }

  /// Returns the location at which a press began that is now recognized; `nil` if there is none.
  package mutating func advance(to now: Double) -> Point? {
    guard let deadline, now >= deadline else { return nil }
    defer { start = nil }
    return start?.location
  }

  /// Returns the location of a press that is recognized before the event of a touch, because the frame for `deadline`
  /// has not come yet; `nil` in general.
  package mutating func handle(_ sample: TouchSample) -> Point? {
    let recognized = sample.phase == .cancelled ? nil : advance(to: sample.time)
    switch sample.phase {
    case .began:
      fingers.insert(sample.id)
      start = fingers.count == 1 ? sample : nil
    case .moved:
      guard let start, start.id == sample.id else { break }
      if !(sample.location.distance(to: start.location) <= GestureLimits.slop) { cancel() }
    case .ended, .cancelled:
      fingers.remove(sample.id)
      if start?.id == sample.id { cancel() }
    }
    return recognized
  }

  /// Cancels the press of the finger that is down, because another gesture has been recognized.
  package mutating func cancel() { start = nil }
}
