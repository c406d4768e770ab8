public import VitrineGraphics

/// A view that can be pressed: it follows one finger, or Enter and Space, and tells its actions.
///
/// ```swift
/// let removal = control.addAction(for: .touchUpInside) { _ in print("pressed") }
/// control.removeAction(removal)
/// ```
///
/// Once a touch has begun inside the bounds, "inside" is `trackingSlop` wider, as in UIKit. One finger or one key
/// presses at a time; others are ignored until it is lifted. Each `touchDown` is followed by exactly one of
/// `touchUpInside`, `touchUpOutside` and `touchCancel`, which also comes where the control is disabled, hidden or
/// removed while pressed. A disabled control takes touches and does nothing, so that they do not fall through to
/// what lies behind it.
open class Control: View {
  /// How far outside the bounds a finger that began inside still counts as inside, in points.
  public static let trackingSlop = 70.0

  /// True by default. A press under way is cancelled when it becomes false.
  public var isEnabled = true {
    didSet {
      guard isEnabled != oldValue else { return }
      if !isEnabled { cancelPress() }
      stateDidChange()
    }
  }
  /// Kept by whoever uses the control; a press does not change it, but for buttons that say so.
  public var isSelected = false { didSet { if isSelected != oldValue { stateDidChange() } } }
  /// True while pressed.
  public var isHighlighted = false { didSet { if isHighlighted != oldValue { stateDidChange() } } }

  /// All that holds at present. Overriders add states of their own to what super says, as
  /// `ControlState.application`, and call `stateDidChange()` when one of them changes.
  open var state: ControlState {
    var state = ControlState.normal
    if isHighlighted { state.insert(.highlighted) }
    if !isEnabled { state.insert(.disabled) }
    if isSelected { state.insert(.selected) }
    if isFocused { state.insert(.focused) }
    return state
  }

  /// Colour of the line round a control that has the focus; nil draws none.
  public var focusColor: Color? = FocusRing.standardColor {
    didSet { if focusColor != oldValue, isFocused { setNeedsDisplay() } }
  }

  /// Whether a finger that began here is still down.
  public var isTracking: Bool { trackedTouch != nil }
  /// Whether that finger is inside.
  public private(set) var isTouchInside = false

  private var actions: [ControlAction] = []
  /// Events that are yet to be heard of; the first is being told.
  private var unsent: [ControlEvent] = []
  private var press: Press?
  /// Whether `touchDown` has been sent for it, so that its end is to be told too.
  private var isPressTold = false

  /// What presses the control: one thing at a time, whatever else comes down on it.
  private enum Press {
    case touch(Touch)
    case key(Key)
  }

  private var trackedTouch: Touch? {
    if case .touch(let touch) = press { touch } else { nil }
  }

  /// Called when `state` has changed; draws again. Overriders call super.
  open func stateDidChange() { setNeedsDisplay() }

  // MARK: Actions

  /// Calls `action` for any of `events`, after the actions added before.
  @discardableResult
  public func addAction(
    for events: ControlEvent, _ action: @escaping (Control) -> Void
  ) -> ControlAction {
    let added = ControlAction(events: events, perform: action)
    actions.append(added)
    return added
  }

  /// Ends the calls; does nothing the second time.
  public func removeAction(_ action: ControlAction) {
    guard let index = actions.firstIndex(where: { $0 === action }) else { return }
    actions.remove(at: index).isRemoved = true
  }

  /// The events that some action is there for.
  public var allControlEvents: ControlEvent { actions.reduce(into: []) { $0.formUnion($1.events) } }

  /// Calls each action that is there for one of `events`, once, whether or not the control is enabled. What an action
  /// sends in turn is heard after all have heard of this, so that nobody hears of an end before its beginning; an
  /// action that is removed meanwhile is not called.
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

  /// Acts as a press does, without one: what the control is there for happens, even where it is disabled.
  public func performPrimaryAction() { sendActions(for: primaryEvents()) }

