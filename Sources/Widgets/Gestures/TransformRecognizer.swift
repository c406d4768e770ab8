import Glibc
package import VitrineGraphics

/// Recognizes a pan with one finger and a pinch with two.
///
/// A gesture begins when one finger has moved 10 points, or at once with a second finger, and ends with the last of its
/// fingers. In between, fingers come and go in any order: the next change is measured from the new set of fingers, so
/// that a pan becomes a pinch, and a pinch a pan, without a jump. A third finger is ignored as long as it is down.
///
/// Each `began` is followed by exactly one `ended` or `cancelled`. A scale is always finite and positive.
package nonisolated struct TransformRecognizer {
  package enum Event: Hashable, Sendable {
    /// The gesture has begun at this centroid of the fingers.
    case began(centroid: Point)
    case changed(Change)
    /// All fingers were lifted. `velocity` is that of the centroid in points per second, `scaleVelocity` the relative
    /// change of the scale per second: 1 means that the logarithm of the scale grows by 1 in a second.
    case ended(velocity: Point, scaleVelocity: Double)
    /// The last finger was cancelled: no momentum is intended.
    case cancelled
  }

  /// The difference between two events of a gesture. Scale first, around the previous centroid, then translate.
  package struct Change: Hashable, Sendable {
    /// The movement of the centroid, in points.
    package var translation: Point
    /// The factor by which the distance of the fingers has changed; 1 with one finger.
    package var scale: Double
    /// The point in the middle of the fingers.
    package var centroid: Point
  }

  /// The minimum distance of two fingers that counts, in points: closer fingers count as this far apart, so that a small
  /// movement of two fingers at nearly the same point does not multiply the scale.
  package static let minimumSpan = 20.0
  private static let maximumSpan = 1e6

  /// True if one finger begins a gesture. False leaves the movement of one finger to other views, until a second finger
  /// comes down. A gesture that has begun continues with one finger in any case.
  package var beginsWithOneFinger = true
  /// True between `began` and the end of the gesture.
  package private(set) var isActive = false

  /// The fingers of the gesture, at most two, in the order in which they came down.
  private var fingers: [TouchSample] = []
  /// The location at which the only finger came down, until a gesture begins.
  private var start = Point.zero
  /// The centroid and the distance of the fingers as of the last event.
  private var anchor = (centroid: Point.zero, span: minimumSpan)
  /// The sums of all translations and of the logarithms of all scales. They go on without a jump when the fingers
  /// change, so that the velocity survives the lifting of two fingers one after the other.
  private var travel = (translation: Point.zero, logarithm: 0.0)
  private var velocity = VelocityTracker()
  private var scaleVelocity = VelocityTracker()

  package init() {}

  /// The number of fingers of the gesture, or of one that may begin: 0, 1 or 2.
  package var numberOfFingers: Int { fingers.count }

  /// Returns the events that a touch causes, in their order.
  package mutating func handle(_ sample: TouchSample) -> [Event] {
    guard sample.location.x.isFinite, sample.location.y.isFinite else { return handleLost(sample) }
    switch sample.phase {
    case .began: return begin(sample)
    case .moved: return move(sample)
    case .ended: return move(sample) + lift(sample, isCancelled: false)
    case .cancelled: return lift(sample, isCancelled: true)
    }
  }

  /// Forgets all fingers until others come down, because another view has taken them. Returns the end of the gesture, if
  /// there is one.
  package mutating func cancel() -> Event? {
    fingers = []
    defer { isActive = false }
    return isActive ? .cancelled : nil
  }

  /// Handles a touch without a valid location, of which only the end matters.
  private mutating func handleLost(_ sample: TouchSample) -> [Event] {
    switch sample.phase {
    case .began, .moved: []
    case .ended, .cancelled: lift(sample, isCancelled: sample.phase == .cancelled)
    }
  }

  private mutating func begin(_ sample: TouchSample) -> [Event] {
    // The end of the previous touch with this id was lost.
    let lost = fingers.contains { $0.id == sample.id } ? lift(sample, isCancelled: true) : []
    guard fingers.count < 2 else { return lost }
    fingers.append(sample)
    reanchor()
    if fingers.count == 1 {
      start = sample.location
      return lost
    }
    return isActive ? lost : lost + activate(at: sample.time)
  }

  private mutating func move(_ sample: TouchSample) -> [Event] {
    guard let index = fingers.firstIndex(where: { $0.id == sample.id }) else { return [] }
    fingers[index] = sample
    guard isActive else {
      guard beginsWithOneFinger, sample.location.distance(to: start) >= GestureLimits.slop else { return [] }
      // The movement before the beginning is left out, so that the content does not jump.
      reanchor()
      return activate(at: sample.time)
    }
    return change(at: sample.time)
  }

  private mutating func lift(_ sample: TouchSample, isCancelled: Bool) -> [Event] {
    guard let index = fingers.firstIndex(where: { $0.id == sample.id }) else { return [] }
    fingers.remove(at: index)
    reanchor()
    guard fingers.isEmpty, isActive else { return [] }
    isActive = false
    if isCancelled { return [.cancelled] }
    record(at: sample.time)
    return [.ended(velocity: velocity.velocity, scaleVelocity: scaleVelocity.velocity.x)]
  }

  private mutating func activate(at time: Double) -> [Event] {
    isActive = true
    travel = (.zero, 0)
    velocity = VelocityTracker()
    scaleVelocity = VelocityTracker()
    record(at: time)
    return [.began(centroid: anchor.centroid)]
  }

  private mutating func change(at time: Double) -> [Event] {
    let previous = anchor
    reanchor()
    let change = Change(
      translation: anchor.centroid - previous.centroid, scale: anchor.span / previous.span,
      centroid: anchor.centroid)
    travel.translation = travel.translation + change.translation
    travel.logarithm += log(change.scale)
    record(at: time)
    return change.translation == .zero && change.scale == 1 ? [] : [.changed(change)]
  }

  private mutating func record(at time: Double) {
    velocity.add(travel.translation, at: time)
    scaleVelocity.add(Point(x: travel.logarithm, y: 0), at: time)
  }

  /// Measures the next change from the current fingers.
  private mutating func reanchor() {
    guard let first = fingers.first?.location else { return }
    guard fingers.count == 2 else { return anchor = (first, Self.minimumSpan) }
    let second = fingers[1].location
    anchor.centroid = Point(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    anchor.span = first.distance(to: second).clamped(to: Self.minimumSpan...Self.maximumSpan)
  }
}
