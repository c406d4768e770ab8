import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Touches that a scroll view delivers to its content, or keeps.
@Suite("Scroll view: touches of the content", .timeLimit(.minutes(5)))
struct ScrollViewTouchTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let button = Button(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let test: TestWindow
  private let middle = Point(x: 100, y: 50)

  init() { test = TestWindow(scrolling: scrollView, over: button) }

  @Test func touchReachesTheContentAfterADelay() {
    test.press(at: middle)
    test.advance(by: 0.09)
    #expect(!button.isHighlighted)
    test.advance(by: 0.03)

    #expect(button.isHighlighted)
  }

  @Test func flickNeverHighlightsTheContent() {
    var highlights = 0
    button.addAction(for: .touchDown) { _ in highlights += 1 }
    test.drag(from: middle, to: Point(x: 100, y: 0), duration: 0.08)
    test.advance(by: 1)

    #expect(highlights == 0)
  }

  @Test func quickTapHighlightsThenFires() {
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    test.press(at: middle)
    test.advance(by: 0.02)
    test.release()
    #expect(button.isHighlighted)
    #expect(taps == 0)
    test.advance(by: Window.shortestPress + 0.02)

    #expect(!button.isHighlighted)
    #expect(taps == 1)
  }

  @Test func twoQuickTapsFireTwice() {
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    for _ in 0..<2 {
      test.press(at: middle)
      test.advance(by: 0.01)
      test.release()
      test.advance(by: 0.01)
    }
    test.advance(by: 0.2)

    #expect(taps == 2)
  }

  @Test func mousePressIsNotDelayed() {
    test.press(at: middle, finger: InputEvent.mouse)

    #expect(button.isHighlighted)
  }

  @Test func dragCancelsThePress() {
    var events: [String] = []
    button.addAction(for: .touchCancel) { _ in events.append("cancel") }
    button.addAction(for: .touchUpInside) { _ in events.append("up") }
    test.press(at: middle)
    test.advance(by: 0.2)
    #expect(button.isHighlighted)
    test.move(to: Point(x: 100, y: 30))
    test.release()

    #expect(events == ["cancel"])
    #expect(!button.isHighlighted)
  }

  @Test func viewThatDoesNotYieldKeepsItsTouch() {
    button.yieldsTouchesToScrolling = false
    test.press(at: middle)
    test.advance(by: 0.2)
    test.move(to: Point(x: 100, y: 10))

    #expect(!scrollView.isDragging)
    #expect(button.isTracking)
  }

  @Test func immediateDragScrollsEvenOverAViewThatDoesNotYield() {
    button.yieldsTouchesToScrolling = false
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 10))

    #expect(scrollView.isDragging)
    #expect(!button.isTracking)
  }

  @Test func viewRemovedDuringAQuickTapFiresNoAction() {
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    test.press(at: middle)
    test.release()
    button.removeFromSuperview()
    test.advance(by: 1)

    #expect(taps == 0)
    #expect(!button.isHighlighted)
  }
}
