package import VitrineGraphics

/// Recognizes taps of one finger, and double taps on request.
///
/// A tap moves at most 10 points and takes at most 0.4 s. Without double taps, a tap is reported when the finger is
/// lifted. With double taps, a single tap is reported once a second tap is ruled out: after 0.35 s without another touch,
/// by a touch at another place, or by a second touch that is not a tap.
///
/// A recognizer reads no clock: its view requests a frame for `deadline` and calls `advance(to:)`.
package nonisolated struct TapRecognizer {
  /// A recognized tap with its location.
  package enum Event: Hashable, Sendable {
    case tap(at: Point)
    case doubleTap(at: Point)
  }

  /// The longest duration of a tap in seconds. A finger that rests longer means something else.
  package static let longestTap = 0.4

  /// True if the second of two taps is a double tap, and single taps wait for it.
  package let recognizesDoubleTaps: Bool

  /// The touch that may become a tap.
  private var current: TouchSample?
  /// True if `current` may be the second touch of a double tap.
  private var isSecond = false
  /// The end of a tap that is not reported yet.
  private var pending: TouchSample?
  /// The number of fingers that are down. A second finger rules out a tap until all fingers are lifted.
  private var fingers: Set<Int64> = []

  package init(recognizesDoubleTaps: Bool = false) { self.recognizesDoubleTaps = recognizesDoubleTaps }

  /// The time at which a tap is to be reported unless a second touch begins; `nil` if no tap waits.
  package var deadline: Double? {
    guard let pending, !isSecond else { return nil }
    return pending.time + Window.tapInterval
  }

  /// Returns the tap whose deadline has passed; `nil` if there is none.
  package mutating func advance(to now: Double) -> Event? {
    guard let deadline, now >= deadline else { return nil }
    return reportPending()
  }

  /// Returns the taps that a touch completes, at most two, in the order in which they were made.
  package mutating func handle(_ sample: TouchSample) -> [Event] {
    let late = advance(to: sample.time).map { [$0] } ?? []
    return late + recognize(sample)
  }

  /// Forgets all touches until the next one begins, because another gesture has been recognized. Returns a tap that was
  /// made before, if there is one.
  package mutating func cancel() -> Event? {
    current = nil
    isSecond = false
    return reportPending()
  }

  private mutating func recognize(_ sample: TouchSample) -> [Event] {
    switch sample.phase {
    case .began:
      fingers.insert(sample.id)
      return begin(sample)
    case .moved:
      guard let current, current.id == sample.id, isTooFar(sample, from: current) else { return [] }
      return cancel().map { [$0] } ?? []
    case .ended:
      fingers.remove(sample.id)
      guard let current, current.id == sample.id else { return [] }
      let isTap = !isTooFar(sample, from: current) && sample.time - current.time <= Self.longestTap
      guard isTap else { return cancel().map { [$0] } ?? [] }
      return end(sample, from: current)
    case .cancelled:
      fingers.remove(sample.id)
      guard current?.id == sample.id else { return [] }
      return cancel().map { [$0] } ?? []
    }
  }

  private mutating func begin(_ sample: TouchSample) -> [Event] {
    guard fingers.count == 1 else { return cancel().map { [$0] } ?? [] }
    current = sample
    isSecond = pending.map { isRepetition(sample, of: $0) } ?? false
    guard !isSecond else { return [] }
    return reportPending().map { [$0] } ?? []
  }

  private mutating func end(_ sample: TouchSample, from start: TouchSample) -> [Event] {
    current = nil
    if isSecond {
      isSecond = false
      pending = nil
      return [.doubleTap(at: sample.location)]
    }
    guard recognizesDoubleTaps else { return [.tap(at: sample.location)] }
    pending = sample
    return []
  }

  private mutating func reportPending() -> Event? {
    defer { pending = nil }
    return pending.map { .tap(at: $0.location) }
  }

  private func isTooFar(_ sample: TouchSample, from start: TouchSample) -> Bool {
    !(sample.location.distance(to: start.location) <= GestureLimits.slop)
  }

  /// True if a touch follows a tap at about the same place, by the same kind of input.
  private func isRepetition(_ sample: TouchSample, of tap: TouchSample) -> Bool {
    (sample.id == InputEvent.mouse) == (tap.id == InputEvent.mouse)
      && sample.location.distance(to: tap.location) <= Window.tapDistance
  }
}
