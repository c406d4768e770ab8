/// How a slot changes from one picture to the next.
public nonisolated struct Transition: Hashable, Sendable {
  /// What is seen while it lasts.
  public enum Kind: Hashable, Sendable {
    /// The new picture at once.
    case none
    /// The new picture appears over the old one.
    case fade
  }

  /// For which answers.
  public enum Condition: Hashable, Sendable {
    /// Only for a picture that had to be waited for; one from memory is shown at once.
    case whenWaited
    /// For every picture (SDWebImage's ForceTransition).
    case always
  }

  /// What is seen while it lasts.
  public var kind: Kind
  /// Seconds; with 0 or less the new picture is there at once.
  public var duration: Double
  /// How the new picture's opacity grows.
  public var curve: TimingCurve
  /// For which answers; others are shown at once.
  public var when: Condition

  /// A transition for pictures that had to be waited for, ease-in-out, unless said otherwise.
  public init(
    kind: Kind, duration: Double, curve: TimingCurve = .easeInOut, when: Condition = .whenWaited
  ) {
    self.kind = kind
    self.duration = duration
    self.curve = curve
    self.when = when
  }

  /// No animation.
  public static let none = Transition(kind: .none, duration: 0)
  /// A cross-fade of 0.2 s, ease-in-out, for pictures that were waited for (YY-F's default).
  public static let fade = Transition(kind: .fade, duration: 0.2)
  /// A cross-fade of so many seconds.
  public static func fade(_ duration: Double, when: Condition = .whenWaited) -> Transition {
    Transition(kind: .fade, duration: duration, when: when)
  }
}
