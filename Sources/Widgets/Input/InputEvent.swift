public import VitrineGraphics

/// An input event that a host passes to a window. Positions are in window points.
public nonisolated enum InputEvent: Hashable, Sendable {
  /// A touch by a finger or the left mouse button. `id` distinguishes fingers; the mouse has the id `InputEvent.mouse`.
  case touch(id: Int64, phase: TouchPhase, location: Point)
  /// A turn of the mouse wheel, in steps or fractions. A positive `deltaY` turns the wheel away from the user and moves
  /// the content down. With Shift, a vertical turn counts as a horizontal one. With Ctrl, the turn enlarges what lies under
  /// the pointer and scrolls nothing; see `View.zoomWheel(at:delta:)`.
  case wheel(location: Point, deltaX: Double, deltaY: Double, modifiers: KeyModifiers = [])
  /// A key was pressed; sent again when a held key repeats.
  case keyDown(Key, modifiers: KeyModifiers)
  /// A key was released.
  case keyUp(Key, modifiers: KeyModifiers)

  /// The touch id of the mouse.
  public static let mouse: Int64 = -1
}

/// The phase of a touch.
public nonisolated enum TouchPhase: Hashable, Sendable {
  /// The finger came down, moved, and was lifted.
  case began, moved, ended
  /// The touch was cancelled by the system or by a scroll view: no action is intended.
  case cancelled
}

/// A key, identified by its function and not by its position on the keyboard.
public nonisolated enum Key: Hashable, Sendable {
  /// The arrow keys.
  case up, down, left, right
  /// The keys for a page, and for the beginning and the end.
  case pageUp, pageDown, home, end
  /// The other keys that produce no visible character. Enter and Space press the focused control, Tab moves the focus.
  case enter, space, tab, escape, backspace
  /// A function key, 1 to 12.
  case function(Int)
  /// A letter, digit or symbol, in lower case.
  case character(Character)
}

/// Modifier keys held together with another key.
public nonisolated struct KeyModifiers: OptionSet, Hashable, Sendable {
  /// One bit for each modifier key.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Either Shift key.
  public static let shift = KeyModifiers(rawValue: 1)
  /// Either Ctrl key.
  public static let control = KeyModifiers(rawValue: 2)
  /// Either Alt key.
  public static let alt = KeyModifiers(rawValue: 4)
}
