import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Control: every press ends once")
struct ControlTrackingTests {
  private let panel = View(frame: Rect(x: 0, y: 0, width: 400, height: 300))
  private let control = Control(frame: Rect(x: 100, y: 100, width: 50, height: 50))
  private let log = ControlLog()
  private let test: TestWindow
  private let inside = Point(x: 120, y: 120)

  init() {
    test = TestWindow(panel)
    panel.addSubview(control)
    log.record(control)
  }

  // MARK: Ends

  @Test(arguments: [
    "disabled", "hidden", "parent hidden", "transparent", "untouchable", "removed", "parent removed",
  ])
  func pressedControlThatBecomesUnusableIsCancelledOnce(how: String) {
    test.press(at: inside)
    switch how {
    case "disabled": control.isEnabled = false
    case "hidden": control.isHidden = true
    case "parent hidden": panel.isHidden = true
    case "transparent": control.alpha = 0
    case "untouchable": panel.isUserInteractionEnabled = false
    case "removed": control.removeFromSuperview()
    default: panel.removeFromSuperview()
    }
    test.move(to: Point(x: 125, y: 125))
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(!control.isHighlighted)
    #expect(!control.isTracking)
    #expect(!control.isTouchInside)
  }

  @Test(arguments: ["disable", "hide", "remove"])
  func actionThatMakesTheControlUnusableCausesOneCancel(how: String) {
    let late = ControlLog()
    control.addAction(for: .touchDown) { control in
      switch how {
      case "disable": control.isEnabled = false
      case "hide": control.isHidden = true
      default: control.removeFromSuperview()
      }
    }
    for event in [ControlEvent.touchDown, .touchCancel, .touchUpInside] {
      control.addAction(for: event) { _ in late.events.append(event) }
    }
    test.press(at: inside)
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(late.events == [.touchDown, .touchCancel], "no action receives the end before the beginning")
  }

  @Test(arguments: ["disable", "hide", "remove", "hide parent", "untouchable"])
  func quickTapIsCancelledIfItsActionMakesTheControlUnusable(how: String) {
    let scrollView = ScrollView(frame: panel.frame)
    scrollView.contentSize = Size(width: 400, height: 3000)
    test.window.addSubview(scrollView)
    scrollView.addSubview(panel)
    control.addAction(for: .touchDown) { [weak panel] control in
      switch how {
      case "disable": control.isEnabled = false
      case "hide": control.isHidden = true
      case "hide parent": panel?.isHidden = true
      case "untouchable": control.isUserInteractionEnabled = false
      default: control.removeFromSuperview()
      }
    }
    test.press(at: inside, finger: 1)
    test.release(finger: 1)
    test.advance(by: 1)

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(!control.isHighlighted)
  }

  @Test func controlMovedByItsCancelActionStaysInItsNewSuperview() {
    let other = View(frame: Rect(x: 0, y: 0, width: 400, height: 300))
    let icon = View()
    let sibling = Label()
    control.addSubview(icon)
    panel.addSubview(sibling)
    test.window.addSubview(other)
    other.isUserInteractionEnabled = false
    control.addAction(for: .touchCancel) { [weak window = test.window, weak panel, weak other] control in
      if let panel, panel.superview == nil { window?.addSubview(panel) } else { other?.addSubview(control) }
    }
    test.press(at: inside)
    panel.removeFromSuperview()
    #expect([panel, control, icon, sibling].allSatisfy { $0.window === test.window })
    other.removeFromSuperview()
    test.window.insertSubview(other, at: 0)
    test.press(at: inside)
    control.removeFromSuperview()

    #expect(log.ends == 2)
    #expect(control.superview === other)
    #expect([control, icon].allSatisfy { $0.window === test.window })
  }

