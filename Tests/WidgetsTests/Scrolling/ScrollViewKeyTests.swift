import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// Scrolling by wheel and keys.
@Suite("Scroll view: wheel and keys", .timeLimit(.minutes(5)))
struct ScrollViewKeyTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let button = Button(frame: Rect(x: 0, y: 0, width: 200, height: 100))
  private let test: TestWindow
  private let middle = Point(x: 100, y: 50)

  init() { test = TestWindow(scrolling: scrollView, over: button) }

  private var offset: Double { scrollView.contentOffset.y }

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
}
