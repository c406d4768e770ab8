import Glibc

/// The movement of a damped spring, for `View.animate(spring:delay:_:completion:)`.
///
/// A spring has no fixed duration: it moves until it rests within a fraction of a pixel. An animation that replaces a
/// running one goes on with the velocity of that one.
public nonisolated struct SpringTiming: Hashable, Sendable {
  /// The period of the spring without damping, in seconds; smaller is stiffer. If it is not above 0, or not finite, the
  /// spring is at rest at once.
  public var response: Double
  /// The damping as a fraction of the damping at which the spring no longer oscillates. Below 1 it overshoots, at 1 it
  /// comes to rest fastest, and above 1 it creeps. Clamped to 0.05…10.
  public var dampingFraction: Double

  /// Creates a spring; by default one that overshoots a little.
  public init(response: Double = 0.4, dampingFraction: Double = 0.8) {
    self.response = response
    self.dampingFraction = dampingFraction
  }

  /// True if the spring moves.
  var isAnimated: Bool { response > 0 && response.isFinite }

  /// The angular frequency without damping, in 1/s.
  var frequency: Double { 2 * .pi / response }

  /// Returns the state of the spring a number of seconds after its release.
  func state(after time: Double) -> SpringState {
    let damping = dampingFraction.isNaN ? 1 : dampingFraction.clamped(to: 0.05...10)
    if abs(damping - 1) < 1e-4 { return .critical(frequency, after: time) }
    return damping < 1
      ? .underdamped(frequency, damping, after: time) : .overdamped(frequency, damping, after: time)
  }
}

/// The state of a spring as a linear function of its displacement and of its velocity at the release.
///
/// The displacement is a · `ofDisplacement` + v · `ofVelocity`, its velocity a · `rateOfDisplacement` + v ·
/// `rateOfVelocity`, with the displacement a and the velocity v at the release.
nonisolated struct SpringState: Hashable {
  let ofDisplacement, ofVelocity: Double
  let rateOfDisplacement, rateOfVelocity: Double

  fileprivate static func underdamped(_ frequency: Double, _ damping: Double, after time: Double) -> Self {
    let dampedFrequency = frequency * (1 - damping * damping).squareRoot()
    let decay = exp(-damping * frequency * time)
    let cosine = decay * cos(dampedFrequency * time)
    let sine = decay * sin(dampedFrequency * time)
    let ratio = damping * frequency / dampedFrequency
    return SpringState(
      ofDisplacement: cosine + ratio * sine, ofVelocity: sine / dampedFrequency,
      rateOfDisplacement: -frequency * frequency / dampedFrequency * sine,
      rateOfVelocity: cosine - ratio * sine)
  }

  fileprivate static func critical(_ frequency: Double, after time: Double) -> Self {
    let decay = exp(-frequency * time)
    return SpringState(
      ofDisplacement: (1 + frequency * time) * decay, ofVelocity: time * decay,
      rateOfDisplacement: -frequency * frequency * time * decay,
      rateOfVelocity: (1 - frequency * time) * decay)
  }

  fileprivate static func overdamped(_ frequency: Double, _ damping: Double, after time: Double) -> Self {
    let root = (damping * damping - 1).squareRoot()
    let (slow, fast) = (-frequency * (damping - root), -frequency * (damping + root))
    let (slowDecay, fastDecay) = (exp(slow * time), exp(fast * time))
    let width = slow - fast
    return SpringState(
      ofDisplacement: (slow * fastDecay - fast * slowDecay) / width,
      ofVelocity: (slowDecay - fastDecay) / width,
      rateOfDisplacement: slow * fast * (fastDecay - slowDecay) / width,
      rateOfVelocity: (slow * slowDecay - fast * fastDecay) / width)
  }
}
