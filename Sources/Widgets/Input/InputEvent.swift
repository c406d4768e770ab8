public import VitrineGraphics

/// What a host tells a window: all positions in window points.
public nonisolated enum InputEvent: Hashable, Sendable {
  /// A finger or the left mouse button. `id` tells fingers apart; the mouse is `InputEvent.mouse`.
  case touch(id: Int64, phase: TouchPhase, location: Point)
  /// A mouse wheel, in steps, fractions included: positive `deltaY` turns it away from the user, the content
  /// moves down.
  case wheel(location: Point, deltaX: Double, deltaY: Double)
  case keyDown(Key, modifiers: KeyModifiers)
  case keyUp(Key, modifiers: KeyModifiers)

  /// The touch id of the mouse pointer.
  public static let mouse: Int64 = -1
}

/// Where a touch is in its life.
public nonisolated enum TouchPhase: Hashable, Sendable {
  case began, moved, ended
  /// Taken away by the system or by a scroll view: nothing was meant.
  case cancelled
}

/// A key by what it does, not by where it lies.
public nonisolated enum Key: Hashable, Sendable {
  case up, down, left, right
  case pageUp, pageDown, home, end
  case enter, space, tab, escape, backspace
  /// F1 to F12.
  case function(Int)
  /// A letter, a digit or a sign, in lower case.
  case character(Character)
}

/// Keys held together with another.
public nonisolated struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let control = KeyModifiers(rawValue: 2)
  public static let alt = KeyModifiers(rawValue: 4)
}
