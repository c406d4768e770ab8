/// How a slot changes from one picture to the next.
///
/// ```swift
/// view.setContents(picture, transition: .flip(.left))
/// options.transition = .slide(.up, duration: 0.3, when: .always)
/// ```
///
/// What is seen is a function of time and of both pictures alone, drawn inside the place that the pictures have.
public nonisolated struct Transition: Hashable, Sendable {
  /// What is seen while it lasts.
  public enum Kind: Hashable, Sendable {
    /// The new picture at once.
    case none
    /// The old picture fades out, then the new one fades in; what lies behind is seen between the two. From
    /// nothing, and to nothing, the one picture takes the whole time.
    case fade
    /// The old picture becomes the new one: at each moment so much of the one and so much of the other, whatever
    /// their shapes and their transparency. Nothing behind them shows that neither of them shows.
    case crossDissolve
    /// The new picture comes in and pushes the old one out, both cut off at the edges of their place.
    case slide(Direction)
    /// The old picture turns about its middle until it is seen edge on, and the new one is on its back.
    case flip(Direction)
    /// Whatever a program draws.
    case custom(CustomTransition)
  }

  /// Where things move.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// Slides to this side; of a flip, the edge that comes forward moves to it.
    case left, right, up, down
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
  /// Seconds; with 0 or less, or without end, the new picture is there at once.
  public var duration: Double
  /// How its progress runs from the old picture (0) to the new one (1).
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

  /// Whether anything but the new picture is ever seen.
  public var isAnimated: Bool { kind != .none && duration > 0 && duration.isFinite }
}

extension Transition {
  /// No animation.
  public static let none = Transition(kind: .none, duration: 0)
  /// 0.2 s, ease-in-out, for pictures that were waited for: what slots do unless told otherwise (YY-F50).
  public static let crossDissolve = crossDissolve(0.2)
  /// 0.4 s, ease-in-out: for a picture of which a further part has come (YY-F50).
  public static let partial = crossDissolve(0.4)
  /// Out and in, 0.4 s, ease-in-out, for pictures that were waited for.
  public static let fade = fade(0.4)

  /// A cross-dissolve of so many seconds.
  public static func crossDissolve(_ duration: Double, when: Condition = .whenWaited) -> Transition {
    Transition(kind: .crossDissolve, duration: duration, when: when)
  }

  /// A fade out and in of so many seconds in all.
  public static func fade(_ duration: Double, when: Condition = .whenWaited) -> Transition {
    Transition(kind: .fade, duration: duration, when: when)
  }

  /// A slide to one side; 0.3 s unless said otherwise.
  public static func slide(
    _ direction: Direction, duration: Double = 0.3, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .slide(direction), duration: duration, when: when)
  }

  /// A flip whose near edge moves to one side; 0.5 s unless said otherwise (SD-F105).
  public static func flip(
    _ direction: Direction, duration: Double = 0.5, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .flip(direction), duration: duration, when: when)
  }

  /// A transition of one's own; 0.4 s unless said otherwise.
  public static func custom(
    _ drawing: some TransitionDrawing, duration: Double = 0.4, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .custom(CustomTransition(drawing)), duration: duration, when: when)
  }
}
