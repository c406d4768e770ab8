/// The animation with which a view or an image slot changes from one image to the next.
///
/// ```swift
/// view.setContents(picture, transition: .flip(.left))
/// options.transition = .slide(.up, duration: 0.3, when: .always)
/// ```
///
/// Each frame of a transition depends only on the time and on the two images, and is drawn within their frames.
public nonisolated struct Transition: Hashable, Sendable {
  /// The visual effect of a transition.
  public enum Kind: Hashable, Sendable {
    /// No effect: the new image is shown at once.
    case none
    /// The old image fades out, then the new image fades in; the background shows between the two. If one of the images
    /// is missing, the fade of the other takes the whole duration. See `crossDissolve` for the fade of SDWebImage and
    /// YYWebImage.
    case fadeThrough
    /// The old image dissolves into the new one: each pixel is a weighted mean of both, also where the images are
    /// transparent or differ in shape. The background does not shine through in between.
    case crossDissolve
    /// The new image slides in and pushes the old one out. Both are clipped to their frame.
    case slide(Direction)
    /// The old image turns about the center line until edge on, with the new image on its back.
    case flip(Direction)
    /// An effect that the application draws.
    case custom(CustomTransition)
  }

  /// The direction in which images move.
  public enum Direction: Hashable, Sendable, CaseIterable {
    /// The side that a slide moves towards; in a flip, the side that the near edge moves towards.
    case left, right, up, down
  }

  /// The loads for which a transition is used.
  public enum Condition: Hashable, Sendable {
    /// Only loads that the user had to wait for. An image from the memory cache, and an image that arrives before its
    /// slot was drawn, is shown at once.
    case whenWaited
    /// Every load (SDWebImage's ForceTransition).
    case always
  }

  /// The visual effect.
  public var kind: Kind
  /// The duration in seconds. If it is not above 0, or not finite, the new image is shown at once.
  public var duration: Double
  /// The pace of the progress from the old image (0) to the new one (1).
  public var curve: TimingCurve
  /// The loads for which the transition is used; for others the image is shown at once.
  public var when: Condition

  /// Creates a transition; by default ease-in-out, for images that the user had to wait for.
  public init(
    kind: Kind, duration: Double, curve: TimingCurve = .easeInOut, when: Condition = .whenWaited
  ) {
    self.kind = kind
    self.duration = duration
    self.curve = curve
    self.when = when
  }

  /// True if the transition shows anything other than the new image: an effect with a positive, finite duration.
  package var isAnimated: Bool { kind != .none && duration > 0 && duration.isFinite }
}

extension Transition {
  /// No animation.
  public static let none = Transition(kind: .none, duration: 0)
  /// A cross-dissolve of 0.2 s, ease-in-out, for images that the user had to wait for; the default of image slots.
  public static let crossDissolve = crossDissolve(0.2)
  /// A cross-dissolve of 0.4 s, ease-in-out, for previews.
  public static let preview = crossDissolve(0.4)
  /// A fade out and in of 0.4 s, ease-in-out, for images that the user had to wait for.
  public static let fadeThrough = fadeThrough(0.4)

  /// Returns a cross-dissolve with a duration in seconds.
  public static func crossDissolve(_ duration: Double, when: Condition = .whenWaited) -> Transition {
    Transition(kind: .crossDissolve, duration: duration, when: when)
  }

  /// Returns a fade out and in; `duration` is the sum of both, in seconds.
  public static func fadeThrough(_ duration: Double, when: Condition = .whenWaited) -> Transition {
    Transition(kind: .fadeThrough, duration: duration, when: when)
  }

  /// Returns a slide to one side, by default in 0.3 s.
  public static func slide(
    _ direction: Direction, duration: Double = 0.3, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .slide(direction), duration: duration, when: when)
  }

  /// Returns a flip whose near edge moves to one side, by default in 0.5 s.
  public static func flip(
    _ direction: Direction, duration: Double = 0.5, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .flip(direction), duration: duration, when: when)
  }

  /// Returns a transition that the application draws, by default in 0.4 s.
  public static func custom(
    _ drawing: some TransitionDrawing, duration: Double = 0.4, when: Condition = .whenWaited
  ) -> Transition {
    Transition(kind: .custom(CustomTransition(drawing)), duration: duration, when: when)
  }
}