  /// Changes what a press changes, and says what to tell then. Overriders change their value and add to what super says.
  func primaryEvents() -> ControlEvent { [.touchUpInside, .primaryActionTriggered] }

  // MARK: Tracking

  /// A touch begins, before `touchDown` is sent; false lets it mean nothing. True by default.
  open func beginTracking(_ touch: Touch) -> Bool { true }
  /// The touch moved, before that is sent; false ends it with `touchCancel`. True by default.
  open func continueTracking(_ touch: Touch) -> Bool { true }
  /// The touch was lifted, before that is sent. By default nothing.
  open func endTracking(_ touch: Touch) {}
  /// The touch was taken away, before `touchCancel` is sent. By default nothing.
  open func cancelTracking() {}

  /// Overriders call super.
  open override func touchBegan(_ touch: Touch) {
    guard isEnabled, press == nil else { return }
    press = .touch(touch)
    isTouchInside = true
    isHighlighted = true
    guard beginTracking(touch) else { return stopTracking() }
    // The hook may have disabled the control.
    guard touch === trackedTouch else { return }
    isPressTold = true
    sendActions(for: touch.tapCount > 1 ? [.touchDown, .touchDownRepeat] : .touchDown)
  }

  /// Overriders call super.
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

  /// Overriders call super.
  open override func touchEnded(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let isInside = isInside(touch)
    stopTracking()
    endTracking(touch)
    sendActions(for: isInside ? primaryEvents() : .touchUpOutside)
  }

  /// Overriders call super.
  open override func touchCancelled(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let isTold = isPressTold
    stopTracking()
    cancelTracking()
    if isTold { sendActions(for: .touchCancel) }
  }

  private func isInside(_ touch: Touch) -> Bool {
    bounds.inset(by: -Self.trackingSlop).contains(touch.location(in: self))
  }

  private func stopTracking() {
    press = nil
    isPressTold = false
    isTouchInside = false
    isHighlighted = false
  }

  /// A press that began ends with `touchCancel`, so that whoever heard of its beginning hears of its end.
  private func cancelPress() {
    switch press {
    case .touch(let touch): touchCancelled(touch)
    case .key:
      let isTold = isPressTold
      stopTracking()
      if isTold { sendActions(for: .touchCancel) }
    case nil: isHighlighted = false
    }
  }

  // MARK: Keys and focus

  /// Enter and Space press the control, until they are released. Overriders call super.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isEnabled, isFocused, modifiers.isEmpty, key == .enter || key == .space else { return false }
    // A key that repeats while it is held presses once, and none does while a finger or another key presses.
    if press == nil {
      press = .key(key)
      isHighlighted = true
      // A subclass may have disabled the control at that.
      guard press != nil else { return true }
      isPressTold = true
      sendActions(for: .touchDown)
    }
    return true
  }

  /// Overriders call super.
  open override func keyUp(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard case .key(key) = press else { return false }
    stopTracking()
    sendActions(for: primaryEvents())
    return true
  }

  /// `control`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.control) }
    set { super.accessibilityRole = newValue }
  }
  /// What `state` says.
  open override var accessibilityStates: AccessibilityStates {
    super.accessibilityStates.union(AccessibilityStates(state))
  }

  /// True while the control is enabled.
  open override var canBecomeFocused: Bool { isEnabled }

  /// A key that is held when the focus leaves presses nothing: `touchCancel` is sent. Overriders call super.
  open override func focusDidChange() {
    if !isFocused, case .key = press { cancelPress() }
    stateDidChange()
  }

  /// Draws the line round a control that has the focus. Overriders call super.
  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    guard let focusColor, state.contains(.focused) else { return }
    FocusRing(color: focusColor, scale: window?.scale ?? 1)
      .draw(in: bounds, cornerRadius: cornerRadius, into: &list)
  }
}