  @Test func controlHiddenDuringAPressCanBePressedAgain() {
    test.press(at: inside)
    control.isHidden = true
    control.isHidden = false
    test.release()
    test.click(at: inside)

    #expect(
      log.events == [.touchDown, .touchCancel, .touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func twoFingersOnOneControlPressItOnce() {
    test.press(at: inside, finger: 1)
    test.press(at: inside, finger: 2)
    test.move(to: Point(x: 130, y: 130), finger: 2)
    test.release(finger: 1)
    #expect(!control.isHighlighted)
    test.release(finger: 2)

    #expect(log.events == [.touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func twoFingersOnTwoControlsPressBoth() {
    let other = Control(frame: Rect(x: 200, y: 100, width: 50, height: 50))
    panel.addSubview(other)

    test.press(at: inside, finger: 1)
    test.press(at: Point(x: 220, y: 120), finger: 2)
    #expect(control.isHighlighted && other.isHighlighted)
    test.release(finger: 1)

    #expect(!control.isHighlighted && other.isHighlighted)
  }

  @Test func onlyThePressedKeyReleasesTheControl() {
    test.window.focus(control)
    test.window.handle(.keyDown(.enter, modifiers: []))
    test.window.handle(.keyUp(.space, modifiers: []))
    #expect(control.isHighlighted)
    #expect(log.ends == 0)

    test.window.handle(.keyUp(.enter, modifiers: []))
    #expect(!control.isHighlighted)
    #expect(log.events == [.touchDown, .touchUpInside, .primaryActionTriggered])
  }

  @Test func fingerAndKeyCannotPressAtTheSameTime() {
    test.window.focus(control)
    test.press(at: inside)
    test.key(.enter)
    #expect(control.isHighlighted)
    test.release()
    test.window.handle(.keyDown(.space, modifiers: []))
    test.click(at: inside)
    #expect(control.isHighlighted)
    test.window.handle(.keyDown(.enter, modifiers: []))
    test.window.handle(.keyUp(.enter, modifiers: []))
    test.window.handle(.keyUp(.space, modifiers: []))

    #expect(log.downs == 2)
    #expect(log.ends == 2)
    #expect(!control.isHighlighted)
  }

  /// Sends thousands of events in a reproducible random order.
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func everyPressEndsExactlyOnce(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    func random(_ count: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % count
    }
    for _ in 0..<4000 {
      let finger = Int64(random(2))
      switch random(14) {
      case 0, 1, 2: test.press(at: inside, finger: finger)
      case 3: test.move(to: Point(x: Double(random(400)), y: Double(random(300))), finger: finger)
      case 4, 5: test.release(finger: finger)
      case 6: test.cancel(finger: finger)
      case 7: control.isEnabled.toggle()
      case 8: control.isHidden.toggle()
      case 9: if control.superview == nil { panel.addSubview(control) } else { control.removeFromSuperview() }
      case 10: test.window.focus(control.window == nil ? nil : control)
      case 11: test.window.handle(.keyDown(.space, modifiers: []))
      case 12: test.window.handle(.keyUp(.space, modifiers: []))
      default: test.window.focus(nil)
      }
      #expect((0...1).contains(log.downs - log.ends))
    }
    control.isEnabled = true
    control.isEnabled = false

    #expect(log.downs > 50)
    #expect(log.downs == log.ends)
  }

  // MARK: Hooks

  private final class Slider: Control {
    var accepts = true
    var continuesTracking = true
    var isDisabledByPress = false
    var isDisabledByMove = false
    var calls: [String] = []
    override func beginTracking(_ touch: Touch) -> Bool {
      calls.append("begin")
      if isDisabledByPress { isEnabled = false }
      return accepts
    }
    override func continueTracking(_ touch: Touch) -> Bool {
      calls.append("continue")
      if isDisabledByMove { isEnabled = false }
      return continuesTracking
    }
    override func endTracking(_ touch: Touch) { calls.append("end") }
    override func cancelTracking() { calls.append("cancel") }
  }

  private func slider() -> Slider {
    let slider = Slider(frame: Rect(x: 200, y: 100, width: 50, height: 50))
    panel.addSubview(slider)
    log.record(slider)
    return slider
  }

  @Test func trackingHooksAreCalledForEachTouch() {
    let slider = slider()
    test.press(at: Point(x: 220, y: 120))
    test.move(to: Point(x: 221, y: 120))
    test.release()
    test.press(at: Point(x: 220, y: 120))
    test.cancel()

    #expect(slider.calls == ["begin", "continue", "end", "begin", "cancel"])
  }

  @Test func rejectedTouchSendsNoEvents() {
    let slider = slider()
    slider.accepts = false
    test.press(at: Point(x: 220, y: 120))
    #expect(!slider.isTracking)
    #expect(!slider.isHighlighted)
    test.release()

    #expect(log.events.isEmpty)
  }

  @Test func beginTrackingThatDisablesTheControlSendsNoEvents() {
    let slider = slider()
    slider.isDisabledByPress = true
    test.press(at: Point(x: 220, y: 120))
    test.release()

    #expect(log.events.isEmpty)
    #expect(slider.calls == ["begin", "cancel"])
    #expect(!slider.isHighlighted)
  }

  @Test func trackingEndedByTheControlIsCancelled() {
    let slider = slider()
    test.press(at: Point(x: 220, y: 120))
    slider.continuesTracking = false
    test.move(to: Point(x: 221, y: 120))
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(slider.calls == ["begin", "continue", "cancel"])
  }

  @Test func continueTrackingThatDisablesTheControlSendsNoDrag() {
    let slider = slider()
    slider.isDisabledByMove = true
    test.press(at: Point(x: 220, y: 120))
    test.move(to: Point(x: 221, y: 120))
    test.release()

    #expect(log.events == [.touchDown, .touchCancel])
    #expect(slider.calls == ["begin", "continue", "cancel"])
  }
}
