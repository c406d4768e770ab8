/// The state of a control as a set: a pressed, selected button has `[.selected, .highlighted]`.
///
/// The values are those of UIKit.
public nonisolated struct ControlState: OptionSet, Hashable, Sendable {
  /// The bits of UIKit's UIControl.State.
  public let rawValue: UInt

  /// Creates a set from UIKit's bits; unknown bits are kept.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Enabled, without any other state.
  public static let normal: ControlState = []
  /// Pressed.
  public static let highlighted = ControlState(rawValue: 1)
  /// Disabled: `isEnabled` is false.
  public static let disabled = ControlState(rawValue: 2)
  /// Selected: `isSelected` is true. Touches change it only with `Button.changesSelectionAsPrimaryAction`.
  public static let selected = ControlState(rawValue: 4)
  /// Focused: the control receives keys.
  public static let focused = ControlState(rawValue: 8)
  /// The bits reserved for states of subclasses.
  public static let application = ControlState(rawValue: 0x00FF_0000)
}

/// The events of a control. The values are those of UIKit.
public nonisolated struct ControlEvent: OptionSet, Hashable, Sendable {
  /// The bits of UIKit's UIControl.Event.
  public let rawValue: UInt

  /// Creates a set from UIKit's bits; unknown bits are kept.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A finger came down on the control, or Enter or Space was pressed.
  public static let touchDown = ControlEvent(rawValue: 1)
  /// A finger came down again soon after a tap, at about the same point; sent together with `touchDown`.
  public static let touchDownRepeat = ControlEvent(rawValue: 2)
  /// The finger moved, inside or less than `Control.trackingSlop` outside.
  public static let touchDragInside = ControlEvent(rawValue: 4)
  /// The finger moved more than `Control.trackingSlop` outside.
  public static let touchDragOutside = ControlEvent(rawValue: 8)
  /// The finger came back inside; sent together with `touchDragInside`.
  public static let touchDragEnter = ControlEvent(rawValue: 16)
  /// The finger left the inside; sent together with `touchDragOutside`.
  public static let touchDragExit = ControlEvent(rawValue: 32)
  /// The finger was lifted inside, or Enter or Space was released: the usual event for a button's action.
  public static let touchUpInside = ControlEvent(rawValue: 64)
  /// The finger was lifted more than `Control.trackingSlop` outside: the user changed their mind.
  public static let touchUpOutside = ControlEvent(rawValue: 128)
  /// The touch was cancelled, for example by scrolling, or the control was disabled, hidden or removed: no action is
  /// intended.
  public static let touchCancel = ControlEvent(rawValue: 256)
  /// The user changed the control's value, for example a button's selection.
  public static let valueChanged = ControlEvent(rawValue: 4096)
  /// The control's primary action was triggered, by any means; sent together with `touchUpInside`, or by a
  /// `RefreshControl` with `valueChanged`.
  public static let primaryActionTriggered = ControlEvent(rawValue: 8192)
  /// All touch events, from `touchDown` to `touchCancel`.
  public static let allTouchEvents = ControlEvent(rawValue: 0xFFF)
  /// All events.
  public static let allEvents = ControlEvent(rawValue: 0xFFFF_FFFF)
}

/// An action of a control, returned so that the caller can remove the action again.
public final class ControlAction {
  /// The events for which the action is called.
  public let events: ControlEvent
  let perform: (Control) -> Void
  /// True once the action is removed, so that an event in delivery does not call the action any more.
  var isRemoved = false

  init(events: ControlEvent, perform: @escaping (Control) -> Void) {
    self.events = events
    self.perform = perform
  }
}
