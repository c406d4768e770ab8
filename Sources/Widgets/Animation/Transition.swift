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

  public var kind: Kind
  /// Seconds.
  public var duration: Double
  public var curve: TimingCurve
  public var when: Condition

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
