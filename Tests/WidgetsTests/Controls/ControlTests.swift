import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Control")
struct ControlTests {
  /// Records the events that a control sends.
  private final class Log {
    var events: [ControlEvent] = []
  }

  private static let all: [ControlEvent] = [
    .touchDown, .touchDownRepeat, .touchDragInside, .touchDragOutside, .touchDragEnter, .touchDragExit,
    .touchUpInside,
    .touchUpOutside, .touchCancel, .primaryActionTriggered,
  ]

  private let control = Control(frame: Rect(x: 100, y: 100, width: 50, height: 50))
  private let log = Log()
  private let test: TestWindow
  private let inside = Point(x: 120, y: 120)

  init() {
    test = TestWindow(control)
    for event in Self.all {
      control.addAction(for: event) { [log] _ in log.events.append(event) }
    }
  }

  @Test func stateValuesMatchUIKit() {
    #expect(ControlState.highlighted.rawValue == 1)
    #expect(ControlState.disabled.rawValue == 2)
    #expect(ControlState.selected.rawValue == 4)
    #expect(ControlState.focused.rawValue == 8)
  }

  @Test func stateCombinesAllActiveStates() {
    control.isSelected = true
    control.isHighlighted = true
    test.window.focus(control)
    #expect(control.state == [.selected, .highlighted, .focused])

    control.isEnabled = false
    #expect(control.state.contains(.disabled))
  }

  @Test func pressSendsTouchDownAndTouchUpInside() {
    test.press(at: inside)
    #expect(control.isHighlighted)
    test.release()

    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func trackingBoundsAreSeventyPointsWider() {
    test.press(at: inside)
    test.move(to: Point(x: 150 + 69, y: 120))
    #expect(control.isHighlighted)
    test.move(to: Point(x: 150 + 71, y: 120))
    #expect(!control.isHighlighted)
    test.move(to: Point(x: 150 + 69, y: 120))
    #expect(control.isHighlighted)
    test.release()

    #expect(
      log.events == [
        .touchDown, .touchDragInside, .touchDragOutside, .touchDragExit, .touchDragInside,
        .touchDragEnter, .touchUpInside, .primaryActionTriggered,
      ])
  }

  @Test func touchOutsideTheBoundsDoesNotBeginTracking() {
    test.press(at: Point(x: 160, y: 120))
    test.release()

    #expect(log.events.isEmpty)
  }

  @Test func releaseOutsideSendsTouchUpOutside() {
    test.press(at: inside)
    test.move(to: Point(x: 399, y: 20))
    log.events = []
    test.release()

    #expect(log.events == [.touchUpOutside])
  }

  @Test func cancelledTouchSendsNoTouchUp() {
    test.press(at: inside)
    test.cancel()
    test.cancel()

    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchCancel])
  }

  @Test func secondFingerIsIgnored() {
    test.press(at: inside, finger: 1)
    test.press(at: inside, finger: 2)
    test.release(finger: 2)
    #expect(control.isTracking)
    test.release(finger: 1)

    #expect(log.events == [.touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func highlightEndsBeforeTheActionRuns() {
    var wasHighlighted = true
    control.addAction(for: .touchUpInside) { wasHighlighted = $0.isHighlighted }
    test.press(at: inside)
    test.release()

    #expect(!wasHighlighted)
  }

  @Test func disabledControlSwallowsTouches() {
    let behind = Control(frame: control.frame)
    var isReached = false
    behind.addAction(for: .touchDown) { _ in isReached = true }
    test.window.insertSubview(behind, at: 0)
    control.isEnabled = false

    test.press(at: inside)
    test.release()

    #expect(log.events.isEmpty)
    #expect(!isReached)
    #expect(!control.isHighlighted)
  }

  @Test func disablingWhilePressedCancelsThePress() {
    test.press(at: inside)
    control.isEnabled = false
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(control.state == .disabled)
  }

  @Test func removalFromTheWindowCancelsThePress() {
    test.press(at: inside)
    control.removeFromSuperview()
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(!control.isHighlighted)
  }

  @Test func removedActionsAreNotCalled() {
    var count = 0
    let action = control.addAction(for: .touchDown) { _ in count += 1 }
    control.removeAction(action)
    control.removeAction(action)

    control.sendActions(for: .touchDown)

    #expect(count == 0)
  }

  @Test func actionForSimultaneousEventsRunsOnce() {
    var count = 0
    control.addAction(for: [.touchUpInside, .primaryActionTriggered]) { _ in count += 1 }

    test.press(at: inside)
    test.release()

    #expect(count == 1)
  }

  @Test(arguments: [Key.enter, .space])
  func keysPressAndReleaseTheControl(key: Key) {
    test.key(.tab)
    #expect(control.isFocused)

    test.window.handle(.keyDown(key, modifiers: []))
    test.window.handle(.keyDown(key, modifiers: []))
    #expect(control.isHighlighted)
    #expect(log.events == [.touchDown])
    test.window.handle(.keyUp(key, modifiers: []))

    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func losingTheFocusCancelsAKeyPress() {
    test.window.focus(control)
    test.window.handle(.keyDown(.space, modifiers: []))
    test.window.focus(nil)
    test.window.handle(.keyUp(.space, modifiers: []))

    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchCancel])
  }

  @Test(arguments: ["hidden", "parent hidden", "transparent", "untouchable"])
  func invisibleOrUnusableControlReceivesNoKeys(how: String) {
    let panel = View(frame: test.window.bounds)
    test.window.addSubview(panel)
    panel.addSubview(control)
    test.window.focus(control)
    test.window.handle(.keyDown(.enter, modifiers: []))

    switch how {
    case "hidden": control.isHidden = true
    case "parent hidden": panel.isHidden = true
    case "transparent": panel.alpha = 0
    default: panel.isUserInteractionEnabled = false
    }
    test.window.handle(.keyUp(.enter, modifiers: []))
    test.key(.enter)

    #expect(!control.isFocused)
    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchCancel])
  }

  @Test func tabSkipsDisabledAndHiddenControls() {
    let second = Control(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    let third = Control(frame: Rect(x: 20, y: 0, width: 10, height: 10))
    let fourth = Control(frame: Rect(x: 40, y: 0, width: 10, height: 10))
    for view in [second, third, fourth] { test.window.addSubview(view) }
    second.isEnabled = false
    third.isHidden = true

    test.key(.tab)
    test.key(.tab)
    #expect(test.window.focusedView === fourth)
    test.key(.tab)
    #expect(test.window.focusedView === control)
    test.key(.tab, modifiers: .shift)
    #expect(test.window.focusedView === fourth)
  }

  @Test(arguments: [0.0, 8]) func focusRingLiesInsideTheBounds(cornerRadius: Double) throws {
    let color = try #require(control.focusColor)
    control.cornerRadius = cornerRadius
    func rings() -> [DrawList.Command] {
      test.drawList.commands.filter { if case .border = $0 { true } else { false } }
    }
    #expect(rings().isEmpty)

    test.window.focus(control)

    #expect(rings().last == .border(control.frame, width: 2, color: color, cornerRadius: cornerRadius))
    guard case .border(let inner, 1, _, let radius)? = rings().first else {
      Issue.record("no dark band inside")
      return
    }
    #expect(inner == control.frame.inset(by: 2))
    #expect(radius == max(0, cornerRadius - 2))
  }
}
