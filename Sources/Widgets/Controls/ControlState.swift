/// What a control is doing, as a set: a selected button that is pressed is `[.selected, .highlighted]`.
///
/// The values are UIKit's.
public nonisolated struct ControlState: OptionSet, Hashable, Sendable {
  /// The bits of UIKit's UIControl.State.
  public let rawValue: UInt

  /// A set from UIKit's bits; unknown ones are kept.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Enabled, and none of the others.
  public static let normal: ControlState = []
  /// Pressed.
  public static let highlighted = ControlState(rawValue: 1)
  /// Takes no touches: `isEnabled` is false.
  public static let disabled = ControlState(rawValue: 2)
  /// Chosen or switched on: `isSelected` is true. Set by the program, never by a touch.
  public static let selected = ControlState(rawValue: 4)
  /// Gets the keys.
  public static let focused = ControlState(rawValue: 8)
  /// The bits that are free for states of a subclass's own.
  public static let application = ControlState(rawValue: 0x00FF_0000)
}

/// What happens to a control. The values are UIKit's.
public nonisolated struct ControlEvent: OptionSet, Hashable, Sendable {
  /// The bits of UIKit's UIControl.Event.
  public let rawValue: UInt

  /// A set from UIKit's bits; unknown ones are kept.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A finger came down on it, or Enter or Space.
  public static let touchDown = ControlEvent(rawValue: 1)
  /// The finger came down again soon after a tap, at the same place; comes together with `touchDown`.
  public static let touchDownRepeat = ControlEvent(rawValue: 2)
  /// The finger moved, inside or less than `Control.trackingSlop` outside.
  public static let touchDragInside = ControlEvent(rawValue: 4)
  /// The finger moved further outside.
  public static let touchDragOutside = ControlEvent(rawValue: 8)
  /// The finger came back inside.
  public static let touchDragEnter = ControlEvent(rawValue: 16)
  /// The finger left the inside.
  public static let touchDragExit = ControlEvent(rawValue: 32)
  /// The finger was lifted inside: what a button acts on. Enter and Space send it too.
  public static let touchUpInside = ControlEvent(rawValue: 64)
  /// The finger was lifted further outside than `Control.trackingSlop`: the user has thought better of it.
  public static let touchUpOutside = ControlEvent(rawValue: 128)
  /// The touch was taken away, by scrolling for instance, or the control was disabled, hidden or removed: nothing
  /// was meant.
  public static let touchCancel = ControlEvent(rawValue: 256)
  /// The user has changed the control's value: of a button, whether it is selected.
  public static let valueChanged = ControlEvent(rawValue: 4096)
  /// What the control is there for was asked for, in whatever way; comes together with `touchUpInside`.
  public static let primaryActionTriggered = ControlEvent(rawValue: 8192)
  /// All that is about touches: from `touchDown` to `touchCancel`.
  public static let allTouchEvents = ControlEvent(rawValue: 0xFFF)
  /// All there are.
  public static let allEvents = ControlEvent(rawValue: 0xFFFF_FFFF)
}

/// An action of a control, kept to remove it again.
public final class ControlAction {
  /// What it is called for.
  public let events: ControlEvent
  let perform: (Control) -> Void
  /// Whether nobody wants it to be called any more, also by what is being told already.
  var isRemoved = false

  init(events: ControlEvent, perform: @escaping (Control) -> Void) {
    self.events = events
    self.perform = perform
  }
}
