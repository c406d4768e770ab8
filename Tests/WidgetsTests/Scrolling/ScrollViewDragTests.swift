import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Drags, flicks and the springs at the ends of the content.
@Suite("Scroll view: drags", .timeLimit(.minutes(5)))
struct ScrollViewDragTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let button = Button(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let test: TestWindow
  private let middle = Point(x: 100, y: 50)

  init() { test = TestWindow(scrolling: scrollView, over: button) }

  private var offset: Double { scrollView.contentOffset.y }

  @Test func dragBeginsAfterTenPoints() {
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 41))
    #expect(!scrollView.isDragging)
    test.move(to: Point(x: 100, y: 40))
    #expect(scrollView.isDragging)
    #expect(offset == 0)
    test.move(to: Point(x: 100, y: 15))

    #expect(offset == 25)
  }

  @Test func restBeforeLiftingTheFingerPreventsAFlick() {
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 40))
    test.move(to: Point(x: 100, y: 10))
    test.advance(by: 0.2)
    test.release()
    test.advanceUntilIdle()

    #expect(offset == 30)
  }

  @Test func flickDeceleratesToRest() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    let released = offset
    #expect(scrollView.isScrolling)
    test.advance(by: 0.1)
    let soon = offset
    #expect(test.advanceUntilIdle(limit: 10))

    #expect(soon > released + 50)
    // A flick of 1000 points per second travels another 500.
    #expect(abs(offset - (released + 500)) < 30)
  }

  @Test func flickPositionDoesNotDependOnTheFrameRate() {
    func offset(interval: Double) -> Double {
      test.window.frameInterval = 1.0 / 60
      scrollView.contentOffset = .zero
      test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
      test.window.frameInterval = interval
      test.advance(by: 0.5)
      let end = test.now
      _ = scrollView.frame(at: end)
      return scrollView.contentOffset.y
    }

    #expect(abs(offset(interval: 1.0 / 60) - offset(interval: 1.0 / 7)) <= 1)
  }

  @Test func contentPulledPastItsEndRubberBandsAndSpringsBack() {
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 60))
    test.move(to: Point(x: 100, y: 160))
    // The content is pulled by 100 points in a view of 200.
    #expect(offset == -(RubberBand.shown(100, length: 200)).rounded())
    test.advance(by: 0.2)
    test.release()
    #expect(test.advanceUntilIdle(limit: 5))

    #expect(offset == 0)
  }

  @Test func contentWithoutBouncingStopsAtItsEnd() {
    scrollView.bounces = false
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 60))
    test.move(to: Point(x: 100, y: 160))

    #expect(offset == 0)
  }

  @Test func flickIntoTheEndBouncesBack() {
    scrollView.contentOffset.y = 1700
    var highest = 0.0
    scrollView.onScroll = { highest = max(highest, $0.contentOffset.y) }
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 130), duration: 0.05)
    #expect(test.advanceUntilIdle(limit: 5))

    #expect(highest > 1805)
    #expect(offset == 1800)
  }

  @Test func touchStopsAFlickAndIsNotATap() {
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    button.frame.size.height = 2000
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    test.advance(by: 0.1)
    let caught = offset
    test.tap(at: middle)
    test.advanceUntilIdle()

    #expect(taps == 0)
    #expect(abs(offset - caught) < 20)
    test.tap(at: middle)
    #expect(taps == 1)
  }

  @Test func fingerHoldingCaughtContentStillRunsNoFrames() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    test.advance(by: 0.1)
    test.press(at: middle)
    test.advance(by: 0.1)
    let before = test.framesRun
    test.advance(by: 5)

    #expect(scrollView.isDragging)
    #expect(test.framesRun == before)
  }

  @Test func contentThatFitsCannotBeDragged() {
    scrollView.contentSize.height = 200
    test.press(at: middle)
    test.move(to: Point(x: 100, y: 150))

    #expect(!scrollView.isDragging)
    #expect(button.isTracking)
  }

  @Test func secondFingerOnMovingContentIsIgnored() {
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    test.press(at: Point(x: 100, y: 150), finger: 1)
    test.move(to: Point(x: 100, y: 130), finger: 1)
    test.press(at: middle, finger: 2)
    test.advance(by: 0.2)
    test.release(finger: 2)
    test.advance(by: 0.2)

    #expect(taps == 0)
    #expect(scrollView.isDragging)
  }

  @Test func removalFromTheWindowStopsScrolling() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    scrollView.removeFromSuperview()
    test.draw()
    test.advance(by: 1)

    #expect(!scrollView.isScrolling)
    #expect(test.window.isIdle)
  }

  @Test func dragOnTheInnerScrollViewLeavesTheOuterStill() {
    let inner = ScrollView(frame: Rect(x: 0, y: 100, width: 200, height: 100))
    inner.contentSize = Size(width: 200, height: 500)
    scrollView.addSubview(inner)

    test.press(at: Point(x: 100, y: 180))
    test.move(to: Point(x: 100, y: 160))
    test.move(to: Point(x: 100, y: 140))

    #expect(inner.contentOffset.y == 20)
    #expect(offset == 0)
    #expect(!scrollView.isDragging)
  }

  @Test("a window that is released during a touch releases its views", arguments: [0.0, 5, 60, -1])
  func pendingTouchDoesNotRetainViews(distance: Double) {
    weak var window: Window?
    weak var inner: ScrollView?
    do {
      let test = TestWindow(size: Size(width: 200, height: 200))
      let scrollView = ScrollView(frame: test.window.bounds)
      scrollView.contentSize.height = 2000
      scrollView.addSubview(Button(frame: test.window.bounds))
      test.window.addSubview(scrollView)
      (window, inner) = (test.window, scrollView)
      // The touch is delayed, moved less than a drag, dragged, or lifted before it reaches the button.
      test.press(at: middle)
      if distance > 0 { test.move(to: Point(x: middle.x, y: middle.y + distance)) }
      if distance < 0 { test.release() }
    }

    #expect(window == nil)
    #expect(inner == nil)
  }

  @Test func outerScrollViewDragsAfterTheInnerWasCaught() {
    let inner = ScrollView(frame: Rect(x: 0, y: 100, width: 200, height: 100))
    inner.contentSize = Size(width: 200, height: 5000)
    scrollView.addSubview(inner)
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 110), duration: 0.1)
    test.advance(by: 0.1)
    test.press(at: Point(x: 100, y: 150))
    #expect(inner.isDragging)
    test.advance(by: 0.2)
    test.release()

    test.press(at: middle)
    test.move(to: Point(x: 100, y: 40))
    test.move(to: Point(x: 100, y: 20))
    #expect(offset == 20)
  }

  @Test func innerRowScrollsHorizontallyAndTheOuterVertically() {
    let row = ScrollView(frame: Rect(x: 0, y: 100, width: 200, height: 100))
    row.contentSize = Size(width: 900, height: 100)
    scrollView.addSubview(row)

    test.drag(from: Point(x: 180, y: 150), to: Point(x: 60, y: 150), duration: 0.1)
    test.advanceUntilIdle()
    #expect(row.contentOffset.x > 100)
    #expect(offset == 0)

    test.press(at: Point(x: 100, y: 180))
    test.move(to: Point(x: 100, y: 160))
    test.move(to: Point(x: 100, y: 140))
    #expect(offset == 20)
  }
}
