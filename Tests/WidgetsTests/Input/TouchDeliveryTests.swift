import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The calls that a view receives for a touch that is delayed, cancelled or lost.
@Suite("Touches: delayed, cancelled and lost")
struct TouchDeliveryTests {
  /// Records each call with the touch's phase at that time.
  private final class Recorder: View {
    var received: [String] = []
    var onBeginning: (() -> Void)?

    override func touchBegan(_ touch: Touch) {
      received.append("began \(touch.phase)")
      onBeginning?()
    }
    override func touchMoved(_ touch: Touch) { received.append("moved \(touch.phase)") }
    override func touchEnded(_ touch: Touch) { received.append("ended \(touch.phase)") }
    override func touchCancelled(_ touch: Touch) { received.append("cancelled \(touch.phase)") }
  }

  private let test = TestWindow(size: Size(width: 400, height: 300))
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 300))
  private let inner = Recorder(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let outer = Recorder(frame: Rect(x: 200, y: 0, width: 200, height: 300))
  private let inside = Point(x: 50, y: 50)

  init() {
    scrollView.contentSize = Size(width: 200, height: 1000)
    scrollView.addSubview(inner)
    test.window.addSubview(scrollView)
    test.window.addSubview(outer)
    test.draw()
  }

  private func touch(_ phase: TouchPhase, _ location: Point, id: Int64 = 7) {
    test.window.handle(.touch(id: id, phase: phase, location: location))
  }

  @Test func quickTapReportsThePhaseOfEachCall() {
    touch(.began, inside)
    touch(.ended, inside)
    #expect(inner.received == ["began began"])

    test.advance(by: 0.2)

    #expect(inner.received == ["began began", "ended ended"])
  }

  @Test func longerTouchReportsThePhaseOfEachCall() {
    touch(.began, inside)
    touch(.moved, Point(x: 51, y: 51))
    #expect(inner.received.isEmpty)

    test.advance(by: 0.2)
    touch(.moved, Point(x: 52, y: 52))
    touch(.ended, Point(x: 52, y: 52))

    #expect(inner.received == ["began began", "moved moved", "ended ended"])
  }

  @Test func touchCancelledBeforeDeliveryIsNotDelivered() {
    touch(.began, inside)
    touch(.cancelled, inside)
    test.draw()
    #expect(test.window.isIdle)
    test.advance(by: 1)

    #expect(inner.received.isEmpty)
  }

  @Test func dragThatScrollsAtOnceIsNotDelivered() {
    touch(.began, inside)
    touch(.moved, Point(x: 50, y: 20))
    #expect(scrollView.isDragging)
    touch(.ended, Point(x: 50, y: 20))
    test.advance(by: 1)

    #expect(inner.received.isEmpty)
  }

  @Test func secondTouchOfAnUnendedFingerCancelsTheFirst() {
    let first = Point(x: 250, y: 50)
    touch(.began, first)
    touch(.began, Point(x: 260, y: 60))
    touch(.ended, Point(x: 260, y: 60))

    #expect(outer.received == ["began began", "cancelled cancelled", "began began", "ended ended"])
  }

  @Test func quickTapOnARemovedViewLeavesTheWindowIdle() {
    inner.onBeginning = { [inner] in inner.removeFromSuperview() }
    touch(.began, inside)
    touch(.ended, inside)
    test.draw()

    #expect(inner.received == ["began began", "cancelled cancelled"])
    #expect(test.window.isIdle)
  }

  @Test func scrollViewHiddenDuringADragCanBeDraggedLater() {
    touch(.began, inside)
    touch(.moved, Point(x: 50, y: 20))
    scrollView.isHidden = true
    #expect(!scrollView.isDragging)
    touch(.ended, Point(x: 50, y: 20))
    scrollView.isHidden = false
    touch(.began, inside)
    touch(.moved, Point(x: 50, y: 20))

    #expect(scrollView.isDragging)
  }

  @Test func viewRemovedFromTheWindowLosesTheFocus() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 80, height: 40))
    test.window.addSubview(button)
    test.window.focus(button)

    button.removeFromSuperview()
    #expect(test.window.focusedView == nil)

    test.window.addSubview(button)
    #expect(!button.isFocused)
  }
}
