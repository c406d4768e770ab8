import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("Page view: touches", .timeLimit(.minutes(5)))
struct PageViewTouchTests {
  /// A view that observes touches, and claims them once they have moved.
  private final class Observer: View {
    var phases: [TouchPhase] = []
    var claims = false

    override var observesDescendantTouches: Bool { true }
    override func observeTouch(_ touch: Touch) {
      phases.append(touch.phase)
      if claims, touch.phase == .moved, phases.filter({ $0 == .moved }).count == 1 {
        window?.claim(touch, by: self)
      }
    }
  }

  private let fixture = PageWindow()
  private var test: TestWindow { fixture.test }
  private var pages: PageView { fixture.pages }

  private func at(_ x: Double, _ y: Double = 200) -> Point { Point(x: x, y: y) }

  /// Adds a view that covers the first page.
  private func cover(_ view: View) throws {
    let page = try #require(pages.view(forPage: 0))
    view.frame = page.bounds
    page.addSubview(view)
    test.draw()
  }

  @Test func pagesFollowTheFingerAfterTenPoints() {
    test.press(at: at(300))
    test.move(to: at(291))
    #expect(!pages.isDragging)
    test.move(to: at(290))
    #expect(pages.isDragging)
    #expect(fixture.x(ofPage: 0) == 0)
    test.move(to: at(240))

    #expect(fixture.x(ofPage: 0) == -50)
    #expect(fixture.x(ofPage: 1) == 350)
    #expect(pages.currentPage == 0)
  }

  @Test(arguments: [(90.0, 0), (70, 1)])
  func slowDragLeadsToTheNearestPage(end: Double, page: Int) {
    test.press(at: at(300))
    test.move(to: at(280))
    test.move(to: at(end))
    test.advance(by: 0.3)
    test.release()
    #expect(pages.currentPage == page)
    test.advanceUntilIdle()

    #expect(fixture.x(ofPage: page) == 0)
    #expect(fixture.changes == (page == 0 ? [] : [page]))
  }

  @Test func flickLeadsToTheNextPage() {
    fixture.swipe(1)
    #expect(test.texts == ["b"])
    fixture.swipe(1)
    fixture.swipe(-1)

    #expect(test.texts == ["b"])
    #expect(fixture.changes == [1, 2, 1])
  }

  @Test func endPullsLikeARubberBand() {
    test.press(at: at(100))
    test.move(to: at(110))
    test.move(to: at(210))
    #expect(fixture.x(ofPage: 0) == RubberBand.shown(100, length: 400).rounded())
    test.release()
    test.advanceUntilIdle()

    #expect(fixture.x(ofPage: 0) == 0)
    #expect(fixture.changes == [])
  }

  @Test func mouseDragsPages() {
    test.drag(from: at(250), to: at(150), duration: 0.1, finger: InputEvent.mouse)
    test.advanceUntilIdle()

    #expect(test.texts == ["b"])
  }

  @Test func fingerCatchesMovingPagesAndIsNotATap() throws {
    let button = Button()
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    try cover(button)
    test.drag(from: at(250), to: at(150), duration: 0.1)
    test.advance(by: 0.1)
    test.press(at: at(100))
    #expect(pages.isDragging)
    test.advance(by: 0.1)
    let (caught, before) = (fixture.x(ofPage: 0), test.framesRun)
    test.advance(by: 5)
    #expect(test.framesRun == before)
    #expect(fixture.x(ofPage: 0) == caught)
    test.release()
    test.advanceUntilIdle()

    #expect(taps == 0)
    #expect([0.0, -400].contains(fixture.x(ofPage: 0)))
  }

  @Test func tapOnPagesAtRestReachesTheView() throws {
    let button = Button()
    var taps = 0
    button.addAction(for: .touchUpInside) { _ in taps += 1 }
    try cover(button)
    test.tap(at: at(100))

    #expect(taps == 1)
    #expect(pages.currentPage == 0)
  }

  @Test func secondFingerOnMovingPagesIsIgnored() throws {
    let button = Button()
    var presses = 0
    button.addAction(for: .touchDown) { _ in presses += 1 }
    try cover(button)
    test.press(at: at(300))
    test.move(to: at(250))
    test.press(at: at(50), finger: 1)
    test.move(to: at(0), finger: 1)
    test.advance(by: 0.2)

    #expect(presses == 0)
    #expect(fixture.x(ofPage: 0) == 0)
  }

  @Test func verticalDragIsLeftToOthers() {
    test.press(at: at(200, 50))
    test.move(to: at(202, 70))
    test.move(to: at(100, 80))
    #expect(!pages.isDragging)
    test.release()
    fixture.swipe(1)

    #expect(test.texts == ["b"])
  }

  @Test func listInAPageScrollsAndYieldsSidewaysDrags() throws {
    let scrollView = ScrollView()
    try cover(scrollView)
    scrollView.contentSize = Size(width: 400, height: 2000)
    test.press(at: at(200))
    test.move(to: at(198, 180))
    test.move(to: at(120, 150))
    #expect(scrollView.contentOffset.y == 30)
    #expect(fixture.x(ofPage: 0) == 0)
    test.advance(by: 0.3)
    test.release()
    fixture.swipe(1)

    #expect(scrollView.contentOffset.y == 30)
    #expect(test.texts == ["b"])
  }

