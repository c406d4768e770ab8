public import VitrineGraphics

/// What a host tells a window: all positions in window points.
public nonisolated enum InputEvent: Hashable, Sendable {
  /// A finger or the left mouse button. `id` tells fingers apart; the mouse is `InputEvent.mouse`.
  case touch(id: Int64, phase: TouchPhase, location: Point)
  /// A mouse wheel, in steps, fractions included: positive `deltaY` turns it away from the user, the content
  /// moves down.
  case wheel(location: Point, deltaX: Double, deltaY: Double)
  /// A key went down; comes again while it is held, for keys that repeat.
  case keyDown(Key, modifiers: KeyModifiers)
  /// A key went up.
  case keyUp(Key, modifiers: KeyModifiers)

  /// The touch id of the mouse pointer.
  public static let mouse: Int64 = -1
}

/// Where a touch is in its life.
public nonisolated enum TouchPhase: Hashable, Sendable {
  /// Down, moving, and lifted on purpose, in this order.
  case began, moved, ended
  /// Taken away by the system or by a scroll view: nothing was meant.
  case cancelled
}

/// A key by what it does, not by where it lies.
public nonisolated enum Key: Hashable, Sendable {
  /// The arrow keys: one step.
  case up, down, left, right
  /// The keys for long ways: a page, or all the way.
  case pageUp, pageDown, home, end
  /// The keys without a sign. Enter and Space press the control that has the focus, Tab moves the focus.
  case enter, space, tab, escape, backspace
  /// F1 to F12.
  case function(Int)
  /// A letter, a digit or a sign, in lower case.
  case character(Character)
}

/// Keys held together with another.
public nonisolated struct KeyModifiers: OptionSet, Hashable, Sendable {
  /// A bit for each of the keys below.
  public let rawValue: Int

  /// A set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Either Shift key.
  public static let shift = KeyModifiers(rawValue: 1)
  /// Either Ctrl key.
  public static let control = KeyModifiers(rawValue: 2)
  /// Either Alt key.
  public static let alt = KeyModifiers(rawValue: 4)
}
