import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("Scroll view: long presses", .timeLimit(.minutes(5)))
struct ScrollLongPressTests {
  /// A row of controls that may be pressed for long.
  private final class Strip: ScrollView {
    var pressed: [View] = []

    override func longPressTarget(of touch: Touch) -> View? { touch.view as? Control }
    override func didLongPress(_ view: View) { pressed.append(view) }
  }

  private let strip = Strip(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let control = Control(frame: Rect(x: 0, y: 0, width: 100, height: 100))
  private let test = TestWindow(size: Size(width: 200, height: 100))
  private let place = Point(x: 50, y: 50)

  init() {
    strip.contentSize = Size(width: 1000, height: 100)
    strip.addSubview(control)
    test.window.addSubview(strip)
  }

  @Test func longPressOnAControlSendsNoTap() {
    var events: [String] = []
    control.addAction(for: .touchDown) { _ in events.append("down") }
    control.addAction(for: .touchUpInside) { _ in events.append("tap") }
    control.addAction(for: .touchCancel) { _ in events.append("cancel") }

    test.tap(at: place, holding: 0.6)
    #expect(strip.pressed.map(ObjectIdentifier.init) == [ObjectIdentifier(control)])
    #expect(events == ["down", "cancel"])
    test.tap(at: place)

    #expect(events == ["down", "cancel", "down", "tap"])
    #expect(strip.pressed.count == 1)
  }

  @Test func pressBesideTheControlsIsNone() {
    test.tap(at: Point(x: 150, y: 50), holding: 1)

    #expect(strip.pressed.isEmpty)
  }

  @Test func dragIsNoLongPress() {
    test.press(at: place)
    test.advance(by: 0.2)
    test.move(to: Point(x: 30, y: 50))
    test.advance(by: 1)

    #expect(strip.isDragging)
    #expect(strip.pressed.isEmpty)
  }

  @Test func cancelledAndRemovedViewsAreNotPressed() {
    test.press(at: place)
    strip.cancelLongPress(on: control)
    test.advance(by: 1)
    test.release()
    test.press(at: place)
    control.removeFromSuperview()
    test.advance(by: 1)

    #expect(strip.pressed.isEmpty)
  }

  @Test func scrollViewWithoutTargetsHasNoLongPress() {
    let plain = ScrollView(frame: strip.frame)
    plain.addSubview(control)
    strip.removeFromSuperview()
    test.window.addSubview(plain)
    var taps = 0
    control.addAction(for: .touchUpInside) { _ in taps += 1 }

    test.tap(at: place, holding: 1)

    #expect(taps == 1)
  }
}