  @Test func innerObserverClaimsADragBeforeThePages() throws {
    let observer = Observer()
    observer.claims = true
    try cover(observer)
    test.press(at: at(300))
    test.move(to: at(250))
    test.move(to: at(200))
    test.release()

    #expect(observer.phases == [.began, .moved, .moved, .ended])
    #expect(fixture.x(ofPage: 0) == 0)
    observer.claims = false
    fixture.swipe(1)
    #expect(test.texts == ["b"])
  }

  @Test func innerObserverSeesACancelledTouchWhenThePagesClaimIt() throws {
    let observer = Observer()
    try cover(observer)
    test.press(at: at(300))
    test.move(to: at(250))
    test.move(to: at(200))
    test.release()

    #expect(observer.phases == [.began, .moved, .cancelled])
  }

  @Test func viewThatKeepsItsTouchesIsNotDraggedAway() throws {
    let view = View()
    view.yieldsTouchesToScrolling = false
    try cover(view)
    test.press(at: at(300))
    // The view receives the touch after a delay.
    test.advance(by: 0.2)
    test.move(to: at(200))
    #expect(!pages.isDragging)
    test.release()
    fixture.swipe(1)

    #expect(pages.currentPage == 1)
  }

  @Test func cancelledDragReturnsToItsPage() {
    test.press(at: at(300))
    test.move(to: at(280))
    test.move(to: at(20))
    test.cancel()
    test.advanceUntilIdle()

    #expect(test.texts == ["a"])
    #expect(fixture.changes == [])
  }

  @Test func pagesHiddenDuringADragCanBeDraggedLater() {
    test.press(at: at(300))
    test.move(to: at(200))
    pages.isHidden = true
    #expect(!pages.isDragging)
    test.release()
    pages.isHidden = false
    test.advanceUntilIdle()
    fixture.swipe(1)

    #expect(test.texts == ["b"])
  }

  @Test func pagesRemovedDuringADragCanBeDraggedLater() {
    test.press(at: at(300))
    test.move(to: at(200))
    pages.removeFromSuperview()
    test.release()
    test.window.addSubview(pages)
    test.advanceUntilIdle()
    #expect(test.texts == ["a"])
    fixture.swipe(1)

    #expect(test.texts == ["b"])
  }

  @Test func resizeDuringADragKeepsThePageAndTheFinger() {
    test.press(at: at(300))
    test.move(to: at(280))
    test.move(to: at(180))
    #expect(fixture.x(ofPage: 0) == -100)
    pages.frame.size = Size(width: 300, height: 400)
    test.draw()
    #expect(fixture.x(ofPage: 0) == -75)
    #expect(pages.view(forPage: 1)?.frame.size == Size(width: 300, height: 400))
    test.move(to: at(150))
    test.move(to: at(120))
    #expect(fixture.x(ofPage: 0) == -105)
    test.move(to: at(20))
    test.release()
    test.advanceUntilIdle()

    #expect(test.texts == ["b"])
    #expect(fixture.x(ofPage: 1) == 0)
  }

  @Test func settingThePageEndsADrag() {
    test.press(at: at(300))
    test.move(to: at(200))
    pages.currentPage = 2
    test.move(to: at(100))
    test.release()
    test.advanceUntilIdle()

    #expect(test.texts == ["c"])
    #expect(fixture.changes == [2])
  }

  // MARK: Loops

  @Test func twoPagesLoopInBothDirections() {
    let fixture = PageWindow(["a", "b"]) { $0.loops = true }
    fixture.test.press(at: at(100))
    fixture.test.move(to: at(120))
    fixture.test.move(to: at(160))
    #expect(fixture.x(ofPage: 1) == -360)
    fixture.test.move(to: at(80))
    #expect(fixture.x(ofPage: 1) == 360)
    fixture.test.release()
    fixture.test.advanceUntilIdle()
    for step in [-1, -1, 1, 1] { fixture.swipe(step) }

    #expect(fixture.test.texts == ["a"])
    #expect(fixture.changes == [1, 0, 1, 0])
  }

  @Test func singlePageDoesNotMove() {
    let fixture = PageWindow(["a"]) { $0.loops = true }
    fixture.test.press(at: at(300))
    fixture.test.move(to: at(100))
    #expect(!fixture.pages.isDragging)
    fixture.test.release()
    fixture.test.key(.right)
    fixture.test.wheel(at: at(100), steps: 0, horizontal: -1)
    fixture.test.advanceUntilIdle()

    #expect(fixture.x(ofPage: 0) == 0)
    #expect(fixture.changes == [])
  }

  @Test func firstPageFollowsTheLastInALoop() {
    let fixture = PageWindow { $0.loops = true }
    #expect(fixture.x(ofPage: 4) == -400)
    fixture.swipe(-1)
    #expect(fixture.test.texts == ["e"])
    fixture.test.key(.right)
    fixture.test.advanceUntilIdle()

    #expect(fixture.test.texts == ["a"])
    #expect(fixture.changes == [4, 0])
  }
}
