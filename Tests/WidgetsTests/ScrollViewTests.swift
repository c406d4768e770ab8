import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Scroll view", .timeLimit(.minutes(1)))
struct ScrollViewTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let button = Button(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let test: TestWindow
  private let middle = Point(x: 100, y: 50)

  init() {
    test = TestWindow(size: Size(width: 200, height: 200))
    scrollView.contentSize = Size(width: 200, height: 2000)
    scrollView.addSubview(button)
    test.window.addSubview(scrollView)
    test.draw()
  }

  private var offset: Double { scrollView.contentOffset.y }

  // MARK: Offset

  @Test func offsetIsClampedToTheContentAndItsInsets() {
    scrollView.contentOffset.y = 5000
    #expect(offset == 1800)
    scrollView.contentOffset.y = -10
    #expect(offset == 0)
    scrollView.contentInsets = Insets(top: 20, bottom: 30)
    scrollView.contentOffset.y = -100
    #expect(offset == -20)
    scrollView.contentOffset.y = 5000
    #expect(offset == 1830)
  }

  @Test func offsetIsRoundedToWholePixels() {
    test.window.scale = 2
    scrollView.contentOffset.y = 10.3

    #expect(offset == 10.5)
  }

  @Test func shrinkingContentClampsTheOffset() {
    scrollView.contentOffset.y = 1800
    scrollView.contentSize.height = 500

    #expect(offset == 300)
  }

  @Test func shrinkingContentClampsTheOffsetDuringAHorizontalAnimation() {
    scrollView.contentSize.width = 600
    scrollView.contentOffset.y = 1800
    scrollView.setContentOffset(Point(x: 300, y: 1800), animated: true)

    scrollView.contentSize.height = 500
    test.advanceUntilIdle()

    #expect(scrollView.contentOffset == Point(x: 300, y: 300))
  }

  @Test func animatedOffsetReachesItsTarget() {
    scrollView.setContentOffset(Point(x: 0, y: 400), animated: true)
    #expect(scrollView.isScrolling)
    test.advance(by: 0.15)
    #expect((100..<300).contains(offset))
    test.advanceUntilIdle()

    #expect(offset == 400)
    #expect(!scrollView.isScrolling)
  }

  @Test func onScrollIsCalledForEachChange() {
    var offsets: [Double] = []
    scrollView.onScroll = { offsets.append($0.contentOffset.y) }

    scrollView.contentOffset.y = 10
    scrollView.contentOffset.y = 10
    scrollView.contentOffset.y = 20

    #expect(offsets == [10, 20])
  }

  @Test func scrollRectToVisibleScrollsAsLittleAsNeeded() {
    scrollView.scrollRectToVisible(Rect(x: 0, y: 500, width: 10, height: 50), animated: false)
    #expect(offset == 350)
    scrollView.scrollRectToVisible(Rect(x: 0, y: 400, width: 10, height: 50), animated: false)
    #expect(offset == 350)
    scrollView.scrollRectToVisible(Rect(x: 0, y: 100, width: 10, height: 50), animated: false)
    #expect(offset == 100)
  }

  @Test func oversizedRectangleIsShownFromItsTop() {
    scrollView.scrollRectToVisible(Rect(x: 0, y: 600, width: 200, height: 500), animated: false)
    #expect(offset == 600)

    scrollView.scrollRectToVisible(Rect(x: 0, y: 100, width: 200, height: 300), animated: false)
    #expect(offset == 100)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan]) func nonFiniteInsetDisablesScrolling(inset: Double) {
    scrollView.contentInsets = Insets(top: inset)

    #expect(scrollView.verticalRange == 0...0)
    #expect(offset == 0)
  }

  // MARK: Drags

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

  // MARK: Touches of the content

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

  // MARK: Wheel and keys

  @Test func wheelStepScrollsEightyPointsSmoothly() {
    test.wheel(at: middle, steps: -1)
    #expect(offset == 0)
    test.advance(by: 0.05)
    #expect((10..<80).contains(offset))
    test.advanceUntilIdle()

    #expect(offset == 80)
  }

  @Test func wheelStepsAddUpAndStopAtTheEnd() {
    test.wheel(at: middle, steps: -1)
    test.advance(by: 0.03)
    test.wheel(at: middle, steps: -2.5)
    test.advanceUntilIdle()
    #expect(offset == 280)

    var lowest = 0.0
    scrollView.onScroll = { lowest = min(lowest, $0.contentOffset.y) }
    test.wheel(at: middle, steps: 100)
    test.advanceUntilIdle()
    #expect(offset == 0)
    #expect(lowest == 0)
  }

  @Test func wheelScrollsTheOuterViewWhereTheInnerCannotScroll() {
    let inner = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 100))
    inner.contentSize = inner.frame.size
    scrollView.addSubview(inner)

    test.wheel(at: middle, steps: -1)
    test.advanceUntilIdle()

    #expect(offset == 80)
  }

  @Test func keysScrollWithoutFocus() {
    test.key(.down)
    test.advanceUntilIdle()
    #expect(offset == 80)
    test.key(.space)
    test.advanceUntilIdle()
    #expect(offset == 260)
    test.key(.end)
    test.advanceUntilIdle()
    #expect(offset == 1800)
    test.key(.pageUp)
    test.advanceUntilIdle()
    #expect(offset == 1620)
    test.key(.home)
    test.advanceUntilIdle()
    #expect(offset == 0)
  }

  @Test func heldKeyScrollsToTheVeryEnd() {
    for _ in 0..<100 {
      test.key(.down)
      test.advance(by: 0.04)
    }

    #expect(offset == 1800)
  }

  @Test func repeatedEndKeyDoesNotDelayTheArrival() {
    test.key(.end)
    test.advance(by: 0.1)
    test.key(.end)
    test.advance(by: 0.12)

    #expect(offset == 1800)
    #expect(!scrollView.isScrolling)
  }

  @Test func arrowAtTheEndIsNotHandled() {
    var received: [Key] = []
    test.window.unhandledKey = { key, _ in
      received.append(key)
      return true
    }
    scrollView.contentOffset.y = 1800
    test.window.focus(button)
    test.key(.down)
    #expect(received == [.down])

    test.key(.up)
    test.advanceUntilIdle()
    #expect(received == [.down])
    #expect(offset == 1720)
  }

  @Test func unhandledKeysReachTheApplication() {
    var keys: [Key] = []
    test.window.unhandledKey = { key, _ in
      keys.append(key)
      return true
    }
    test.key(.left)
    test.key(.character("q"))
    test.key(.down)

    #expect(keys == [.left, .character("q")])
  }

  @Test func tabScrollsTheFocusIntoView() {
    let far = Button(frame: Rect(x: 0, y: 1000, width: 100, height: 50))
    scrollView.addSubview(far)
    test.key(.tab)
    test.key(.tab)
    test.advanceUntilIdle()

    #expect(test.window.focusedView === far)
    #expect(offset == 850)
  }

  // MARK: Indicator

  @Test func scrollBarAppearsAtOnceAndFadesOut() {
    func bars() -> [(Rect, Color)] {
      test.drawList.commands.compactMap {
        if case .fill(let rect, let color, 1.5) = $0 { (rect, color) } else { nil }
      }
    }
    #expect(bars().isEmpty)
    test.wheel(at: middle, steps: -1)
    test.advance(by: 0.02)
    #expect(bars().map(\.1) == [scrollView.indicatorColor])
    #expect(bars().allSatisfy { $0.0.width == 3 && $0.0.maxX == 197 })

    test.advance(by: 0.6)
    #expect(!bars().isEmpty && bars().allSatisfy { $0.1.alpha < scrollView.indicatorColor.alpha })
    #expect(test.lastDirtyRects.allSatisfy { $0.width <= 4 })
    test.advance(by: 0.3)
    #expect(bars().isEmpty)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func scrollBarIsHiddenAfterReturningToTheWindow() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    scrollView.removeFromSuperview()
    test.advance(by: 0.1)
    test.window.addSubview(scrollView)
    test.advanceUntilIdle()

    #expect(test.fills(of: scrollView.indicatorColor) == [])
  }

  @Test func restingScrollViewRunsNoFrames() {
    test.drag(from: Point(x: 100, y: 190), to: Point(x: 100, y: 90), duration: 0.1)
    test.advanceUntilIdle()
    let before = test.framesRun
    test.advance(by: 10)

    #expect(test.framesRun == before)
  }
}
