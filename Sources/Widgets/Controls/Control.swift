public import VitrineGraphics

/// A view that can be pressed by one finger, or by Enter or Space, and calls its actions.
///
/// ```swift
/// let removal = control.addAction(for: .touchUpInside) { _ in print("pressed") }
/// control.removeAction(removal)
/// ```
///
/// Once a touch has begun inside the bounds, the area that counts as inside is `trackingSlop` wider on each side, as in
/// UIKit. Only one finger or key presses the control at a time; others are ignored until its release. Each `touchDown`
/// is followed by exactly one of `touchUpInside`, `touchUpOutside` and `touchCancel`; the last is also sent if the
/// control is disabled, hidden or removed while pressed. A disabled control receives touches and ignores them, so that
/// they do not reach views behind it.
open class Control: View {
  /// The distance outside the bounds at which a finger that began inside still counts as inside, in points. For
  /// controls that track a touch themselves.
  public static let trackingSlop = 70.0

  /// True if the control reacts to touches and keys; true by default. Setting false cancels a running press.
  public var isEnabled = true {
    didSet {
      guard isEnabled != oldValue else { return }
      if !isEnabled { cancelPress() }
      stateDidChange()
    }
  }
  /// True if the control is selected. Set by the application; a press changes only buttons with
  /// `Button.changesSelectionAsPrimaryAction`.
  public var isSelected = false { didSet { if isSelected != oldValue { stateDidChange() } } }
  /// True while the control is pressed.
  public var isHighlighted = false { didSet { if isHighlighted != oldValue { stateDidChange() } } }

  /// The current state. Overrides add their own states, from `ControlState.application`, to the value of super and call
  /// `stateDidChange()` when one of them changes.
  open var state: ControlState {
    var state = ControlState.normal
    if isHighlighted { state.insert(.highlighted) }
    if !isEnabled { state.insert(.disabled) }
    if isSelected { state.insert(.selected) }
    if isFocused { state.insert(.focused) }
    return state
  }

  /// The color of the outline of a focused control, a light blue by default; `nil` draws none.
  public var focusColor: Color? = FocusRing.standardColor {
    didSet { if focusColor != oldValue, isFocused { setNeedsDisplay() } }
  }

  /// True while a finger that began on this control is down.
  public var isTracking: Bool { trackedTouch != nil }
  /// True while the tracked finger is inside, or less than `trackingSlop` outside.
  public private(set) var isTouchInside = false

  private var actions: [ControlAction] = []
  /// The events that are yet to be sent; the first is being sent.
  private var unsent: [ControlEvent] = []
  private var press: Press?
  /// True if `touchDown` has been sent for the press, so that its end must be sent too.
  private var isTouchDownSent = false

  /// The finger or key that presses the control.
  private enum Press {
    case touch(Touch)
    case key(Key)
  }

  private var trackedTouch: Touch? {
    if case .touch(let touch) = press { touch } else { nil }
  }

  /// Called when `state` has changed. Redraws the control; overrides call super.
  open func stateDidChange() { setNeedsDisplay() }

  // MARK: Actions

  /// Adds an action for any of `events`, called after the existing actions. The control retains the action.
  @discardableResult
  public func addAction(
    for events: ControlEvent, _ action: @escaping (Control) -> Void
  ) -> ControlAction {
    let added = ControlAction(events: events, perform: action)
    actions.append(added)
    return added
  }

  /// Removes an action; does nothing if the action is already removed.
  public func removeAction(_ action: ControlAction) {
    guard let index = actions.firstIndex(where: { $0 === action }) else { return }
    actions.remove(at: index).isRemoved = true
  }

  /// The union of the events of all actions.
  public var allControlEvents: ControlEvent { actions.reduce(into: []) { $0.formUnion($1.events) } }

  /// Calls each action for one of `events` once, also if the control is disabled.
  ///
  /// Events that an action sends are delivered after all actions have been called for the current events, so that no
  /// action sees an end before its beginning. An action removed meanwhile is not called.
  public func sendActions(for events: ControlEvent) {
    unsent.append(events)
    guard unsent.count == 1 else { return }
    while let events = unsent.first {
      for action in actions where !action.events.isDisjoint(with: events) && !action.isRemoved {
        action.perform(self)
      }
      unsent.removeFirst()
    }
  }

  /// Performs the effect of a press, also if the control is disabled.
  public func performPrimaryAction() { sendActions(for: applyPrimaryAction()) }

  /// Applies the change that a press makes and returns the events to send. Overrides change their value and add events
  /// to those of super.
  func applyPrimaryAction() -> ControlEvent { [.touchUpInside, .primaryActionTriggered] }

  // MARK: Tracking

