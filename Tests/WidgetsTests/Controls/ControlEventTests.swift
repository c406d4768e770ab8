import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The events of a control: their values, repeated taps and actions.
@Suite("Control: events and actions")
struct ControlEventTests {
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

  // MARK: Values

  @Test func eventValuesMatchUIKit() {
    let values = ControlLog.allEvents.map(\.rawValue)

    #expect(values == [1, 2, 4, 8, 16, 32, 64, 128, 256, 4096, 8192])
    #expect(ControlLog.allEvents.prefix(9).allSatisfy { ControlEvent.allTouchEvents.contains($0) })
    #expect(!ControlEvent.allTouchEvents.contains(.valueChanged))
  }

  // MARK: Repeated taps

  @Test func quickSecondTapNearbyIsARepeat() {
    test.click(at: inside)
    test.advance(by: 0.2)
    test.click(at: Point(x: inside.x + 10, y: inside.y))

    #expect(
      log.events == [
        .touchDown, .touchUpInside, .primaryActionTriggered, .touchDown, .touchDownRepeat, .touchUpInside,
        .primaryActionTriggered,
      ])
  }

  @Test func tapAtTheEndOfTheIntervalIsARepeat() {
    test.click(at: inside)
    test.advance(by: Window.tapInterval)
    test.click(at: inside)

    #expect(log.events.contains(.touchDownRepeat))
  }

  @Test(arguments: ["late", "far", "other tool", "other view", "gone astray", "taken away"])
  func unrelatedTapIsNotARepeat(how: String) {
    let other = Control(frame: Rect(x: 150, y: 100, width: 50, height: 50))
    panel.addSubview(other)
    let edge = Point(x: 149, y: 120)
    switch how {
    case "gone astray":
      test.press(at: edge, finger: InputEvent.mouse)
      test.move(to: Point(x: 149, y: 180), finger: InputEvent.mouse)
      test.release(finger: InputEvent.mouse)
    case "taken away":
      test.press(at: edge, finger: InputEvent.mouse)
      test.cancel(finger: InputEvent.mouse)
    case "other view": test.click(at: Point(x: 151, y: 120))
    default: test.click(at: edge)
    }
    log.events = []
    test.advance(by: how == "late" ? 0.4 : 0.1)
    switch how {
    case "far": test.click(at: Point(x: 110, y: 120))
    case "other tool": test.press(at: edge)
    default: test.click(at: edge)
    }

    #expect(log.downs == 1)
    #expect(!log.events.contains(.touchDownRepeat))
  }

  @Test func tapCountIncreasesAndResetsAfterAPause() {
    var counts: [Int] = []
    final class Counter: View {
      var received: (Int) -> Void = { _ in }
      override func touchBegan(_ touch: Touch) { received(touch.tapCount) }
    }
    let counter = Counter(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    counter.received = { counts.append($0) }
    panel.addSubview(counter)

    for _ in 0..<3 { test.click(at: Point(x: 20, y: 20)) }
    test.advance(by: 1)
    test.click(at: Point(x: 20, y: 20))

    #expect(counts == [1, 2, 3, 1])
  }

  // MARK: Actions

  @Test func actionsAreCalledInTheOrderOfAddition() {
    var order: [Int] = []
    for number in 0..<5 { control.addAction(for: .valueChanged) { _ in order.append(number) } }

    control.sendActions(for: .valueChanged)

    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func actionRemovedByAnEarlierActionIsNotCalled() {
    var second: ControlAction?
    var count = 0
    control.addAction(for: .valueChanged) { control in second.map(control.removeAction) }
    second = control.addAction(for: .valueChanged) { _ in count += 1 }

    control.sendActions(for: .valueChanged)

    #expect(count == 0)
  }

  @Test func actionAddedDuringAnEventRunsFromTheNextEventOn() {
    var count = 0
    let adding = control.addAction(for: .valueChanged) { control in
      control.addAction(for: .valueChanged) { _ in count += 1 }
    }

    control.sendActions(for: .valueChanged)
    #expect(count == 0)
    control.removeAction(adding)
    control.sendActions(for: .valueChanged)
    #expect(count == 1)
  }

  @Test func nestedEventIsSentAfterAllActionsOfTheCurrentEvent() {
    var received: [String] = []
    control.addAction(for: .valueChanged) { control in
      received.append("first")
      control.sendActions(for: .primaryActionTriggered)
    }
    control.addAction(for: .primaryActionTriggered) { _ in received.append("sent") }
    control.addAction(for: .valueChanged) { _ in received.append("second") }

    control.sendActions(for: .valueChanged)

    #expect(received == ["first", "second", "sent"])
  }

  @Test func allControlEventsListsTheEventsWithActions() {
    let fresh = Control()
    #expect(fresh.allControlEvents == [])
    let action = fresh.addAction(for: [.touchDown, .valueChanged]) { _ in }
    #expect(fresh.allControlEvents == [.touchDown, .valueChanged])
    fresh.removeAction(action)
    #expect(fresh.allControlEvents == [])
  }

  @Test func performPrimaryActionSendsEventsWithoutAPress() {
    control.performPrimaryAction()

    #expect(log.events == [.touchUpInside, .primaryActionTriggered])
    #expect(!control.isHighlighted)
  }

  @Test func subclassCanAddItsOwnStates() {
    final class Alarm: Control {
      override var state: ControlState { super.state.union(ControlState(rawValue: 0x0001_0000)) }
    }

    let state = Alarm().state

    #expect(state == ControlState(rawValue: 0x0001_0000))
    #expect(ControlState.application.contains(state))
  }
}
