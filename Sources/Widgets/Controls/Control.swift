public import VitrineGraphics

/// A view that can be pressed: it follows one finger, or Enter and Space, and tells its actions.
///
/// ```swift
/// let removal = control.addAction(for: .touchUpInside) { _ in print("pressed") }
/// control.removeAction(removal)
/// ```
///
/// Once a touch has begun inside the bounds, "inside" is `trackingSlop` wider, as in UIKit. A disabled control
/// takes touches and does nothing, so that they do not fall through to what lies behind it.
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
  /// Kept by whoever uses the control; a press does not change it.
  public var isSelected = false { didSet { if isSelected != oldValue { stateDidChange() } } }
  /// True while pressed.
  public var isHighlighted = false { didSet { if isHighlighted != oldValue { stateDidChange() } } }

  /// All that holds at present.
  public var state: ControlState {
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
  private var trackedTouch: Touch?
  private var pressedKey: Key?

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
  public func removeAction(_ action: ControlAction) { actions.removeAll { $0 === action } }

  /// Calls each action that is there for one of `events`, once, whether or not the control is enabled.
  public func sendActions(for events: ControlEvent) {
    for action in actions where !action.events.isDisjoint(with: events) { action.perform(self) }
  }

  // MARK: Touches

  /// Overriders call super.
  open override func touchBegan(_ touch: Touch) {
    guard isEnabled, trackedTouch == nil else { return }
    trackedTouch = touch
    isTouchInside = true
    isHighlighted = true
    sendActions(for: .touchDown)
  }

  /// Overriders call super.
  open override func touchMoved(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let wasInside = isTouchInside
    isTouchInside = isInside(touch)
    isHighlighted = isTouchInside
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
    endTracking()
    sendActions(for: isInside ? [.touchUpInside, .primaryActionTriggered] : .touchUpOutside)
  }

  /// Overriders call super.
  open override func touchCancelled(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    endTracking()
    sendActions(for: .touchCancel)
  }

  private func isInside(_ touch: Touch) -> Bool {
    bounds.inset(by: -Self.trackingSlop).contains(touch.location(in: self))
  }

  private func endTracking() {
    trackedTouch = nil
    isTouchInside = false
    isHighlighted = false
  }

  /// A touch that began ends with `touchCancel`, so that whoever heard of its beginning hears of its end.
  private func cancelPress() {
    pressedKey = nil
    if let trackedTouch { touchCancelled(trackedTouch) } else { isHighlighted = false }
  }

  // MARK: Keys and focus

  /// Enter and Space press the control, until they are released. Overriders call super.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isEnabled, isFocused, modifiers.isEmpty, key == .enter || key == .space else { return false }
    // A key that repeats while it is held presses once.
    if pressedKey == nil {
      pressedKey = key
      isHighlighted = true
    }
    return true
  }

  /// Overriders call super.
  open override func keyUp(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard key == pressedKey else { return false }
    pressedKey = nil
    isHighlighted = isTouchInside
    sendActions(for: [.touchUpInside, .primaryActionTriggered])
    return true
  }

  /// True while the control is enabled.
  open override var canBecomeFocused: Bool { isEnabled }

  /// A key that is held when the focus leaves presses nothing. Overriders call super.
  open override func focusDidChange() {
    if !isFocused, pressedKey != nil {
      pressedKey = nil
      isHighlighted = isTouchInside
    }
    stateDidChange()
  }

  /// Draws the line round a control that has the focus. Overriders call super.
  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    guard let focusColor, isFocused else { return }
    FocusRing(color: focusColor, scale: window?.scale ?? 1)
      .draw(in: bounds, cornerRadius: cornerRadius, into: &list)
  }
}