  /// Called when a touch begins, before `touchDown` is sent. Returns false to ignore the touch. True by default.
  open func beginTracking(_ touch: Touch) -> Bool { true }
  /// Called when the touch has moved, before events are sent. Returns false to end the touch with `touchCancel`. True
  /// by default.
  open func continueTracking(_ touch: Touch) -> Bool { true }
  /// Called when the finger was lifted, before events are sent. By default does nothing.
  open func endTracking(_ touch: Touch) {}
  /// Called when the touch was cancelled, before `touchCancel` is sent. By default does nothing.
  open func cancelTracking() {}

  /// Starts to track the touch, unless the control is disabled or pressed already. Overrides call super.
  open override func touchBegan(_ touch: Touch) {
    guard isEnabled, press == nil else { return }
    press = .touch(touch)
    isTouchInside = true
    isHighlighted = true
    guard beginTracking(touch) else { return stopTracking() }
    // Re-entrancy: `beginTracking` or an observer of the state may have disabled the control.
    guard touch === trackedTouch else { return }
    isTouchDownSent = true
    sendActions(for: touch.tapCount > 1 ? [.touchDown, .touchDownRepeat] : .touchDown)
  }

  /// Tracks the touch and sends the drag events. Overrides call super.
  open override func touchMoved(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let wasInside = isTouchInside
    isTouchInside = isInside(touch)
    isHighlighted = isTouchInside
    guard continueTracking(touch) else { return touchCancelled(touch) }
    guard touch === trackedTouch else { return }
    switch (wasInside, isTouchInside) {
    case (true, true): sendActions(for: .touchDragInside)
    case (false, true): sendActions(for: [.touchDragInside, .touchDragEnter])
    case (true, false): sendActions(for: [.touchDragOutside, .touchDragExit])
    case (false, false): sendActions(for: .touchDragOutside)
    }
  }

  /// Ends the tracking and sends `touchUpInside` or `touchUpOutside`. Overrides call super.
  open override func touchEnded(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let isInside = isInside(touch)
    stopTracking()
    endTracking(touch)
    sendActions(for: isInside ? applyPrimaryAction() : .touchUpOutside)
  }

  /// Ends the tracking and sends `touchCancel`. Overrides call super.
  open override func touchCancelled(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let wasTouchDownSent = isTouchDownSent
    stopTracking()
    cancelTracking()
    if wasTouchDownSent { sendActions(for: .touchCancel) }
  }

  private func isInside(_ touch: Touch) -> Bool {
    bounds.inset(by: -Self.trackingSlop).contains(touch.location(in: self))
  }

  private func stopTracking() {
    press = nil
    isTouchDownSent = false
    isTouchInside = false
    isHighlighted = false
  }

  /// Ends the current press. Sends `touchCancel` if `touchDown` was sent, so that each beginning has an end.
  private func cancelPress() {
    switch press {
    case .touch(let touch): touchCancelled(touch)
    case .key:
      let wasTouchDownSent = isTouchDownSent
      stopTracking()
      if wasTouchDownSent { sendActions(for: .touchCancel) }
    case nil: isHighlighted = false
    }
  }

  // MARK: Keys and focus

  /// Presses the control with Enter or Space until the key is released. Overrides call super.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isEnabled, isFocused, modifiers.isEmpty, key == .enter || key == .space else { return false }
    // The repeats of a held key press the control only once. A key is ignored while a finger or another key presses the
    // control.
    if press == nil {
      press = .key(key)
      isHighlighted = true
      // Re-entrancy: a subclass may have disabled the control in `stateDidChange()`.
      guard press != nil else { return true }
      isTouchDownSent = true
      sendActions(for: .touchDown)
    }
    return true
  }

  /// Ends the press by this key and sends `touchUpInside`. Overrides call super.
  open override func keyUp(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard case .key(key) = press else { return false }
    stopTracking()
    sendActions(for: applyPrimaryAction())
    return true
  }

  /// The role `.control`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.control) }
    set { super.accessibilityRole = newValue }
  }
  /// The states of super, and the control's `state`.
  open override var accessibilityStates: AccessibilityStates {
    super.accessibilityStates.union(AccessibilityStates(state))
  }

  /// True if the control is enabled.
  open override var canBecomeFocused: Bool { isEnabled }

  /// Cancels a press by a key when the focus leaves; `touchCancel` is sent. Overrides call super.
  open override func focusDidChange() {
    if !isFocused, case .key = press { cancelPress() }
    stateDidChange()
  }

  /// Draws the outline of a focused control. Overrides call super.
  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    guard let focusColor, state.contains(.focused) else { return }
    FocusRing(color: focusColor, scale: window?.scale ?? 1)
      .draw(in: bounds, cornerRadius: cornerRadius, into: &list)
  }
}
