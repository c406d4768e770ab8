import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// The offset of a scroll view, and its scroll bar.
@Suite("Scroll view", .timeLimit(.minutes(5)))
struct ScrollViewTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let button = Button(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let test: TestWindow
  private let middle = Point(x: 100, y: 50)

  init() { test = TestWindow(scrolling: scrollView, over: button) }

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
